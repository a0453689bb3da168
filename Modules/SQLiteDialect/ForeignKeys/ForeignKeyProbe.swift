internal import Migrator
internal import SQLSyntax

/// A search for a table's foreign key violations that looks up each distinct key once, not once per row.
///
/// The keys are read in the order of one of the table's indexes. The probe gives an answer only if the answer is
/// certain to agree with `PRAGMA foreign_key_check` (https://www.sqlite.org/foreignkeys.html#fk_indexes,
/// `sqlite3FkLocateIndex`):
///
/// - SQLite compares with the affinity and collation of the parent's column, not with those of the child's column. In
///   the queries, the unary plus removes the child's affinity
///   (https://www.sqlite.org/datatype3.html#affinity_of_operands). A foreign key that names the parent columns uses the
///   collations of those columns. A foreign key without parent column names uses the collations of the primary key's
///   index.
/// - Child keys that are equal under BINARY are looked up once, so all of them must match the same parents. The keys 1
///   and 1.0 match different parents if the parent's affinity converts them to the texts '1' and '1.0'.
/// - A key that contains NULL violates nothing. If the parent table does not exist, all other keys are violations.
package struct ForeignKeyProbe {
  /// The result of probing a table's foreign keys.
  package enum Answer: Sendable, Equatable {
    /// The table has no violation.
    case clean
    /// The table has a violation, or a key that only a check of each row can decide.
    case suspicious
    /// The probe cannot check a foreign key of this kind.
    case unknown
  }

  private let connection: any SQLiteConnection
  private let table: String

  init(_ connection: any SQLiteConnection, table: String) {
    self.connection = connection
    self.table = table
  }

  func answer() throws(DatabaseError) -> Answer {
    let child = try ProbedTable(table, connection)
    var queries: [String] = []
    var scans: [RowIDScan] = []
    // Plans all queries first: if one foreign key cannot be checked, the answers for the others are useless.
    for key in try connection.foreignKeys(on: table, inSchema: nil) {
      if let query = try query(key, of: child) {
        queries.append(query)
      } else if let scan = try scan(key, of: child) {
        scans.append(scan)
      } else {
        return .unknown
      }
    }
    for scan in scans {
      let answer = try scan.answer()
      if answer != .clean { return answer }
    }
    guard !queries.isEmpty else { return .clean }
    let cache = try CacheEnlargement(connection)
    defer { cache?.end() }
    for query in queries {
      if try connection.integer(query) != nil { return .suspicious }
    }
    return .clean
  }

  /// Returns a scan that compares all keys with all rowids of the parent; nil if the foreign key does not refer to the
  /// rowid.
  private func scan(_ key: ForeignKeyDescription, of child: ProbedTable) throws(DatabaseError) -> RowIDScan? {
    guard let column = key.originColumns.first, key.originColumns.count == 1, child.hasRowID,
      try isTable(key.destinationTable) == true
    else { return nil }
    let parent = try ProbedTable(key.destinationTable, connection)
    guard isReadRightly(child, parent), let alias = parent.rowIDAlias else { return nil }
    if let name = key.destinationColumns.first, name.asciiLowercased != alias.asciiLowercased { return nil }
    return try RowIDScan(connection, child: table, column: column, parent: key.destinationTable, rowID: alias)
  }

  /// Returns a query that yields a row if the foreign key is violated; nil if no query is certain to be correct.
  private func query(_ key: ForeignKeyDescription, of child: ProbedTable) throws(DatabaseError) -> String? {
    let rows = "FROM main.\(table.quotedIdentifier) AS c WHERE "
    let notNull = key.originColumns.map { "c.\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
    guard let isTable = try isTable(key.destinationTable) else { return "SELECT 1 \(rows)\(notNull) LIMIT 1" }
    guard isTable else { return nil }
    let parent = try ProbedTable(key.destinationTable, connection)
    guard isReadRightly(child, parent), child.hasIndex(beginningWith: key.originColumns),
      let comparisons = comparisons(key, child, parent)
    else {
      return nil
    }
    let keys = key.originColumns.enumerated().map { "c.\($1.quotedIdentifier) COLLATE BINARY AS k\($0)" }
    return """
      SELECT 1 FROM (SELECT DISTINCT \(keys.joined(separator: ", ")) \(rows)\(notNull)) AS k WHERE NOT EXISTS \
      (SELECT 1 FROM main.\(key.destinationTable.quotedIdentifier) AS p WHERE \(comparisons.joined(separator: " AND "))) \
      \(key.originColumns.count == 1 ? "OR k.k0 = (-9223372036854775807 - 1) " : "")LIMIT 1
      """
    // For the smallest integer the query always yields a row, so that the engine's own check decides: if the key refers
    // to the parent's rowid, the equal real number is a different key, because SQLite does not convert it.
  }

  /// Whether `PRAGMA foreign_key_check` reads the correct columns and rows.
  ///
  /// Version 3.15 may read a different column of a WITHOUT ROWID table as the key, and looks up parents in partial
  /// unique indexes: the probe's answer could then differ from the pragma's.
  private func isReadRightly(_ child: ProbedTable, _ parent: ProbedTable) -> Bool {
    if connection.features.checksForeignKeysRightly { return true }
    return child.hasRowID && parent.hasRowID && !parent.hasPartialUniqueIndex
  }

  private func comparisons(
    _ key: ForeignKeyDescription, _ child: ProbedTable, _ parent: ProbedTable
  ) -> [String]? {
    let names = key.destinationColumns.isEmpty ? parent.primaryKey : key.destinationColumns
    guard names.count == key.originColumns.count, !names.isEmpty else { return nil }
    var comparisons: [String] = []
    for (position, name) in names.enumerated() {
      guard let origin = child.affinity(of: key.originColumns[position]), let destination = parent.affinity(of: name),
        origin.keepsKeysApart(comparedAs: destination)
      else { return nil }
      var collation = ""
      if key.destinationColumns.isEmpty, parent.rowIDAlias == nil {
        guard let found = parent.primaryKeyCollations[name.asciiLowercased] else { return nil }
        collation = " COLLATE \(found.quotedIdentifier)"
      }
      comparisons.append("p.\(name.quotedIdentifier)\(collation) = +k.k\(position)")
    }
    return comparisons
  }

  /// Whether a name refers to an ordinary table rather than a view, a virtual table or an internal table; nil if there
  /// is no such object.
  private func isTable(_ name: String) throws(DatabaseError) -> Bool? {
    guard !SchemaName.isReserved(name) else { return false }
    // SQLite ignores the case of ASCII letters when it compares names, as NOCASE does.
    return try connection.integer(
      """
      SELECT type = 'table' AND coalesce(rootpage, 0) > 0 FROM main.sqlite_master
      WHERE type IN ('table', 'view') AND name = \(name.quotedText) COLLATE NOCASE
      """
    ).map { $0 != 0 }
  }
}
