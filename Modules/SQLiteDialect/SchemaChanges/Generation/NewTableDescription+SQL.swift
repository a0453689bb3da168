internal import Migrator

extension NewTableDescription {
  /// The statement that creates the table (https://www.sqlite.org/lang_createtable.html).
  var createSQL: String {
    var words = ["CREATE"]
    if options.contains(.temporary) { words.append("TEMPORARY") }
    words.append("TABLE")
    if options.contains(.ifNotExists) { words.append("IF NOT EXISTS") }
    words.append(SQLSpelling.identifier(name, in: schema))
    words.append("(\((columns.map(\.sql) + constraints).joined(separator: ", ")))")
    var storage: [String] = []
    if options.contains(.strict) { storage.append("STRICT") }
    if options.contains(.withoutRowID) { storage.append("WITHOUT ROWID") }
    if !storage.isEmpty { words.append(storage.joined(separator: ", ")) }
    return words.joined(separator: " ")
  }

  /// The indexes that come with the columns and the table, in the order of the columns.
  var allIndexes: [NewIndexDescription] {
    let ofColumns = columns.compactMap { column -> NewIndexDescription? in
      guard case .definition(let definition) = column else { return nil }
      return definition.indexDefinition(on: name, ifNotExists: options.contains(.ifNotExists))
    }
    return (ofColumns + indexes).map { index in
      var index = index
      index.schema = schema
      return index
    }
  }

  private var constraints: [String] {
    var constraints: [String] = []
    if let primaryKey {
      constraints.append(primaryKey.clause("PRIMARY KEY"))
    }
    constraints += uniqueKeys.map { $0.clause("UNIQUE") }
    constraints += foreignKeys.map {
      SQLSpelling.constraintName($0.name) + "FOREIGN KEY \(SQLSpelling.identifiers($0.columns)) \($0.referencesClause)"
    }
    constraints += checks.map(\.clause)
    return constraints + constraintsSQL.map(SQLSpelling.closed)
  }
}

extension TableKey {
  /// The constraint, as it stands among the table's constraints.
  func clause(_ kind: String) -> String {
    SQLSpelling.constraintName(name) + "\(kind) \(SQLSpelling.keyColumns(columns))" + onConflict.clause
  }
}

extension TableColumn {
  fileprivate var sql: String {
    switch self {
    case .definition(let definition): definition.sql
    case .sql(let sql): SQLSpelling.closed(sql)
    }
  }
}
