internal import Migrator

extension NewIndexDescription {
  /// The statement that creates the index (https://www.sqlite.org/lang_createindex.html).
  ///
  /// - Parameter isTemporary: Whether the table is a temporary one, whose indexes must say so.
  func createSQL(isTemporary: Bool) -> String {
    var words = ["CREATE"]
    if isUnique { words.append("UNIQUE") }
    words.append("INDEX")
    if ifNotExists { words.append("IF NOT EXISTS") }
    words.append(SQLSpelling.identifier(name, in: schema ?? (isTemporary ? "temp" : nil)))
    words.append("ON \(SQLSpelling.identifier(table))(\(columns.map(\.sql).joined(separator: ", ")))")
    if let condition { words.append("WHERE \(condition)") }
    return words.joined(separator: " ")
  }
}

extension NewIndexDescription.IndexedColumn {
  fileprivate var sql: String {
    switch self {
    case .column(let name): SQLSpelling.identifier(name)
    case .ordered(let column): SQLSpelling.keyColumn(column)
    case .sql(let sql): SQLSpelling.closed(sql)
    }
  }
}
