import Migrator
import SQLSyntax
import TestEngines

/// A table of a random schema, as far as statements about it need it.
struct RandomTable {
  struct Column {
    var name: String
    var definition: String
  }

  var name: String
  var columns: [Column]
  var primaryKey: [String]
  /// The keys that other tables may refer to, including the primary key.
  var uniqueKeys: [[String]]
  var constraints: [String]
  var keys: [[String]]
  var hasRowID: Bool

  var quoted: String { name.quotedIdentifier }
  var columnList: String { columns.map(\.name.quotedIdentifier).joined(separator: ", ") }

  func sql(named name: String? = nil) -> String {
    let parts = columns.map { "\($0.name.quotedIdentifier) \($0.definition)" } + constraints
    return "CREATE TABLE main.\((name ?? self.name).quotedIdentifier) (\(parts.joined(separator: ", ")))"
      + (hasRowID ? "" : " WITHOUT ROWID")
  }
}

/// Creates random tables, indexes, values and names.
struct RandomWords {
  var generator: SeededGenerator

  static let tableNames = ["a", "B b", "select", "t'x", "q\"r", "É", "x.y"]
  /// Names that no table has initially.
  static let missingNames = ["ghost", "Later on"]
  private static let columnNames = ["id", "k", "K k", "order", "rowid", "pa"]
  private static let types = ["INTEGER", "INTEGER", "INT", "TEXT", "TEXT", "", "REAL", "NUMERIC", "VARCHAR(9)", "BLOB"]
  private static let values = [
    "0", "1", "2", "3", "1", "2", "NULL", "'1'", "'01'", "'a'", "'A'", "'a '", "'b'", "1.0", "2.5", "x'31'", "'2'",
  ]
  private static let oddValues = [
    "-9223372036854775808", "-9223372036854775808.0", "9007199254740993", "9007199254740992.0", "'1e0'", "''",
    "9223372036854775807", "9223372036854775807.0", "'-9223372036854775808'",
  ]

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// Returns a spelling of a name: engines ignore ASCII case in names.
  mutating func spelled(_ name: String) -> String {
    switch below(4) {
    case 0: name.asciiLowercased.quotedIdentifier
    case 1:
      String(decoding: name.utf8.map { (0x61...0x7a).contains($0) ? $0 & 0xdf : $0 }, as: UTF8.self).quotedIdentifier
    default: name.quotedIdentifier
    }
  }

  mutating func value() -> String { chance(4) ? pick(Self.oddValues) : pick(Self.values) }

  mutating func collation() -> String { chance(25) ? " COLLATE \(pick(["NOCASE", "RTRIM", "BINARY"]))" : "" }

  mutating func columns(_ columns: [String], _ count: Int) -> [String] {
    Array(columns.shuffled(using: &generator).prefix(count))
  }

  /// Returns a table with a name, whose keys refer to some of the others.
  ///
  /// - Parameter columns: Names that its columns must have; nil for any.
  mutating func table(_ name: String, columns names: [String]? = nil, others: [RandomTable]) -> RandomTable {
    let names = names ?? self.columns(Self.columnNames, 2 + below(3))
    var table = RandomTable(
      name: name, columns: names.map { .init(name: $0, definition: pick(Self.types) + collation()) }, primaryKey: [],
      uniqueKeys: [], constraints: [], keys: [], hasRowID: true)
    addPrimaryKey(to: &table)
    if chance(45) {
      let key = self.columns(names, 1 + below(2))
      table.uniqueKeys.append(key)
      table.constraints.append("UNIQUE (\(key.map { $0.quotedIdentifier }.joined(separator: ", ")))")
    }
    for _ in 0..<pick([0, 1, 1, 2]) { addForeignKey(to: &table, others) }
    return table
  }

  private mutating func addPrimaryKey(to table: inout RandomTable) {
    let first = table.columns[0].name
    switch below(6) {
    case 0, 1:
      table.columns[0].definition = "INTEGER PRIMARY KEY" + (chance(10) ? " DESC" : "")
      table.primaryKey = [first]
    case 2:
      table.columns[0].definition += " PRIMARY KEY"
      table.primaryKey = [first]
    case 3:
      table.primaryKey = columns(table.columns.map(\.name), 2)
      let parts = table.primaryKey.map { $0.quotedIdentifier + collation() }
      table.constraints.append("PRIMARY KEY (\(parts.joined(separator: ", ")))")
    default: return
    }
    table.uniqueKeys.append(table.primaryKey)
    table.hasRowID = !chance(30)
  }

  private mutating func addForeignKey(to table: inout RandomTable, _ others: [RandomTable]) {
    let parent = chance(8) ? nil : pick(others + [table])
    var destination = parent.flatMap { $0.uniqueKeys.isEmpty ? nil : pick($0.uniqueKeys) }
    // A key that matches nothing: "foreign key mismatch".
    if let parent, destination == nil || chance(2) {
      guard chance(8) else { return }
      destination = columns(parent.columns.map(\.name), 1)
    }
    let name = parent?.name ?? pick(Self.missingNames + Self.tableNames)
    let count = destination?.count ?? 1 + below(2)
    guard table.columns.count >= count else { return }
    let origin = columns(table.columns.map(\.name), count)
    var target = ""
    let isImplicit = parent == nil || destination ?? [] == parent?.primaryKey && chance(50)
    if !isImplicit, let destination { target = "(\(destination.map { spelled($0) }.joined(separator: ", ")))" }
    table.keys.append(origin)
    table.constraints.append(
      "FOREIGN KEY (\(origin.map { spelled($0) }.joined(separator: ", "))) REFERENCES \(spelled(name))\(target)"
        + (chance(30) ? " ON DELETE CASCADE" : ""))
  }

  /// Returns a statement that creates an index, often on a foreign key.
  mutating func index(on table: RandomTable) -> String {
    let key = !table.keys.isEmpty && chance(70) ? pick(table.keys) : columns(table.columns.map(\.name), 1 + below(2))
    var parts = key.map { spelled($0) + (chance(80) ? "" : collation()) }
    if chance(8) { parts[0] = "lower(\(parts[0]))" }
    let condition = chance(10) ? " WHERE \(key[0].quotedIdentifier) > 1" : ""
    return "CREATE \(chance(25) ? "UNIQUE " : "")INDEX main.\("i\(below(1_000_000))".quotedIdentifier) ON "
      + "\(table.quoted) (\(parts.joined(separator: ", ")))\(condition)"
  }

  /// Returns a statement that inserts some rows.
  mutating func insert(into table: RandomTable, words: String = "INSERT OR IGNORE", schema: String = "main.") -> String
  {
    // Version 3.15 creates two rows with one rowid if a statement inserts several rows, one of them with a NULL rowid.
    let count = words.contains("REPLACE") ? 1 : 1 + below(4)
    let rows = (0..<count).map { _ in
      "(\(table.columns.map { _ in value() }.joined(separator: ", ")))"
    }
    return "\(words) INTO \(schema)\(spelled(table.name)) (\(table.columnList)) VALUES \(rows.joined(separator: ", "))"
  }
}
