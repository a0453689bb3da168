internal import SQLSyntax

extension TableDefinition {
  typealias ParentKeyLookup = (ForeignKeyDefinition) throws -> ParentKey

  func description(_ lookup: ParentKeyLookup) rethrows -> NewTableDescription {
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

  /// Returns the primary key of the table being defined, which does not exist in the database yet.
  private func ownKey(for reference: ForeignKeyDefinition, _ lookup: ParentKeyLookup) rethrows -> ParentKey {
    let isDeclaredByBody = primaryKey?.items.isEmpty == false
    var columns: [NewColumnDescription] = []
    for item in isDeclaredByBody ? primaryKey?.items ?? [] : items {
      switch item {
      case .column(let column): columns.append(column.description)
      case .belongsTo(let other) where isDeclaredByBody:
        // A self-reference cannot be part of the key that it refers to. If the table exists, the connection knows its
        // key.
        if other === reference { return try lookup(reference) }
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
    guard !columns.isEmpty else { return .rowID(of: table.name) }
    return ParentKey(
      table: table.name, columns: columns.map { ParentKey.Column(name: $0.name, type: $0.type) })
  }
}

extension NewColumnDescription {
  var isPrimaryKey: Bool { keys.contains { if case .primary = $0 { true } else { false } } }
}
