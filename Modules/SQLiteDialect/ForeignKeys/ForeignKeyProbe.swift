internal import Migrator
internal import SQLSyntax

/// Looks for violations of a table's foreign keys by its distinct keys, in the order of an index of the table.
///
/// Each key is looked up once rather than once a row, and in order. An answer is given only where it is surely the one of
/// `PRAGMA foreign_key_check` (https://www.sqlite.org/foreignkeys.html#fk_indexes, `sqlite3FkLocateIndex`):
///
/// - A parent's value is compared with the affinity and collation of the parent's column, and the child's have no say: the
///   unary plus strips the child's affinity (https://www.sqlite.org/datatype3.html#affinity_of_operands). A key that names
///   its columns uses the columns' collations, one that does not uses those of the primary key.
/// - Child keys count as the same when they are equal under BINARY; the same parents must then be equal to both. That fails
///   for 1 and 1.0 where the parent's affinity makes the texts '1' and '1.0' of them.
/// - A key with a NULL refers to nothing. Where the parent does not exist, all other keys are violations.
package struct ForeignKeyProbe {
  /// What a table's keys show.
  package enum Answer: Sendable, Hashable {
    /// The table has no violation.
    case clean
    /// The table has a violation, or one of the keys that only a look at the rows can judge.
    case suspicious
    /// The keys are not of a kind that can be judged this way.
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
    // All plans first: one key that cannot be judged makes the others' answers useless.
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

  /// A comparison of all keys with all rowids of the parent; nil when the key does not refer to them.
  private func scan(_ key: ForeignKeyDescription, of child: ProbedTable) throws(DatabaseError) -> RowIDScan? {
    guard let column = key.originColumns.first, key.originColumns.count == 1, child.hasRowID,
      try isTable(key.destinationTable) == true
    else { return nil }
    let parent = try ProbedTable(key.destinationTable, connection)
    guard isReadRightly(child, parent), let alias = parent.rowIDAlias else { return nil }
    if let name = key.destinationColumns.first, name.asciiLowercased != alias.asciiLowercased { return nil }
    return try RowIDScan(connection, child: table, column: column, parent: key.destinationTable, rowID: alias)
  }

  /// A query that yields a row when a key is violated; nil when there is none that is surely right.
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
    // The smallest integer is left to the engine's own check: the real number that is equal to it is a different key
    // where the parent's rowid is referred to, for it is not converted.
  }

  /// Whether the engine's own check can be trusted to look at the right columns and rows.
  ///
  /// Version 3.15 does not: of tables without rowids it may take another column for the key, and it looks parents up in
  /// unique indexes that hold some of them only. Its answer is the one to be given all the same.
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

  /// Whether a name refers to an ordinary table, which the engine's own do not count as; nil when there is no such object.
  private func isTable(_ name: String) throws(DatabaseError) -> Bool? {
    guard !SchemaName.isReserved(name) else { return false }
    // Names are compared without regard to ASCII case, as NOCASE does.
    return try connection.integer(
      """
      SELECT type = 'table' AND coalesce(rootpage, 0) > 0 FROM main.sqlite_master
      WHERE type IN ('table', 'view') AND name = \(name.quotedText) COLLATE NOCASE
      """
    ).map { $0 != 0 }
  }
}
