internal import SQLSyntax

/// The tables and other objects that would be lost if the database were erased.
package struct DatabaseContents: Equatable, Sendable {
  /// A table with its number of rows.
  package struct Table: Equatable, Sendable, Encodable {
    /// The table's name.
    package var name: String
    /// The number of rows; nil if they cannot be counted, as in a virtual table whose module is missing, or that stores
    /// no rows (https://www.sqlite.org/fts3.html#contentless_fts4_tables).
    package var rows: Int?
    /// The reason why a rebuild did not restore the table's rows; nil if it did not try to restore them.
    package var reason: String?

    /// Creates a table.
    package init(name: String, rows: Int? = nil, reason: String? = nil) {
      (self.name, self.rows, self.reason) = (name, rows, reason)
    }
  }

  /// The tables in the order of their creation, without the migrator's own tables.
  package private(set) var tables: [Table] = []
  /// The number of views and triggers.
  private(set) var otherObjects = 0

  /// Reads the contents, without the given tables, whose names are in ASCII lower case.
  package init(_ db: Database, besides ownTables: Set<String>) throws {
    for object in try db.connection.schema().objects {
      guard !ownTables.contains(object.tableName.asciiLowercased), !object.isShadow else { continue }
      switch object.kind {
      case .table: tables.append(Table(name: object.name, rows: try db.rowCount(of: object)))
      case .view, .trigger: otherObjects += 1
      case .index: break
      }
    }
  }

  /// Whether nothing would be lost.
  package var isEmpty: Bool { tables.isEmpty && otherObjects == 0 }

  /// Whether any table has rows, or rows that cannot be counted.
  package var hasRows: Bool { tables.contains { $0.rows != 0 } }

  /// The number of rows in all tables.
  package var rowCount: Int { tables.reduce(0) { $0 + ($1.rows ?? 0) } }

  /// A summary, such as "2 tables with 5 rows".
  package var summary: String { "\(counted(tables.count, "table")) with \(counted(rowCount, "row"))" }
}

extension Database {
  /// Returns the number of rows in a table; nil if this connection cannot read them, because the module of a virtual
  /// table, or a collation or function that only an app registers, is missing.
  package func rowCount(of table: SchemaObject) throws -> Int? {
    // SQLite counts in the smallest index, whose collation may be one that only an app registers.
    for hint in ["", " NOT INDEXED"] {
      do {
        return try Int.fetchOne(self, sql: "SELECT count(*) FROM main.\(table.name.quotedIdentifier)\(hint)")
      } catch let error as DatabaseError
        where error.condition == .statement || table.isVirtual && !error.concernsEverything
      {}
    }
    return nil
  }
}

extension BackupFolder {
  /// The number of backups that are retained if no policy says otherwise.
  package static let keptCount = 3

  /// Backs up a database that is about to be erased, or whose rows are watched, within a write transaction that has changed
  /// nothing, and removes outdated backups.
  ///
  /// Also retains the backups that alone contain rows or values that were not restored, which are write-protected, and an
  /// older one if it has more rows than any of the newest: several rebuilds of an empty database must not remove the last
  /// backup of the user's rows.
  ///
  /// - Parameters:
  ///   - moment: The time of the backup, in the ledger's format.
  ///   - contents: The contents of the database, as read in the same transaction, without `ownTables`.
  ///   - sparing: The name of a backup that is never removed, because its rows have not been restored yet; nil for none.
  /// - Throws: ``DatabaseError``. No incomplete backup remains.
  package func makeBackup(
    of db: Database, at moment: String, _ contents: DatabaseContents, besides ownTables: Set<String>,
    keeping count: Int = keptCount, sparing: String?
  ) throws -> (path: String, sizeInBytes: Int64) {
    let backup = try makeBackup(of: db, at: moment) { copy in
      guard try DatabaseContents(copy, besides: ownTables) == contents else {
        throw db.context.error(.inputOutput, "the copy differs from the database", remedy: "Try again.")
      }
    }
    // Nil if the backup cannot be read, perhaps because it has a different key: it is then retained.
    let rowCount = { (name: String) in
      try? db.readBackup(at: "\(path)/\(name)") { try DatabaseContents($0, besides: ownTables).rowCount }
    }
    var best = contents.rowCount
    var others = backups.suffix(count).dropLast()
    // A borrowed connection cannot open other files.
    let canRead = db.canReadBackups
    removeOutdated(keeping: count) { name in
      guard name != sparing, canRead else { return name == sparing }
      guard let rows = rowCount(name) else { return true }
      while rows > best, let other = others.popLast() { best = max(best, rowCount(other) ?? 0) }
      return rows > best
    }
    return backup
  }
}
