internal import Migrator
internal import SQLSyntax

struct ProbedTable {
  /// The columns of the primary key, in key order; empty if there is none.
  let primaryKey: [String]
  /// The column that is an alias of the rowid, if any (https://www.sqlite.org/lang_createtable.html#rowid).
  let rowIDAlias: String?
  /// The collations of the primary key's index, by column name in lower case.
  private(set) var primaryKeyCollations: [String: String] = [:]
  let hasRowID: Bool
  let hasPartialUniqueIndex: Bool

  private var affinities: [String: ColumnAffinity] = [:]

  /// The names, in lower case, of the leading columns of each index that contains all rows.
  ///
  /// Each list ends before the first expression, and before the first column whose collation is not BINARY.
  private var indexedColumns: [[String]] = []

  init(_ table: String, _ connection: any SQLiteConnection) throws(DatabaseError) {
    let columns = try connection.columns(in: table, inSchema: nil) ?? []
    // The affinity of ANY depends on whether the table is strict (https://www.sqlite.org/stricttables.html).
    for column in columns where column.declaredType.asciiLowercased != "any" {
      affinities[column.name.asciiLowercased] = ColumnAffinity(declaredType: column.declaredType)
    }
    let keyColumns = columns.filter { $0.primaryKeyIndex > 0 }
      .sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }
    primaryKey = keyColumns.map(\.name)

    let indexes = try connection.indexes(on: table, inSchema: nil)
    hasPartialUniqueIndex = indexes.contains { $0.isPartial && $0.isUnique }
    // An alias of the rowid needs no index. INTEGER PRIMARY KEY DESC is not an alias, so it has an index.
    hasRowID = try connection.hasRowID(table)
    let isAlias = keyColumns.count == 1 && keyColumns[0].declaredType.asciiLowercased == "integer"
    let keyIndex = indexes.first { $0.origin == .primaryKey }
    rowIDAlias = isAlias && hasRowID && keyIndex == nil ? keyColumns[0].name : nil
    indexedColumns = indexes.filter { !$0.isPartial }.map { index in
      index.columns.prefix { $0.name != nil && $0.collation.asciiLowercased == "binary" }
        .compactMap { $0.name?.asciiLowercased }
    }
    for column in keyIndex?.columns ?? [] {
      if let name = column.name { primaryKeyCollations[name.asciiLowercased] = column.collation }
    }
  }

  /// Returns the affinity of a column; nil if the column does not exist, or if its type does not determine the
  /// affinity.
  func affinity(of column: String) -> ColumnAffinity? { affinities[column.asciiLowercased] }

  func hasIndex(beginningWith columns: [String]) -> Bool {
    let wanted = Set(columns.map(\.asciiLowercased))
    return indexedColumns.contains { Set($0.prefix(wanted.count)) == wanted }
  }
}

extension ColumnAffinity {
  /// Whether equal values of this affinity always refer to the same rows of a parent column with another affinity, so
  /// that one lookup per distinct value is enough.
  ///
  /// False for a parent with REAL affinity: engine versions differ in how they round integers to compare them with
  /// reals.
  func keepsKeysApart(comparedAs parent: ColumnAffinity) -> Bool {
    switch parent {
    case .integer, .numeric, .blob: true
    case .text: self == .text
    case .real: false
    }
  }
}
