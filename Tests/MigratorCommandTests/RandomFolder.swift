import TestEngines

/// A folder of random migrations that use whatever depends on the connection: pragmas, temporary objects, attached
/// databases, and functions such as `changes()`.
struct RandomFolder {
  /// The texts of the files by name.
  private(set) var files: [String: String] = [:]
  /// Whether rows differ from run to run, because of `random()` or the time.
  private(set) var varies = false

  private struct Table {
    var name: String
    var columns = ["a", "b"]
  }

  private var random: SeededGenerator
  private var tables: [Table] = []
  private var number = 0
  private let renamesColumns: Bool

  /// - Parameter renamesColumns: Whether the engine has RENAME COLUMN.
  init(seed: UInt64, renamesColumns: Bool) {
    random = SeededGenerator(seed: seed)
    self.renamesColumns = renamesColumns
    for index in 1...chosen(2...6) { files["\(index)_file.sql"] = file(isFirst: index == 1) }
  }

  private mutating func chosen(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func oneOf(_ texts: [String]) -> String { texts[chosen(0...(texts.count - 1))] }

  private mutating func next(_ prefix: String) -> String {
    number += 1
    return "\(prefix)\(number)"
  }

  private mutating func file(isFirst: Bool) -> String {
    let start = chosen(0...9)
    var parts: [String] = []
    if start == 0 { parts.append("-- migrator: no-transaction\n") }
    if start == 1 { parts.append("PRAGMA foreign_keys = OFF;") }
    if start == 2 { parts.append("-- migrator: foreign-keys immediate\n") }
    if isFirst { parts += [createTable(), insert(), createTable(), insert()] }
    for _ in 0..<chosen(1...4) { parts.append(part(isInTransaction: start != 0)) }
    return parts.joined(separator: "\n") + "\n"
  }

  private mutating func part(isInTransaction: Bool) -> String {
    switch chosen(0...19) {
    case 0: createTable()
    case 1, 2: insert()
    case 3: changeRows()
    case 4: addColumn()
    case 5: rename()
    case 6: rebuild()
    case 7: rebuildByRenaming()
    case 8, 9, 10: pragma(isInTransaction: isInTransaction)
    case 11, 12: temporary()
    case 13: isInTransaction ? insert() : attached()
    case 14, 15: functions()
    case 16: object()
    case 17: tableOfQuery()
    case 18: readHistory()
    default: chosen(0...3) == 0 ? varyingRows() : changeRows()
    }
  }

  // MARK: Tables and rows

  private mutating func createTable() -> String {
    let parent = tables.isEmpty || chosen(0...1) == 0 ? nil : oneOf(tables.map(\.name))
    let name = next("t")
    tables.append(Table(name: name))
    return "CREATE TABLE \(name) (id INTEGER PRIMARY KEY, a TEXT, b INTEGER CHECK (b <> 7)"
      + (parent.map { ", p INTEGER REFERENCES \($0) (id) ON DELETE CASCADE" } ?? "") + ");"
  }

  private mutating func table() -> Table { tables[chosen(0...(tables.count - 1))] }

  private mutating func insert() -> String {
    let table = table()
    let column = oneOf(table.columns)
    if chosen(0...3) == 0 {
      let source = self.table()
      return "INSERT INTO \(table.name) (\(column)) SELECT \(oneOf(source.columns)) FROM \(source.name);"
    }
    return "INSERT INTO \(table.name) (\(column)) VALUES ('x'), (\(chosen(1...9))), ('X');"
  }

  private mutating func changeRows() -> String {
    let table = table()
    let column = oneOf(table.columns)
    return oneOf([
      "UPDATE \(table.name) SET \(column) = \(column) || 'x' WHERE id > \(chosen(1...3));",
      "DELETE FROM \(table.name) WHERE \(column) LIKE 'x%';",
      "DELETE FROM \(table.name) WHERE id IN (SELECT id FROM \(table.name) LIMIT 1);",
    ])
  }

  private mutating func addColumn() -> String {
    let index = chosen(0...(tables.count - 1))
    let name = next("c")
    tables[index].columns.append(name)
    return "ALTER TABLE \(tables[index].name) ADD COLUMN \(name) DEFAULT 5;"
  }

  private mutating func rename() -> String {
    let index = chosen(0...(tables.count - 1))
    if renamesColumns, chosen(0...1) == 0, tables[index].columns.count > 2 {
      let (old, new) = (tables[index].columns.removeLast(), next("c"))
      tables[index].columns.append(new)
      return "ALTER TABLE \(tables[index].name) RENAME COLUMN \(old) TO \(new);"
    }
    let (old, new) = (tables[index].name, next("t"))
    tables[index].name = new
    return "ALTER TABLE \(old) RENAME TO \(new);"
  }

  private mutating func rebuild() -> String {
    let table = table()
    let columns = table.columns.joined(separator: ", ")
    return "CREATE TABLE copy (id INTEGER PRIMARY KEY, \(columns));\n"
      + "INSERT INTO copy (id, \(columns)) SELECT id, \(columns) FROM \(table.name);\n"
      + "DROP TABLE \(table.name);\nALTER TABLE copy RENAME TO \(table.name);"
  }

  private mutating func rebuildByRenaming() -> String {
    let table = table()
    let columns = table.columns.joined(separator: ", ")
    return oneOf(["", "PRAGMA legacy_alter_table = ON;\n"])
      + "ALTER TABLE \(table.name) RENAME TO former;\nCREATE TABLE \(table.name) (id INTEGER PRIMARY KEY, \(columns));\n"
      + "INSERT INTO \(table.name) (id, \(columns)) SELECT id, \(columns) FROM former;\nDROP TABLE former;"
  }

  // MARK: The connection

  private mutating func pragma(isInTransaction: Bool) -> String {
    let settings = [
      "legacy_alter_table = ON", "ignore_check_constraints = ON", "case_sensitive_like = ON", "recursive_triggers = ON",
      "reverse_unordered_selects = ON", "defer_foreign_keys = ON", "foreign_keys = OFF", "cache_size = 1",
      "user_version = \(chosen(1...9))", "full_column_names = ON; PRAGMA short_column_names = OFF",
      "secure_delete = ON",
      "automatic_index = OFF", "application_id = \(chosen(1...9))", "count_changes = ON", "writable_schema = ON",
    ]
    let free = ["journal_mode = MEMORY", "synchronous = OFF", "temp_store = MEMORY", "max_page_count = 100000"]
    return "PRAGMA \(oneOf(isInTransaction ? settings : settings + free));"
  }

  private mutating func temporary() -> String {
    let table = table()
    let column = oneOf(table.columns)
    return oneOf([
      "CREATE TEMP TABLE feed AS SELECT 'fed' AS f;\nINSERT INTO \(table.name) (\(column)) SELECT f FROM feed;",
      "CREATE TEMP TABLE IF NOT EXISTS feed (f);\nINSERT INTO feed VALUES ('fed');\n"
        + "INSERT INTO \(table.name) (\(column)) SELECT f FROM feed;",
      "INSERT INTO \(table.name) (\(column)) SELECT f FROM feed;",
      "CREATE TEMP TABLE \(table.name) AS SELECT * FROM main.\(table.name);",
      "CREATE TEMP VIEW IF NOT EXISTS seen AS SELECT * FROM \(table.name);",
      "CREATE TEMP TRIGGER IF NOT EXISTS echo AFTER DELETE ON main.\(table.name) BEGIN "
        + "INSERT INTO \(table.name) (\(column)) VALUES ('echo'); END;",
    ])
  }

  private mutating func attached() -> String {
    let table = table()
    let column = oneOf(table.columns)
    return "ATTACH ':memory:' AS beside;\nCREATE TABLE beside.feed (f);\nINSERT INTO beside.feed VALUES (1), (2);\n"
      + "INSERT INTO \(table.name) (\(column)) SELECT f FROM feed;" + oneOf(["", "\nDETACH beside;"])
  }

  private mutating func functions() -> String {
    let table = table()
    let function = oneOf(["last_insert_rowid()", "changes()", "total_changes()", "last_insert_rowid() > 0"])
    return "INSERT INTO \(table.name) (\(oneOf(table.columns))) VALUES (\(function));"
  }

  private mutating func readHistory() -> String {
    let table = table()
    return "INSERT INTO \(table.name) (\(oneOf(table.columns))) SELECT count(*) FROM migrator_history;"
  }

  private mutating func varyingRows() -> String {
    varies = true
    let value = oneOf(["random()", "random() % 2", "strftime('%f', 'now')", "CURRENT_TIMESTAMP"])
    return "INSERT INTO \(table().name) (a) VALUES (\(value));"
  }

  // MARK: Other objects

  private mutating func object() -> String {
    let table = table()
    let column = oneOf(table.columns)
    return oneOf([
      "CREATE INDEX \(next("i")) ON \(table.name) (\(column));",
      "CREATE VIEW \(next("v")) AS SELECT \(column) FROM \(table.name);",
      "CREATE TRIGGER \(next("r")) AFTER UPDATE ON \(table.name) BEGIN UPDATE \(table.name) SET a = 'fired' "
        + "WHERE id = new.id + 1; END;",
      "ANALYZE;",
    ])
  }

  /// A table whose rows and column names depend on settings of the connection.
  private mutating func tableOfQuery() -> String {
    let table = table()
    return
      "CREATE TABLE \(next("q")) AS SELECT \(table.name).id, x.\(oneOf(table.columns)) LIKE 'X' FROM \(table.name), "
      + "\(table.name) AS x LIMIT 2;"
  }
}
