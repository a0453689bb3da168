internal import SQLSyntax

/// The name of an SQL file: its identifier, its number, and its role.
package struct MigrationName: Sendable {
  /// The purpose of a file, according to its name.
  package enum Role: Hashable, Sendable {
    /// A forward migration.
    case forward
    /// A file that undoes a migration: `name.down.sql`, yoyo's `name.rollback.sql`, postgrator's `1.undo.name.sql`, or
    /// diesel's `down.sql`.
    case down
    /// `U1__name.sql`: an undo migration for Flyway, but a forward migration for refinery.
    case undo
    /// A kind of file that the migrator does not support.
    case refused(MigrationProblem.Kind)
  }

  /// The path of the file.
  package let path: String
  /// The name under which the ledger records the migration: the file name without `.sql`, and without a part such as
  /// `.up`, `.down` or `.do`.
  package let identifier: String
  /// The number at the start of the name; nil if there is none.
  package let version: MigrationVersion?
  /// The layout according to the name and the folder; comments in the file may show that the file has another layout.
  package internal(set) var layout: MigrationLayout
  /// The purpose of the file.
  package internal(set) var role: Role
  /// The position in the list that decides the order of files, such as Drizzle's journal; nil for a file that is not
  /// listed.
  ///
  /// Listed files come before all others.
  var place: Int?
  /// The setting that may turn off the migration's transaction; nil if there is no file with such a setting.
  var setting: TransactionSetting?
  /// Whether the name says that the file undoes a migration, although none is recognized that it would undo.
  var seemsToUndo = false

  /// Parses a file name; nil unless it ends with `.sql`, in upper or lower case.
  package init?(path: String) {
    guard let fileName = path.utf8.split(separator: UInt8(ascii: "/")).last,
      let stem = String(Substring(fileName)).dropping(".sql"), !stem.isEmpty
    else { return nil }
    for layout in MigrationLayout.all {
      guard let (identifier, version, role) = layout.readName(stem) else { continue }
      self.init(path: path, identifier: identifier, version: version, layout: layout, role: role)
      return
    }
    return nil
  }

  /// Creates the name of a migration that is a folder.
  init(folder path: String, _ layout: MigrationLayout) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    self.init(path: path + layout.ending, identifier: name, version: MigrationVersion(prefixOf: name), layout: layout)
  }

  /// Creates a name from all of its parts.
  init(
    path: String, identifier: String, version: MigrationVersion? = nil, layout: MigrationLayout = .plain,
    role: Role = .forward
  ) {
    (self.path, self.identifier, self.version) = (path, identifier, version)
    (self.layout, self.role) = (layout, role)
  }

  /// Whether both names begin with the same number, so that the rest of the names determines their order.
  package func sharesNumber(with other: MigrationName) -> Bool { version != nil && version == other.version }

  /// Whether the file is applied before another one.
  ///
  /// Files with a `place` come first, in that order, followed by files with a number, in numeric order. The names
  /// determine the order of all others.
  package func precedes(_ other: MigrationName) -> Bool {
    if place != other.place { return place ?? .max < other.place ?? .max }
    return switch (version, other.version) {
    case (let left?, let right?) where left != right: left < right
    case (_?, nil): true
    case (nil, _?): false
    default: (identifier, path) < (other.identifier, other.path)
    }
  }
}

/// The number at the beginning of a migration's name, which may have several parts: `20240101`, `1.2`, `2024-01-31`.
///
/// The parts are compared as numbers of any length, so 2 comes before 10, and 1.2 before 1.10. Leading zeros are
/// ignored, and 1 equals 1.0.
package struct MigrationVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The parts, without leading zeros and without zeros at the end of the version.
  private let parts: [String]

  /// Creates a version from its parts, each a string of digits.
  init(_ parts: [String]) {
    var parts = parts.map { String($0.drop { $0 == "0" }) }
    while parts.last?.isEmpty == true { parts.removeLast() }
    self.parts = parts
  }

  /// Parses the number at the start of a name: parts of digits separated by `.` or `-`, optionally after a `v`.
  ///
  /// A regular expression would be compiled at each use, which took half the time of `status` with 200 files.
  package init?(prefixOf name: String) {
    let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
    var parts: [String] = []
    let number = name.utf8.first.map { $0 | 0x20 } == UInt8(ascii: "v") ? name.utf8.dropFirst() : name.utf8[...]
    for part in number.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 0x2E || $0 == 0x2D }) {
      let digits = part.prefix(while: isDigit)
      let next = part[digits.endIndex...].first
      // In "1-2fa" the 2 is part of a word. A name that begins with "2fa" still has the number 2.
      guard !digits.isEmpty, parts.isEmpty || next.map(isLetter) != true else { break }
      parts.append(String(decoding: digits, as: UTF8.self))
      if next != nil { break }
    }
    guard !parts.isEmpty else { return nil }
    self.init(parts)
  }

  package static func < (lhs: MigrationVersion, rhs: MigrationVersion) -> Bool {
    lhs.parts.lexicographicallyPrecedes(rhs.parts) { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
  }

  /// The parts joined by periods.
  package var description: String { parts.isEmpty ? "0" : parts.map { $0.isEmpty ? "0" : $0 }.joined(separator: ".") }
}

/// A setting, in a file beside a migration, that may turn off the migration's transaction: in diesel's `metadata.toml`
/// or Flyway's `.sql.conf`.
struct TransactionSetting: Sendable {
  let path: String
  /// The name of the setting; its value `false` turns off the transaction.
  let key: String

  /// The setting beside a file of Flyway (https://documentation.red-gate.com/fd/script-configuration-files-275218566.html).
  static func flyway(_ path: String) -> TransactionSetting {
    TransactionSetting(path: path + ".conf", key: "executeInTransaction")
  }

  func isOff() throws(MigrationProblem) -> Bool {
    try ScriptFile.text(at: path).split(whereSeparator: \.isNewline).contains { line in
      line.prefix { $0 != "#" }.split(separator: "=", maxSplits: 1).map(\.trimmingWhitespace) == [key, "false"]
    }
  }
}

extension String {
  /// Returns the string without an ending, which may be in upper or lower case; nil if the string does not have this
  /// ending.
  ///
  /// - Parameter ending: The ending in lower case.
  func dropping(_ ending: String) -> String? {
    let count = ending.utf8.count
    let hasEnding = utf8.suffix(count).elementsEqual(ending.utf8) { byte, expected in
      byte == expected || ((0x41...0x5A).contains(byte) && byte | 0x20 == expected)
    }
    guard hasEnding else { return nil }
    return String(decoding: utf8.dropLast(count), as: UTF8.self)
  }
}
