package import Migrator
internal import SQLSyntax

extension SQLiteConnection {
  /// Returns a closure that returns the next foreign key violation of a table of the main schema, or of all its tables,
  /// at each call, and nil after the last.
  ///
  /// SQLite's own check looks up the parent of each row. For a large table, ``ForeignKeyProbe`` first checks the
  /// distinct keys: most tables have no violations, which the probe can determine many times faster.
  package func foreignKeyViolations(
    in table: String?
  ) throws(DatabaseError) -> () throws(DatabaseError) -> ForeignKeyViolation? {
    // The schema's name is required: without it, SQLite would check a temporary table of the same name
    // (https://www.sqlite.org/pragma.html#pragma_foreign_key_check).
    let argument = table.map { "(\($0.quotedIdentifier))" } ?? ""
    let none = { () throws(DatabaseError) -> ForeignKeyViolation? in nil }
    try noticeSchemaChanges()
    // This fails before any row is read if a foreign key refers to parent columns without a unique key.
    guard let statement = try prepare("PRAGMA main.foreign_key_check\(argument)", utf8Offset: 0).statement else {
      return none
    }
    var cache: CacheEnlargement?
    if let table, try hasManyRows(table) {
      if try probeForeignKeys(of: table) == .clean { return none }
      cache = try CacheEnlargement(self)
    }
    let misread = try misreadForeignKeys(in: table)
    var hasRowIDs: [String: Bool] = [:]
    var isDone = false
    let next = { [self] () throws(DatabaseError) -> ForeignKeyViolation? in
      // Stepping a completed statement would run it again.
      guard !isDone, try statement.step() else {
        isDone = true
        statement.reset()
        cache?.end()
        return nil
      }
      let origin = statement.text(at: 0)
      if hasRowIDs[origin] == nil { hasRowIDs[origin] = try hasRowID(origin) }
      // For WITHOUT ROWID tables, old engines return a meaningless number.
      let hasRowID = hasRowIDs[origin] == true
      return ForeignKeyViolation(
        originTable: origin,
        originRowID: hasRowID && !statement.isNull(at: 1) ? statement.integer(at: 1) : nil,
        destinationTable: statement.text(at: 2), foreignKeyId: Int(statement.integer(at: 3)))
    }
    return misread.isEmpty ? next : try replacing(misread, in: next)
  }

  /// Checks a table's foreign keys by looking up only their distinct keys, and returns the answer.
  ///
  /// - Precondition: `PRAGMA foreign_key_check` can be prepared for the table.
  package func probeForeignKeys(of table: String) throws(DatabaseError) -> ForeignKeyProbe.Answer {
    try ForeignKeyProbe(self, table: table).answer()
  }

  private func hasManyRows(_ table: String) throws(DatabaseError) -> Bool {
    // If the table has few rows, SQLite's check takes less time than reading the definitions of the keys.
    do throws(DatabaseError) {
      return try integer("SELECT 1 FROM main.\(table.quotedIdentifier) LIMIT 1 OFFSET 2000") != nil
    } catch {
      // Either there is no such table, and SQLite's check finds nothing, or a virtual table's module is missing.
      guard error.condition == .statement else { throw error }
      return false
    }
  }

  /// Whether the rows of a table in the main schema have rowids.
  ///
  /// Tries to read the rowid by a name that no column hides, because `PRAGMA table_list` requires version 3.37
  /// (https://www.sqlite.org/withoutrowid.html#determining_if_an_existing_table_is_without_rowid).
  package func hasRowID(_ table: String) throws(DatabaseError) -> Bool {
    let columns = try columns(in: table, inSchema: nil) ?? []
    guard let name = SQLIdentifier.rowIDName(besides: columns.map(\.name)) else {
      return try hasPrimaryKeyIndex(table)
    }
    do throws(DatabaseError) {
      _ = try prepare("SELECT \(name) FROM main.\(table.quotedIdentifier)", utf8Offset: 0)
      return true
    } catch {
      guard error.condition == .statement else { throw error }
      return false
    }
  }

  /// Whether the index of the table's primary key has a row in `sqlite_schema`; also true for a table without such an
  /// index.
  ///
  /// The primary key of a WITHOUT ROWID table is the table itself: SQLite lists it as an index, but has no row for it
  /// in `sqlite_schema`. Version 3.15 does not list the primary key if a UNIQUE constraint has the same columns.
  private func hasPrimaryKeyIndex(_ table: String) throws(DatabaseError) -> Bool {
    let key = try indexes(on: table, inSchema: nil).first { $0.origin == .primaryKey }
    guard let name = key?.name else { return true }
    return try hasRow("SELECT 1 FROM main.sqlite_master WHERE type = 'index' AND name = \(name.quotedText)")
  }
}

/// A larger page cache for a connection, during the lifetime of this object.
///
/// A foreign key check reads one table in order and another at random. With the default cache of 2 MB, pages of the
/// first table evict pages of the second, and the check takes three times as long as with 16 MB. A cache larger than 16
/// MB does not help (https://www.sqlite.org/pragma.html#pragma_cache_size).
final class CacheEnlargement {
  private let connection: any SQLiteConnection
  private let earlier: Int64
  private var isOver = false

  init?(_ connection: any SQLiteConnection) throws(DatabaseError) {
    self.connection = connection
    let wanted: Int64 = 16 << 20
    earlier = try connection.integer("PRAGMA main.cache_size") ?? 0
    let pageSize = try connection.integer("PRAGMA main.page_size") ?? 4096
    // A positive value is a number of pages, a negative value a number of KiB.
    let current = earlier < 0 ? -earlier << 10 : earlier * pageSize
    guard current < wanted else { return nil }
    try connection.execute("PRAGMA main.cache_size = -\(wanted >> 10)")
  }

  deinit { end() }

  func end() {
    guard !isOver else { return }
    isOver = true
    // This fails only if the connection has been closed, and then its cache no longer exists.
    try? connection.execute("PRAGMA main.cache_size = \(earlier)")
  }
}
