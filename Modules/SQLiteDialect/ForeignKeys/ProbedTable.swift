internal import Migrator
internal import SQLSyntax

struct ProbedTable {
  /// The columns of the primary key in key order; empty when there is none.
  let primaryKey: [String]
  /// The name of the column that is an alias of the rowid (https://www.sqlite.org/lang_createtable.html#rowid).
  let rowIDAlias: String?
  /// The collations of the primary key's index, by column name in lower case.
  private(set) var primaryKeyCollations: [String: String] = [:]
  let hasRowID: Bool
  let hasPartialUniqueIndex: Bool

  private var affinities: [String: ColumnAffinity] = [:]

  /// The columns of the indexes that contain all rows, in lower case, each up to the first expression or collation
  /// other than BINARY.
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

    let indexes = try connection.indexes(on: table, inSchema: nil)
    hasPartialUniqueIndex = indexes.contains { $0.isPartial && $0.isUnique }
    // An alias of the rowid needs no index. INTEGER PRIMARY KEY DESC is not an alias, and has an index.
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

  /// Returns the affinity of a column; nil for a column that does not exist or has a type that does not determine its
  /// affinity.
  func affinity(of column: String) -> ColumnAffinity? { affinities[column.asciiLowercased] }

  /// Whether an index of all rows begins with these columns, in any order.
  func hasIndex(beginningWith columns: [String]) -> Bool {
    let wanted = Set(columns.map(\.asciiLowercased))
    return indexedColumns.contains { Set($0.prefix(wanted.count)) == wanted }
  }
}

extension ColumnAffinity {
  /// Whether values of this affinity that are equal under BINARY match the same values of a parent's column.
  ///
  /// False for real parents: engines differ in when they round the integers that they compare with them.
  func keepsKeysApart(comparedAs parent: ColumnAffinity) -> Bool {
    switch parent {
    case .integer, .numeric, .blob: true
    case .text: self == .text
    case .real: false
    }
  }
}
