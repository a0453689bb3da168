package import Migrator
internal import SQLSyntax

extension SQLiteConnection {
  /// The violations of foreign keys in one table of the main schema, or in all of them, found one at a time.
  ///
  /// The engine's own check looks a parent up for each row. For a large table the keys alone are looked at first, see
  /// ``ForeignKeyProbe``: most tables have no violation, and that is found many times faster.
  package func foreignKeyViolations(
    in table: String?
  ) throws(DatabaseError) -> () throws(DatabaseError) -> ForeignKeyViolation? {
    // With the schema's name: without it, a temporary table of the same name would be checked instead
    // (https://www.sqlite.org/pragma.html#pragma_foreign_key_check).
    let argument = table.map { "(\($0.quotedIdentifier))" } ?? ""
    let none = { () throws(DatabaseError) -> ForeignKeyViolation? in nil }
    try noticeSchemaChanges()
    // Fails here, before any row is read, when a key refers to columns without a unique key.
    guard let statement = try prepare("PRAGMA main.foreign_key_check\(argument)", utf8Offset: 0).statement else {
      return none
    }
    var cache: CacheEnlargement?
    if let table, try hasManyRows(table) {
      if try probeForeignKeys(of: table) == .clean { return none }
      cache = try CacheEnlargement(self)
    }
    var hasRowIDs: [String: Bool] = [:]
    var isDone = false
    return { [self] () throws(DatabaseError) in
      // A statement that is done would start again.
      guard !isDone, try statement.step() else {
        isDone = true
        statement.reset()
        cache?.end()
        return nil
      }
      let origin = statement.text(at: 0)
      if hasRowIDs[origin] == nil { hasRowIDs[origin] = try hasRowID(origin) }
      // Old engines give some number for tables without rowids.
      let hasRowID = hasRowIDs[origin] == true
      return ForeignKeyViolation(
        originTable: origin,
        originRowID: hasRowID && statement.valueKind(at: 1) != .null ? statement.integer(at: 1) : nil,
        destinationTable: statement.text(at: 2), foreignKeyId: Int(statement.integer(at: 3)))
    }
  }

  /// Returns what the keys of a table alone show of its violations.
  ///
  /// - Precondition: The engine's own check of the table can be prepared: each of its keys has a unique key to refer to,
  ///   or refers to a table that does not exist.
  package func probeForeignKeys(of table: String) throws(DatabaseError) -> ForeignKeyProbe.Answer {
    try ForeignKeyProbe(self, table: table).answer()
  }

  private func hasManyRows(_ table: String) throws(DatabaseError) -> Bool {
    // Below that, the engine's check takes less time than reading the definitions of the keys.
    do throws(DatabaseError) {
      return try integer("SELECT 1 FROM main.\(table.quotedIdentifier) LIMIT 1 OFFSET 2000") != nil
    } catch {
      // No such table, for which the engine's check finds nothing; a virtual one whose module is missing.
      guard error.condition == .statement else { throw error }
      return false
    }
  }

  /// Whether the rows of a table of the main schema have rowids.
  ///
  /// Asked for by a name that no column hides, since `PRAGMA table_list`, which reports it, needs version 3.37
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

  /// Whether the primary key's index has a row in the schema, or the table has no such index.
  ///
  /// The primary key of a WITHOUT ROWID table is the table itself: it is listed as an index, and has no row. Version
  /// 3.15 does not list it where a UNIQUE constraint has the same columns.
  private func hasPrimaryKeyIndex(_ table: String) throws(DatabaseError) -> Bool {
    let key = try indexes(on: table, inSchema: nil).first { $0.origin == .primaryKey }
    guard let name = key?.name else { return true }
    return try hasRow("SELECT 1 FROM main.sqlite_master WHERE type = 'index' AND name = \(name.quotedText)")
  }
}

/// Gives a connection a larger page cache for as long as this lives.
///
///
/// A check of foreign keys reads a table in its order and another one at random: with the default cache of 2 MB the
/// second is thrown out by the first, and the check takes three times as long as with 16 MB. More does not help.
/// https://www.sqlite.org/pragma.html#pragma_cache_size
final class CacheEnlargement {
  private let connection: any SQLiteConnection
  private let earlier: Int64
  private var isOver = false

  init?(_ connection: any SQLiteConnection) throws(DatabaseError) {
    self.connection = connection
    let wanted: Int64 = 16 << 20
    earlier = try connection.integer("PRAGMA main.cache_size") ?? 0
    let pageSize = try connection.integer("PRAGMA main.page_size") ?? 4096
    // Pages when positive, KiB when negative.
    let current = earlier < 0 ? -earlier << 10 : earlier * pageSize
    guard current < wanted else { return nil }
    try connection.execute("PRAGMA main.cache_size = -\(wanted >> 10)")
  }

  deinit { end() }

  func end() {
    guard !isOver else { return }
    isOver = true
    // Fails when the connection was closed, and the cache is gone then.
    try? connection.execute("PRAGMA main.cache_size = \(earlier)")
  }
}
