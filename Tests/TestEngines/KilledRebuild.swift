package import Migrator

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A rebuild of a large table, back and forth, for tests that kill it at any moment or after any statement.
package enum KilledRebuild {
  /// Creates a table with a number of rows, and its indexes, triggers and dependents.
  package static func prepare(_ db: Database, rows: Int) throws {
    try db.execute(
      sql: """
        CREATE TABLE item(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT COLLATE NOCASE, size INTEGER);
        CREATE TABLE part(item INTEGER REFERENCES item(id) ON DELETE CASCADE);
        CREATE TABLE log(x);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO item(id, name, size) SELECT i * 2, 'name ' || i, i % 7 FROM n;
        INSERT INTO part SELECT id FROM item WHERE id % 20 = 0;
        CREATE INDEX item_by_name ON item(name, size DESC);
        CREATE TRIGGER item_log AFTER DELETE ON item BEGIN INSERT INTO log VALUES (OLD.id); END;
        CREATE VIEW names AS SELECT name FROM item;
        """)
  }

  /// The schema name for a file attached by ``attach(_:besides:)``.
  package static let attachedSchema = "the other"

  /// Attaches the file beside a database's own, which uses the same key if there is one.
  package static func attach(_ db: Database, besides path: String) throws {
    try db.execute(literal: "ATTACH \(attachedPath(besides: path)) AS \(identifier: attachedSchema)")
  }

  /// Returns the path of the attached file.
  package static func attachedPath(besides path: String) -> String { "\(path)-attached" }

  /// Returns the next change of the table, in the main schema or in an attached one.
  package static func nextChange(_ db: Database, inSchema schema: String? = nil) throws -> SchemaChange {
    let isNew = try db.columns(in: "item", in: schema).first?.name == "name"
    let notNull = isNew ? nil : NewColumnDescription.NotNull()
    return .alterTable(
      name: "item",
      alterations: [
        .changeColumn(name: "size", ColumnChange([.notNull(notNull)])),
        .reorderColumns(isNew ? ["id", "name"] : ["name", "id"]),
      ], schema: schema)
  }

  /// Makes the change, and ends the process after a number of its statements, before any commit.
  package static func run(_ dbQueue: DatabaseQueue, inSchema schema: String? = nil, killedAfter count: Int?) throws {
    try dbQueue.writeWithoutTransaction { db in
      try db.withoutForeignKeys {
        let plan = try db.connection.statements(for: nextChange(db, inSchema: schema))
        try db.connection.begin(.immediate)
        for (number, sql) in (plan.statements + plan.restoring).enumerated() {
          if number == count { kill(getpid(), SIGKILL) }
          guard let statement = try db.connection.prepare(sql, utf8Offset: 0).statement else { continue }
          defer { statement.reset() }
          while try statement.step() {}
        }
        if count != nil { kill(getpid(), SIGKILL) }
        try db.connection.commit()
      }
    }
  }

  /// Returns the defect of a database after a kill; nil when it is the complete old or new one.
  package static func defect(in db: Database, rows: Int) throws -> String? {
    let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
    guard integrity == ["ok"] else { return "integrity: \(integrity)" }
    let sums = try String.fetchOne(
      db, sql: "SELECT count(*) || ' ' || sum(id) || ' ' || sum(size) || ' ' || sum(length(name)) FROM item")
    let expected = try String.fetchOne(
      db,
      sql: """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        SELECT count(*) || ' ' || sum(i * 2) || ' ' || sum(i % 7) || ' ' || sum(length('name ' || i)) FROM n
        """)
    guard sums == expected else { return "\(sums ?? "nothing") instead of \(expected ?? "nothing")" }
    let columns = try db.columns(in: "item").map { "\($0.name) \($0.isNotNull)" }
    guard columns == ["id false", "name false", "size false"] || columns == ["name false", "id false", "size true"]
    else {
      return "columns: \(columns)"
    }
    let names = try db.schema().objects.map(\.name).sorted()
    guard names == ["item", "item_by_name", "item_log", "log", "names", "part"] else { return "objects: \(names)" }
    guard try Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'item'") == rows * 2 else {
      return "the counter is lost"
    }
    guard try db.foreignKeyViolations().next() == nil else { return "orphans" }
    return nil
  }
}
