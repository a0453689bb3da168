import Foundation
import Migrator
import SQLSyntax

extension OddChange.Table {
  /// Finds the table that a definition created, or the one that its object belongs to: `t1`.
  ///
  /// Nil for a table without columns, which does not exist.
  init?(_ definition: Oddities.Definition, _ db: Database) throws {
    let created = try Row.fetchOne(
      db,
      sql: """
        SELECT name, 0 FROM sqlite_master WHERE type = 'table' AND name NOT IN ('t1', 't2', 'f1') AND name NOT LIKE 'f1@_%' ESCAPE '@'
          AND name NOT LIKE 'sqlite@_%' ESCAPE '@'
        UNION ALL SELECT name, 1 FROM sqlite_temp_master WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@'
        """)
    let isTable = !definition.template.uppercased().contains("VIRTUAL") && created != nil
    name = isTable ? try created?[0] ?? "" : "t1"
    isTemporary = isTable ? try created?[1] ?? false : false
    template = isTable ? definition.template : "CREATE TABLE t1(a, b, c)"
    let columns = try Self.columns(of: name, isTemporary: isTemporary, db)
    self.columns = try columns.map { try $0["name"] }
    guard let first = columns.first else { return nil }
    (type, isNotNull, defaultValue) = try (first["type"], first["notnull"], first["dflt_value"])
  }

  private static func columns(of name: String, isTemporary: Bool, _ db: Database) throws -> [Row] {
    let arguments = "\(isTemporary ? "temp" : "main").%(\(name.quotedIdentifier))"
    let rows = try Row.fetchAll(db, sql: "PRAGMA " + arguments.replacing("%", with: "table_xinfo"))
    // Engines without this pragma have no generated columns.
    return rows.isEmpty ? try Row.fetchAll(db, sql: "PRAGMA " + arguments.replacing("%", with: "table_info")) : rows
  }

  /// Inserts rows, and creates a view, an index and a trigger.
  func surround(_ db: Database, usesColumns: Bool) throws {
    let ordinary = try ordinaryColumns(db).map(\.quotedIdentifier).joined(separator: ", ")
    for value in ["1", "2", "'three'"] where name != "t1" {
      let values = try ordinaryColumns(db).map { _ in value }.joined(separator: ", ")
      // A constraint may reject any of them, and must not end the transaction as it does with ON CONFLICT ROLLBACK.
      try? db.execute(sql: "INSERT OR ABORT INTO \(quoted)(\(ordinary)) VALUES (\(values))")
    }
    try createSurroundings(db, usesColumns: usesColumns)
  }

  private func createSurroundings(_ db: Database, usesColumns: Bool) throws {
    let schema = isTemporary ? "temp" : "main"
    let table = name.quotedIdentifier
    try db.execute(sql: "CREATE VIEW \(schema).\"all of it\" AS SELECT * FROM \(table)")
    guard usesColumns else { return }
    let (first, last) = (first.quotedIdentifier, last.quotedIdentifier)
    try db.execute(
      sql: """
        CREATE VIEW \(schema)."a column" AS SELECT q.\(first) AS f FROM \(table) AS q WHERE q.\(first) IS NOT 'z';
        CREATE INDEX \(schema)."odd index" ON \(table)(\(last));
        CREATE TRIGGER \(schema)."odd trigger" AFTER UPDATE OF \(first) ON \(table) BEGIN SELECT new.\(last); END;
        """)
  }

  private func ordinaryColumns(_ db: Database) throws -> [String] {
    try Self.columns(of: name, isTemporary: isTemporary, db).compactMap { row in
      // Generated columns have 2 or 3 here (https://www.sqlite.org/pragma.html#pragma_table_xinfo).
      let hidden: Int? = row.columnNames.contains("hidden") ? try row["hidden"] : 0
      return hidden == 0 ? try row["name"] : nil
    }
  }

  /// Replaces the table by one with another definition, by SQL that knows nothing of this library.
  ///
  /// The order differs from the one of https://www.sqlite.org/lang_altertable.html#otheralter: the old table is dropped
  /// before the new one is created, so that nothing has to be renamed.
  ///
  /// - Parameter new: The table with its new names; nil if it has none, and keeps its views.
  func steps(_ definition: String, as new: OddChange.Table? = nil, _ db: Database) throws {
    if new != nil {
      for object in ["VIEW \"all of it\"", "VIEW \"a column\"", "INDEX \"odd index\"", "TRIGGER \"odd trigger\""] {
        try db.execute(sql: "DROP \(object)")
      }
    }
    let schema = isTemporary ? "temp" : "main"
    var objects: [String] = []
    for (master, start) in [("sqlite_master", "CREATE "), ("sqlite_temp_master", "CREATE TEMP ")] {
      objects += try String.fetchAll(
        db, sql: "SELECT sql FROM \(master) WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND tbl_name = ?",
        arguments: [name]
      ).map { sql in
        // The schema of an index is that of its table, and has no keyword.
        sql.uppercased().hasPrefix("CREATE TRIGGER") ? start + sql.dropFirst("CREATE ".count) : sql
      }
    }
    // A table WITHOUT ROWID has none of these columns.
    let rowID = ["rowid", "_rowid_", "oid"].first { rowID in
      !columns.contains { $0.lowercased() == rowID }
        && (try? Row.fetchOne(db, sql: "SELECT \(rowID) FROM \(quoted)")) != nil
    }
    let names = (rowID.map { [$0] } ?? []) + (try ordinaryColumns(db).map(\.quotedIdentifier))
    let list = names.joined(separator: ", ")
    let rows = try Row.fetchAll(db, sql: "SELECT \(list) FROM \(quoted)")
    // The table exists only if some table of the schema has an AUTOINCREMENT.
    let counter = try? DatabaseValue.fetchOne(
      db, sql: "SELECT seq FROM \(schema).sqlite_sequence WHERE name = ?", arguments: [name])
    try db.execute(sql: "DROP TABLE \(quoted)")
    try db.execute(sql: definition)
    let table = new ?? self
    let newNames = try (rowID.map { [$0] } ?? []) + table.ordinaryColumns(db).map(\.quotedIdentifier)
    // The values of a dropped column are not copied, and a renamed one has the same position.
    let copied = names.indices.filter { new != nil || newNames.contains(names[$0]) }
    let targets = copied.map { new == nil ? names[$0] : newNames[$0] }.joined(separator: ", ")
    let marks = copied.map { _ in "?" }.joined(separator: ", ")
    for row in rows {
      try db.execute(
        sql: "INSERT OR ABORT INTO \(table.quoted)(\(targets)) VALUES (\(marks))",
        arguments: StatementArguments(copied.map { row.databaseValues[$0] }))
    }
    if let counter {
      try db.execute(sql: "DELETE FROM \(schema).sqlite_sequence WHERE name = ?", arguments: [table.name])
      try db.execute(
        sql: "INSERT INTO \(schema).sqlite_sequence(name, seq) VALUES (?, ?)", arguments: [table.name, counter])
    }
    for sql in objects { try db.execute(sql: sql) }
    try new?.createSurroundings(db, usesColumns: true)
  }
}
