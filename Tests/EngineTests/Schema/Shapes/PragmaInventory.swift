import Migrator

/// All contents of a database, as the engine's own pragmas report them; it shares no code with the code under test.
struct PragmaInventory {
  /// One line for each fact, in a fixed order.
  private(set) var lines: [String] = []

  init(_ db: Database) throws {
    let version = try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? ""
    let reportsHidden = version.split(separator: ".").count > 1 && (Int(version.split(separator: ".")[1]) ?? 0) >= 26
    for (schema, master) in [("main", "sqlite_master"), ("temp", "sqlite_temp_master")] {
      for object in try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM \(master) ORDER BY type, name") {
        let (type, name): (String, String) = try (object["type"], Self.name(object["name"]))
        let sql: String? = try object["sql"]
        lines.append("\(schema) \(type) \(name) of \(try object["tbl_name"] as String): \(sql ?? "-")")
        guard type == "table", schema == "main", !name.hasPrefix("sqlite_"), sql?.contains("VIRTUAL TABLE") == false
        else {
          continue
        }
        try add(table: name, db, xinfo: reportsHidden)
      }
    }
    for table in ["sqlite_sequence", "sqlite_stat1"] where try db.holds(table) {
      let rows = try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1, 2").map {
        Array($0.databaseValues).description
      }
      lines += rows.map { "\(table): \($0)" }
    }
  }

  /// Returns an object's name, without the number in the name of a key's index, which changes with other keys.
  private static func name(_ name: String) -> String {
    guard name.hasPrefix("sqlite_autoindex_"), let end = name.lastIndex(of: "_") else { return name }
    return String(name[..<end])
  }

  private mutating func add(table: String, _ db: Database, xinfo: Bool) throws {
    let quoted = "\"" + table.replacing("\"", with: "\"\"") + "\""
    let columns = try Row.fetchAll(db, sql: "PRAGMA \(xinfo ? "table_xinfo" : "table_info")(\(quoted))")
    for column in columns {
      // Without the column's position, which changes when an earlier one is dropped.
      lines.append("column \(table).\(try column["name"] as String): \(Array(column.databaseValues).dropFirst(2))")
    }
    for key in try Row.fetchAll(db, sql: "PRAGMA foreign_key_list(\(quoted))") {
      // Without the key's number, which changes when another key is added or dropped.
      lines.append("foreign key of \(table): \(Array(key.databaseValues).dropFirst())")
    }
    for index in try Row.fetchAll(db, sql: "PRAGMA index_list(\(quoted))") {
      let name: String = try index["name"]
      // Only the key's columns: the remaining columns locate the row, and may be all other columns.
      let parts = try Row.fetchAll(db, sql: "PRAGMA index_xinfo(\"\(name.replacing("\"", with: "\"\""))\")")
        .filter { try $0["key"] == 1 }.map { "\(Array($0.databaseValues).dropFirst(2))" }
      lines.append("index \(Self.name(name)) of \(table): \(Array(index.databaseValues).dropFirst(2)) \(parts)")
    }
    let names = try columns.map { try $0["name"] as String }
    let hasRowID = (try? Row.fetchOne(db, sql: "SELECT _rowid_ FROM \(quoted)")) != nil
    for name in names {
      let column = "\"" + name.replacing("\"", with: "\"\"") + "\""
      let key = hasRowID ? "ifnull(_rowid_, '') || ' '" : "''"
      let values = try String.fetchAll(
        db, sql: "SELECT \(key) || typeof(\(column)) || quote(\(column)) FROM \(quoted) ORDER BY 1")
      lines.append("values \(table).\(name): \(values)")
    }
  }
}

extension Database {
  fileprivate func holds(_ name: String) throws -> Bool {
    try Int.fetchOne(self, sql: "SELECT count(*) FROM sqlite_master WHERE name = '\(name)'") == 1
  }
}
