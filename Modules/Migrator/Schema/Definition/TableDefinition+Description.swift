internal import SQLSyntax

extension TableDefinition {
  typealias ParentKeyLookup = (ForeignKeyDefinition) throws -> ParentKey

  /// The table as a value.
  func description(_ lookup: ParentKeyLookup) rethrows -> NewTableDescription {
    precondition(!items.isEmpty, "A table needs at least one column.")
    var table = table
    if let primaryKey {
      var columns = primaryKey.columns
      for item in primaryKey.items { columns += try definedColumns(by: item, lookup).map { KeyColumn($0.name) } }
      table.primaryKey = TableKey(columns: columns, onConflict: primaryKey.onConflict, name: primaryKey.name)
    }
    for item in items {
      if case .sql(let sql) = item {
        table.columns.append(.sql(sql))
        continue
      }
      table.columns += try definedColumns(by: item, lookup).map { .definition($0) }
      guard case .belongsTo(let reference) = item else { continue }
      let key = try parentKey(for: reference, lookup)
      if let foreignKey = reference.tableForeignKey(for: key) { table.foreignKeys.append(foreignKey) }
      let ifNotExists = table.options.contains(.ifNotExists)
      if let index = reference.tableIndex(on: table.name, for: key, ifNotExists: ifNotExists) {
        table.indexes.append(index)
      }
    }
    let keys = table.columns.filter { $0.isPrimaryKey }.count + (table.primaryKey == nil ? 0 : 1)
    precondition(keys <= 1, "A table has one primary key: declare it once.")
    return table
  }

  private func definedColumns(by item: Item, _ lookup: ParentKeyLookup) rethrows -> [NewColumnDescription] {
    switch item {
    case .column(let column): [column.description]
    case .sql: []
    case .belongsTo(let reference): reference.columns(for: try parentKey(for: reference, lookup))
    }
  }

  private func parentKey(for reference: ForeignKeyDefinition, _ lookup: ParentKeyLookup) rethrows -> ParentKey {
    let ownName = table.name.asciiLowercased
    guard reference.candidateTables.contains(where: { $0.asciiLowercased == ownName }) else {
      return try lookup(reference)
    }
    return try ownKey(for: reference, lookup)
  }

  /// The key of the table that is being defined, which the connection does not know yet.
  private func ownKey(for reference: ForeignKeyDefinition, _ lookup: ParentKeyLookup) rethrows -> ParentKey {
    let isDeclaredByBody = primaryKey?.items.isEmpty == false
    var columns: [NewColumnDescription] = []
    for item in isDeclaredByBody ? primaryKey?.items ?? [] : items {
      switch item {
      case .column(let column): columns.append(column.description)
      case .belongsTo(let other) where isDeclaredByBody:
        precondition(other !== reference, "A primary key cannot be made of a reference to itself.")
        columns += try definedColumns(by: item, lookup)
      case .belongsTo, .sql: break
      }
    }
    if let primaryKey, !isDeclaredByBody {
      columns = primaryKey.columns.map(\.name).map { name in
        columns.first { $0.name.asciiLowercased == name.asciiLowercased } ?? NewColumnDescription(name: name)
      }
    } else if !isDeclaredByBody {
      columns = columns.filter { $0.isPrimaryKey }
    }
    precondition(
      !columns.isEmpty,
      "A table that refers to itself needs a primary key that is declared with primaryKey or autoIncrementedPrimaryKey."
    )
    return ParentKey(table: table.name, columns: columns.map { ParentKey.Column(name: $0.name, type: $0.type) })
  }
}

extension NewColumnDescription {
  /// Whether the column alone is the primary key.
  var isPrimaryKey: Bool { keys.contains { if case .primary = $0 { true } else { false } } }
}

extension TableColumn {
  fileprivate var isPrimaryKey: Bool { if case .definition(let column) = self { column.isPrimaryKey } else { false } }
}
