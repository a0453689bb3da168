internal import SQLSyntax

/// The objects of the schema that a migration created, changed or removed, and the migrations that it replaced.
///
/// Together, the entries of a ledger determine which objects belong to its migrator.
package struct ObjectChanges: Sendable, Equatable {
  /// The objects that are new or whose definition changed.
  package var made: Set<SchemaObject.Name> = []
  /// The objects that were removed.
  package var removed: Set<SchemaObject.Name> = []
  /// The migrations that this migration merged, and the migrations that those had merged; their entries have been
  /// deleted.
  package var replaced: Set<String> = []
  /// The objects that differed from the schema that the migrations create when the differences were recorded; nil if
  /// differences have not been recorded yet.
  ///
  /// Each value is a digest of the definition that the migrations give the object.
  ///
  /// Stored only in the newest entry of a ledger with an adopted history.
  var differing: [SchemaObject.Name: String]?

  /// Digests of the rows that the migrations insert, by which a later run recognizes edited migrations; nil if they have not
  /// been recorded.
  ///
  /// Stored in the entry that was the newest one when they were recorded.
  var rows: RowDigests?

  /// The tables of the tool from which the history was adopted; stored only in the first entry of that history.
  package var adoptedTables: Set<String> = []

  /// Creates a value without changes.
  package init() {}

  init(adoptedTables: Set<String>) { self.adoptedTables = adoptedTables }

  /// Creates the changes between two snapshots.
  ///
  /// Objects without a definition do not count, nor do the shadow tables of virtual tables.
  package init(from before: [SchemaObject.Name: String], to after: [SchemaObject.Name: String]) {
    made = Set(after.filter { before[$0.key] != $0.value }.keys)
    removed = Set(before.keys.filter { after[$0] == nil })
  }

  /// Adds earlier changes of the same migration to these changes.
  mutating func add(to earlier: ObjectChanges?) {
    guard let earlier else { return }
    made.formUnion(earlier.made.subtracting(removed))
    removed.formUnion(earlier.removed.subtracting(made))
  }

  /// Applies the changes to a set of objects.
  package func apply(to owned: inout Set<SchemaObject.Name>) {
    owned.formUnion(made)
    owned.subtract(removed)
  }
}

extension ObjectChanges {
  static let replacement = "=migration "
  static let adoption = "<table "

  /// The changes as text, one per line: `+table author`, `-index author_on_name`, `=migration create_author` for a
  /// replaced migration, `<table schema_migrations` for another tool's table, `~table author 0123...` for a difference.
  ///
  /// A line with only `~` is present if differences were recorded, even if there were none; likewise a line with only `#`
  /// for digests of rows, as in `#author 0123... 2,3` with the columns that are left out.
  package var text: String {
    let lines =
      made.map { $0.line(after: "+") } + removed.map { $0.line(after: "-") }
      + replaced.map { Self.replacement + $0.escapedLine } + adoptedTables.map { Self.adoption + $0.escapedLine }
      + (rows.map { ["#"] + $0.tables.map(Self.line) } ?? [])
      + (differing.map { ["~"] + $0.map { "\($0.key.line(after: "~")) \($0.value)" } } ?? [])
    return lines.sorted().joined(separator: "\n")
  }

  /// Parses ``text``; ignores lines that this version does not understand.
  package init(text: String) {
    // Byte by byte: a ledger has hundreds of these, and a status reads all of them.
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      if line.first == UInt8(ascii: "="), line.starts(with: Self.replacement.utf8) {
        replaced.insert(String(Substring(line.dropFirst(Self.replacement.utf8.count))).unescapedLine)
        continue
      }
      if line.starts(with: Self.adoption.utf8) {
        adoptedTables.insert(String(Substring(line.dropFirst(Self.adoption.utf8.count))).unescapedLine)
        continue
      }
      if line.first == UInt8(ascii: "~") {
        readDifference(String(Substring(line.dropFirst())))
        continue
      }
      if line.first == UInt8(ascii: "#") {
        readDigest(String(Substring(line.dropFirst())))
        continue
      }
      let change = line.dropFirst()
      guard let blank = change.firstIndex(of: UInt8(ascii: " ")),
        let kind = SchemaObject.Kind(rawValue: String(Substring(change[..<blank])))
      else { continue }
      let name = SchemaObject.Name(kind: kind, name: String(Substring(change[blank...].dropFirst())).unescapedLine)
      switch line.first {
      case UInt8(ascii: "+"): made.insert(name)
      case UInt8(ascii: "-"): removed.insert(name)
      default: continue
      }
    }
  }

  private static func line(_ name: String, _ table: RowDigests.Table) -> String {
    let columns = table.timeColumns.map(String.init).joined(separator: ",")
    return "#\(name.escapedLine) \(table.hash.map { String($0, radix: 16) } ?? "-") \(columns)"
  }

  private mutating func readDigest(_ line: String) {
    rows = rows ?? RowDigests()
    let parts = line.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count > 2 else { return }
    let columns = parts[parts.count - 1].split(separator: ",").compactMap { Int($0) }
    rows?.tables[parts.dropLast(2).joined(separator: " ").unescapedLine] = RowDigests.Table(
      hash: UInt64(parts[parts.count - 2], radix: 16), timeColumns: columns)
  }

  private mutating func readDifference(_ line: String) {
    differing = differing ?? [:]
    guard let first = line.firstIndex(of: " "), let last = line.lastIndex(of: " "), first < last,
      let kind = SchemaObject.Kind(rawValue: String(line[..<first]))
    else { return }
    let name = String(line[line.index(after: first)..<last]).unescapedLine
    differing?[SchemaObject.Name(kind: kind, name: name)] = String(line[line.index(after: last)...])
  }
}

extension SchemaObject.Name {
  fileprivate func line(after mark: String) -> String { "\(mark)\(kind.rawValue) \(name.escapedLine)" }
}

extension String {
  /// The text in one line: line breaks and `%` are escaped, so that the text can be read back.
  fileprivate var escapedLine: String { escaping(["%": "%25", "\n": "%0A", "\r": "%0D"]) }

  /// The text without escapes, byte by byte: an escape's last letter and a combining mark form one `Character`.
  fileprivate var unescapedLine: String {
    guard utf8.contains(UInt8(ascii: "%")) else { return self }
    let escapes: [(text: String, byte: UInt8)] = [("%25", 0x25), ("%0A", 0x0A), ("%0D", 0x0D)]
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.first {
      let escape = escapes.first { rest.starts(with: $0.text.utf8) }
      bytes.append(escape?.byte ?? byte)
      rest = rest.dropFirst(escape == nil ? 1 : 3)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the text with some scalars replaced: a quote and a combining mark after it, for example, form one
  /// `Character`.
  package func escaping(_ escapes: KeyValuePairs<Unicode.Scalar, String>) -> String {
    // No dictionary, whose hashing took a third of the time in which `status` prints its table.
    func escape(_ scalar: Unicode.Scalar) -> String? { escapes.first { $0.key == scalar }?.value }
    guard unicodeScalars.contains(where: { escape($0) != nil }) else { return self }
    return unicodeScalars.map { escape($0) ?? String($0) }.joined()
  }
}
