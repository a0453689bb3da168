internal import Migrator
internal import SQLSyntax

/// What ``ForeignKeyProbe`` must know of a table.
struct ProbedTable {
  /// The columns of the primary key in its order; empty when there is none.
  let primaryKey: [String]
  /// The name of the column that is the rowid (https://www.sqlite.org/lang_createtable.html#rowid).
  let rowIDAlias: String?
  /// The collations of the primary key's index, by the names of the columns in lower case.
  private(set) var primaryKeyCollations: [String: String] = [:]
  /// Whether its rows have rowids.
  let hasRowID: Bool
  /// Whether there is a unique index of some rows only.
  let hasPartialUniqueIndex: Bool

  private var affinities: [String: ColumnAffinity] = [:]

  /// The columns of the indexes of all rows, in lower case; an expression, and a collation other than BINARY, ends the list.
  private var indexedColumns: [[String]] = []

  init(_ table: String, _ connection: any SQLiteConnection) throws(DatabaseError) {
    let columns = try connection.columns(in: table, inSchema: nil) ?? []
    // The affinity of ANY depends on whether the table is strict (https://www.sqlite.org/stricttables.html).
    for column in columns where column.declaredType.asciiLowercased != "any" {
      affinities[column.name.asciiLowercased] = ColumnAffinity(declaredType: column.declaredType)
    }
    let keyColumns = columns.filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }
    primaryKey = keyColumns.map(\.name)

    var indexes: [(name: String, isPrimaryKey: Bool)] = []
    var hasPartialUniqueIndex = false
    // https://www.sqlite.org/pragma.html#pragma_index_list
    try connection.forEachRow("PRAGMA main.index_list(\(table.quotedIdentifier))") {
      (row: any DatabaseStatement) throws(DatabaseError) in
      if row.integer(at: 4) == 0 {
        indexes.append((row.text(at: 1), row.text(at: 3) == "pk"))
      } else if row.integer(at: 2) != 0 {
        hasPartialUniqueIndex = true
      }
    }
    self.hasPartialUniqueIndex = hasPartialUniqueIndex
    // A rowid by another name needs no index; INTEGER PRIMARY KEY DESC is no such name, and has one.
    hasRowID = try connection.hasRowID(table)
    let isAlias = keyColumns.count == 1 && keyColumns[0].declaredType.asciiLowercased == "integer"
    rowIDAlias = isAlias && hasRowID && !indexes.contains(where: \.isPrimaryKey) ? keyColumns[0].name : nil

    for index in indexes {
      let columns = try Self.columns(ofIndex: index.name, connection)
      indexedColumns.append(
        columns.prefix { $0.collation.asciiLowercased == "binary" }.compactMap(\.name))
      guard index.isPrimaryKey else { continue }
      for column in columns {
        if let name = column.name { primaryKeyCollations[name] = column.collation }
      }
    }
  }

  /// The affinity of a column; nil for a column that does not exist or whose type leaves its affinity open.
  func affinity(of column: String) -> ColumnAffinity? { affinities[column.asciiLowercased] }

  /// Whether an index gives all rows in the order of these columns, in whatever order of theirs.
  func hasIndex(beginningWith columns: [String]) -> Bool {
    let wanted = Set(columns.map(\.asciiLowercased))
    return indexedColumns.contains { Set($0.prefix(wanted.count)) == wanted }
  }

  /// The key columns of an index (https://www.sqlite.org/pragma.html#pragma_index_xinfo).
  private static func columns(
    ofIndex index: String, _ connection: any SQLiteConnection
  ) throws(DatabaseError) -> [(name: String?, collation: String)] {
    var columns: [(name: String?, collation: String)] = []
    try connection.forEachRow("PRAGMA main.index_xinfo(\(index.quotedIdentifier))") {
      (row: any DatabaseStatement) throws(DatabaseError) in
      guard row.integer(at: 5) != 0 else { return }
      let name = row.valueKind(at: 2) == .null ? nil : row.text(at: 2).asciiLowercased
      columns.append((name, name == nil ? "" : row.text(at: 4)))
    }
    return columns
  }
}

extension ColumnAffinity {
  /// Whether values of this affinity that are equal under BINARY are equal to the same values of a parent's column.
  ///
  /// Real parents are left out: engines differ in when they round the integers that they are compared with.
  func keepsKeysApart(comparedAs parent: ColumnAffinity) -> Bool {
    switch parent {
    case .integer, .numeric, .blob: true
    case .text: self == .text
    case .real: false
    }
  }
}
