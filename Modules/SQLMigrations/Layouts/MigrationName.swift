/// What the name of an SQL file says: its identifier, its number, and whether it goes forward.
package struct MigrationName: Equatable {
  /// What a file is for, as far as its name tells.
  package enum Role: Equatable {
    /// Goes forward. Its layout is told by the name, or by what the file contains when the name says `plain`.
    case forward(MigrationLayout)
    /// Undoes a migration: `name.down.sql`, yoyo's `name.rollback.sql`, or the `down.sql` of diesel.
    case down
    /// `U1__name.sql`: an undo migration for Flyway, a forward one for refinery.
    case undo
    /// `R__name.sql`: run by Flyway each time its text changes.
    case repeatable
    /// `B1__name.sql`: stands for all of Flyway's migrations up to its version.
    case baseline
  }

  /// The name without `.sql`, and without `.up`, `.down` or `.rollback` before it.
  package let identifier: String

  /// The number that the name begins with, if it does.
  package let version: MigrationVersion?

  /// What the file is for.
  package let role: Role

  /// Reads the name of a file; nil unless it ends in `.sql`, in letters of any case.
  package init?(fileName: String) {
    guard let stem = Self.removing(".sql", from: fileName), !stem.isEmpty else { return nil }
    if let up = Self.removing(".up", from: stem), !up.isEmpty {
      self.init(identifier: up, version: Self.numericPrefix(of: up), role: .forward(.upDown))
    } else if let down = Self.removing(".down", from: stem) ?? Self.removing(".rollback", from: stem) {
      self.init(identifier: down, version: Self.numericPrefix(of: down), role: .down)
    } else if Self.removing("down", from: stem) == "" {
      self.init(identifier: stem, version: nil, role: .down)
    } else if let (letter, version) = Self.flywayPrefix(of: stem) {
      self.init(identifier: stem, version: version, role: Self.role(ofFlywayPrefix: letter))
    } else {
      let role = stem.hasPrefix("R__") ? Role.repeatable : .forward(.plain)
      self.init(identifier: stem, version: Self.numericPrefix(of: stem), role: role)
    }
  }

  /// The name of a folder that holds one migration of diesel.
  package init(dieselFolder name: String) {
    self.init(identifier: name, version: Self.numericPrefix(of: name), role: .forward(.diesel))
  }

  private init(identifier: String, version: MigrationVersion?, role: Role) {
    self.identifier = identifier
    self.version = version
    self.role = role
  }

  /// Whether an identifier begins with a number, so that it comes before all that do not.
  package static func hasNumber(_ identifier: String) -> Bool { numericPrefix(of: identifier) != nil }

  /// True for the names that Flyway runs at its events, such as `afterMigrate.sql` and `beforeEachMigrate__log.sql`
  /// (https://documentation.red-gate.com/fd/callbacks-275218509.html).
  package var isFlywayCallback: Bool {
    let events = [
      "Each", "Migrate", "Versioned", "Repeatables", "Undo", "Clean", "Connect", "Validate", "Baseline", "Repair",
      "Info",
    ]
    return ["before", "after"].contains { time in events.contains { identifier.hasPrefix(time + $0) } }
  }

  /// The number at the beginning: digits in parts joined by `.` or `-`, perhaps after a `v`.
  private static func numericPrefix(of name: String) -> MigrationVersion? {
    var name = name
    return name.withUTF8 { bytes in
      var rest = bytes[...]
      if let first = rest.first, first | 0x20 == UInt8(ascii: "v") { rest = rest.dropFirst() }
      var parts: [String] = []
      while true {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { break }
        let after = rest[digits.endIndex...]
        let next = after.first
        // In "1-2fa" the 2 belongs to a word; a name that begins as "2fa" has no other number.
        let isWhole = parts.isEmpty || next.map { !($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) } ?? true
        guard isWhole else { break }
        let part = String(decoding: digits, as: UTF8.self)
        let isLast = next != UInt8(ascii: ".") && next != UInt8(ascii: "-")
        // Most numbers have one part, which needs no list.
        if isLast, parts.isEmpty { return MigrationVersion(part) }
        parts.append(part)
        guard !isLast else { break }
        rest = after.dropFirst()
      }
      return parts.isEmpty ? nil : MigrationVersion(parts)
    }
  }

  /// The letter and the version of `V1.2__name`; the parts of the version are joined by `.` or `_`.
  private static func flywayPrefix(of stem: String) -> (Character, MigrationVersion)? {
    guard let first = stem.utf8.first else { return nil }
    let letters: [UInt8] = [UInt8(ascii: "V"), UInt8(ascii: "v"), UInt8(ascii: "U"), UInt8(ascii: "B")]
    guard letters.contains(first) else { return nil }
    let letter = Character(Unicode.Scalar(first))
    let rest = stem.dropFirst()
    guard let version = rest.firstDoubleUnderscore.map({ rest[..<$0] }) else { return nil }
    let parts = version.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "_" }
    let isNumeric = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    return isNumeric ? (letter, MigrationVersion(parts.map(String.init))) : nil
  }

  private static func role(ofFlywayPrefix letter: Character) -> Role {
    switch letter {
    case "U": .undo
    case "B": .baseline
    default: .forward(.versioned)
    }
  }

  /// The text before an ending in lower case, whose letters may have any case; nil when the text ends otherwise.
  private static func removing(_ ending: StaticString, from text: String) -> String? {
    // By bytes, each of which is one character of an ASCII ending: a folder has hundreds of names.
    var text = text
    return text.withUTF8 { bytes in
      let rest = bytes.count - ending.utf8CodeUnitCount
      guard rest >= 0 else { return nil }
      for index in 0..<ending.utf8CodeUnitCount {
        let (byte, wanted) = (bytes[rest + index], ending.utf8Start[index])
        guard byte == wanted || (byte | 0x20 == wanted && (0x61...0x7A).contains(wanted)) else { return nil }
      }
      return String(decoding: bytes[..<rest], as: UTF8.self)
    }
  }
}

extension Substring {
  /// Where two underscores stand side by side for the first time.
  fileprivate var firstDoubleUnderscore: Index? {
    zip(indices, indices.dropFirst()).first { self[$0] == "_" && self[$1] == "_" }?.0
  }
}
