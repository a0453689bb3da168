internal import SQLSyntax

/// Queries of a watch, which it runs between the statements of a migration.
final class WatchReader {
  private let db: Database
  private let ledgerTable: String

  /// Whether the watch is reading, with statements that are announced to it like those of the migration.
  private(set) var isReading = false
  /// Whether the migration may be in a transaction of its own that has not written yet.
  private var mayHaveOnlyRead = false
  /// Whether the migration runs without a transaction.
  private(set) var isUnwrapped = false

  init(_ db: Database, ledgerTable: String) { (self.db, self.ledgerTable) = (db, ledgerTable) }

  /// Begins a migration in a transaction.
  func begin() { (isUnwrapped, mayHaveOnlyRead) = (false, false) }

  /// Begins the statements of a migration without a transaction.
  func beginUnwrapped() { isUnwrapped = true }

  /// Called before each statement of the migration.
  func statementWillRun() { if isUnwrapped, !db.isInsideTransaction { mayHaveOnlyRead = true } }

  /// Runs queries without announcing them to the watch.
  func reading<Value>(_ queries: () throws -> Value) rethrows -> Value {
    let isNested = isReading
    isReading = true
    defer { isReading = isNested }
    return try queries()
  }

  /// Takes the lock for writing before the watch reads for a statement that writes, once in each transaction of the file.
  ///
  /// In a transaction that begins with reading, the statement fails if another connection writes in between to a file in WAL
  /// mode (https://www.sqlite.org/rescode.html#busy_snapshot). A change that is undone keeps the lock, and leaves `changes()`
  /// as it is, which an empty DELETE would not.
  func reserveWriting() throws {
    guard mayHaveOnlyRead, db.isInsideTransaction else { return }
    let savepoint = "migrator_lock"
    try reading {
      try db.connection.beginSavepoint(savepoint)
      do throws(DatabaseError) {
        try db.connection.setUserVersion(0)
        mayHaveOnlyRead = false
      } catch {
        // The file may have set query_only.
        guard error.condition == .readOnly else { throw error }
      }
      try db.connection.rollbackSavepoint(savepoint)
    }
  }

  /// Returns the tables that are not the migrator's, by name in ASCII lowercase.
  func tables() throws -> [String: SchemaObject] {
    Dictionary(try db.userTables(leavingOut: ledgerTable).map { ($0.name.asciiLowercased, $0) }) { first, _ in first }
  }

  /// Returns the number of rows that a table has under its current name, in ASCII lowercase; nil if they cannot be counted.
  func rowCount(of table: SchemaObject, named name: String) throws -> Int? {
    let current = SchemaObject(
      kind: .table, name: name == table.name.asciiLowercased ? table.name : name, tableName: name, sql: nil,
      isVirtual: table.isVirtual)
    return try reading { try db.rowCount(of: current) }
  }

  /// Returns a count of the values of a table of the main schema.
  func values(_ table: String) -> ValueCount { ValueCount(db, ValueKeeper.Table(table, isTemporary: false)) }
}
