internal import SQLSyntax

/// A reader of the details in a table's definition that the engine does not report.
struct TableDescriber {
  let source: SQLSource
  let definition: SQLCreateTable

  func fill(_ table: inout TableDescription) {
    table.isStrict = definition.isStrict
    table.isWithoutRowID = definition.isWithoutRowID
    for column in definition.columns {
      for constraint in column.constraints { fill(&table, column, constraint) }
    }
    for constraint in definition.constraints {
      switch constraint.kind {
      case .primaryKey(let columns, let isAutoincrement, let onConflict):
        table.primaryKey = PrimaryKeyDescription(
          keyColumns: keyColumns(columns), onConflict: onConflict?.conflictResolution, name: constraint.name?.value,
          isAutoincrement: isAutoincrement)
      case .unique(let columns, let onConflict):
        table.uniqueKeys.append(
          TableKey(
            columns: keyColumns(columns), onConflict: onConflict?.conflictResolution, name: constraint.name?.value))
      case .check(let expression, _): table.checks.append(check(expression, constraint.name))
      case .foreignKey, .nothing: break
      }
    }
  }

  private func fill(_ table: inout TableDescription, _ column: SQLColumnSyntax, _ constraint: SQLColumnConstraint) {
    let name = column.name.value
    let place = table.columns.firstIndex { $0.name.asciiLowercased == column.name.folded }
    switch constraint.kind {
    case .primaryKey(let isDescending, let onConflict, let isAutoincrement):
      table.primaryKey = PrimaryKeyDescription(
        keyColumns: [KeyColumn(name, isDescending: isDescending)], onConflict: onConflict?.conflictResolution,
        name: constraint.name?.value, isAutoincrement: isAutoincrement)
    case .unique(let onConflict):
      table.uniqueKeys.append(
        TableKey(columns: [KeyColumn(name)], onConflict: onConflict?.conflictResolution, name: constraint.name?.value))
    case .check(let expression, _): table.checks.append(check(expression, constraint.name))
    case .notNull(let onConflict):
      guard let place else { return }
      table.columns[place].notNullConflict = onConflict?.conflictResolution
      table.columns[place].notNullName = constraint.name?.value
    case .collate(let collation): if let place { table.columns[place].collation = collation.value }
    case .generated(let expression, _):
      if let place { table.columns[place].generatedSQL = source.text(of: expression.tokens) }
    case .references, .defaultValue, .deferral, .null, .nothing: break
    }
  }

  /// Returns the foreign keys that the engine reported, completed with the names and deferral in the definition.
  ///
  /// The engine numbers a table's foreign keys from the last declared to the first.
  func completed(_ keys: [ForeignKeyDescription]) -> [ForeignKeyDescription] {
    let declared = definition.foreignKeys
    guard declared.count == keys.count else { return keys }
    return zip(keys, declared.reversed()).map { key, declaration in
      guard key.destinationTable.asciiLowercased == declaration.clause.table.folded else { return key }
      var key = key
      key.name = declaration.name?.value
      key.isDeferred = declaration.clause.isDeferrable == true && declaration.clause.isInitiallyDeferred == true
      return key
    }
  }

  private func check(_ expression: SQLExpression, _ name: SQLName?) -> NewCheckDescription {
    NewCheckDescription(source.text(of: expression.tokens), name: name?.value)
  }

  private func keyColumns(_ columns: [SQLIndexedColumn]) -> [KeyColumn] {
    columns.map { column in
      KeyColumn(
        column.column?.value ?? source.text(of: column.expression.tokens),
        collation: column.collation.map { Collation($0.value) }, isDescending: column.isDescending)
    }
  }
}

extension SQLConflictResolution {
  fileprivate var conflictResolution: ConflictResolution? { ConflictResolution(rawValue: rawValue) }
}
