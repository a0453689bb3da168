import Migrator

/// A schema of tables, indexes, views and triggers created from a seed, with names that are easily mistaken for
/// something else.
struct RandomDefinitions {
  struct Table {
    var name: String
    var columns: [String]
  }

  private var state: UInt64
  private let abilities: EngineAbilities
  private(set) var tables: [Table] = []

  /// The statements in the order in which they run.
  private(set) var statements: [String] = []

  private static let tableNames = [
    "t", "order", "two words", "quo\"te", "Äpfel", "new_t", "main.t", "x'y", "sqlitedata",
  ]
  private static let columnNames = ["a", "B", "id", "key", "select", "c d", "rowid", "e\"f", "ü", "check", "new"]

  /// Creates a schema; the same seed and abilities create the same schema.
  init(seed: UInt64, abilities: EngineAbilities) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 12345
    self.abilities = abilities
    var pool = Self.tableNames
    let count = 1 + random(4)
    for _ in 0..<count { makeTable(pool.remove(at: random(pool.count))) }
    if random(4) == 0 { statements.append("CREATE VIRTUAL TABLE search USING fts4(\(quoted("a")), body)") }
    makeIndexes()
    makeViews()
    makeTriggers()
  }

  var sql: String { statements.map { $0 + ";\n" }.joined() }

  mutating func random(_ bound: Int) -> Int {
    // Knuth's MMIX generator; its upper bits are more random.
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  private mutating func quoted(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { (0x61...0x7a).contains($0 | 0x20) }
    switch random(4) {
    case 0 where isPlain && !["order", "select", "check", "key", "new"].contains(name): return name
    case 1 where !name.contains("]"): return "[\(name)]"
    case 2: return "`\(name)`"
    default:
      return "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
  }

  private mutating func makeTable(_ name: String) {
    var pool = Self.columnNames
    let columns = (0..<(1 + random(5))).map { _ in pool.remove(at: random(pool.count)) }
    tables.append(Table(name: name, columns: columns))
    let isStrict = abilities.contains(.strictTables) && random(6) == 0
    let keyKind = random(4)
    var elements = columns.enumerated().map { place, column in
      columnSQL(column, of: columns, isKey: place == 0 && keyKind == 0, isStrict: isStrict)
    }
    if keyKind == 1 {
      elements.append("\(constraintName())PRIMARY KEY (\(quoted(columns[0]))\(["", " DESC"][random(2)]))")
    }
    if random(3) == 0 {
      elements.append(
        "\(constraintName())UNIQUE (\(columns.map { quoted($0) }.joined(separator: ", ")))\(columns.count > 1 ? conflict() : "")"
      )
    }
    if random(4) == 0 { elements.append("\(constraintName())CHECK (\(quoted(columns[0])) IS NOT 'no')") }
    if random(4) == 0 {
      elements.append("FOREIGN KEY (\(quoted(columns[0]))) REFERENCES \(quoted(Self.tableNames[random(9)]))\(action())")
    }
    var options: [String] = []
    if isStrict { options.append("STRICT") }
    if keyKind <= 1, !elements[0].contains("AUTOINCREMENT"), random(4) == 0 { options.append("WITHOUT ROWID") }
    let blank = ["", " ", "\n  ", " /* a comment */ ", " -- why\n"][random(5)]
    statements.append(
      "CREATE TABLE \(quoted(name))\(blank)(\(elements.joined(separator: "," + blank)))\(options.joined(separator: ", "))"
    )
  }

  private mutating func columnSQL(_ name: String, of columns: [String], isKey: Bool, isStrict: Bool) -> String {
    var words = [quoted(name)]
    let types =
      isStrict ? ["TEXT", "INTEGER", "ANY"] : ["TEXT", "INTEGER", "", "VARCHAR(10, 2)", "\"a type\"", "REAL"]
    let type = types[random(types.count)]
    words.append(type)
    if isKey {
      words.append("PRIMARY KEY")
      if type == "INTEGER", random(2) == 0 { words.append("AUTOINCREMENT") }
    } else if abilities.contains(.generatedColumns), name != columns[0], random(7) == 0 {
      words.append("AS (\(quoted(columns[0])) || ',') \(["STORED", "VIRTUAL", ""][random(3)])")
      return words.joined(separator: " ")
    }
    if random(4) == 0 { words.append("\(constraintName())NOT NULL\(conflict())") }
    if random(4) == 0 {
      words.append("DEFAULT \(["1", "-2.5", "'a, ('", "(1 + 2)", "NULL", "CURRENT_TIMESTAMP"][random(6)])")
    }
    if random(6) == 0 { words.append("CHECK (\(quoted(name)) IS NOT ')')") }
    if random(6) == 0 { words.append("COLLATE \(["nocase", "RTRIM"][random(2)])") }
    if !isKey, random(8) == 0 { words.append("UNIQUE\(conflict())") }
    if random(6) == 0 { words.append("REFERENCES \(quoted(Self.tableNames[random(9)]))\(action())") }
    return words.joined(separator: " ")
  }

  private mutating func constraintName() -> String {
    random(3) == 0 ? "CONSTRAINT \(quoted(Self.columnNames[random(11)])) " : ""
  }

  private mutating func conflict() -> String {
    ["", "", " ON CONFLICT IGNORE", " ON CONFLICT REPLACE", " ON CONFLICT FAIL"][random(5)]
  }

  private mutating func action() -> String {
    ["", " ON DELETE CASCADE", " ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED", " NOT DEFERRABLE"][random(4)]
  }

  private mutating func makeIndexes() {
    for number in 0..<random(4) {
      let table = tables[random(tables.count)]
      let column = quoted(table.columns[random(table.columns.count)])
      let parts = ["\(column) DESC", "\(column) COLLATE nocase", "lower(\(column)), \(column)"]
      let condition = random(3) == 0 ? " WHERE \(column) > 1 -- some" : ""
      statements.append(
        "CREATE\(["", " UNIQUE"][random(2)]) INDEX \(quoted("i \(number)")) ON \(quoted(table.name))(\(parts[random(3)]))\(condition)\n"
      )
    }
  }

  private mutating func makeViews() {
    for number in 0..<random(3) {
      let table = tables[random(tables.count)]
      let column = quoted(table.columns[random(table.columns.count)])
      let source = number > 0 && random(2) == 0 ? quoted("v 0") : quoted(table.name)
      let query = source.contains("v 0") ? "SELECT * FROM \(source)" : "SELECT \(column) AS x FROM \(source)"
      statements.append("CREATE VIEW \(quoted("v \(number)")) AS \(query)")
    }
  }

  private mutating func makeTriggers() {
    for number in 0..<random(4) {
      let (table, other) = (tables[random(tables.count)], tables[random(tables.count)])
      let column = quoted(table.columns[random(table.columns.count)])
      let events = ["INSERT", "DELETE", "UPDATE OF \(column)"]
      statements.append(
        "CREATE TRIGGER \(quoted("g\(number)")) \(["AFTER", "BEFORE", ""][random(3)]) \(events[random(3)]) ON \(quoted(table.name))"
          + " BEGIN DELETE FROM \(quoted(other.name)) WHERE 0; SELECT 'END;' ; END")
    }
  }
}
