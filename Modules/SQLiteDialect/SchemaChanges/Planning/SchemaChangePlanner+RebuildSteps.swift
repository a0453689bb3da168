internal import Migrator

extension SchemaChangePlanner {
  /// Makes a step in the text of the table that is going to be created anew.
  mutating func edit(_ alteration: TableAlterationDescription) throws(DatabaseError) {
    guard let rebuild = pending else { return }
    let (table, text) = (rebuild.table.object.name, rebuild.text)
    switch alteration {
    case .addColumn(let column):
      if column.generated != nil { try requireGeneratedColumns(for: column.name, of: table) }
      try replaceText(text.adding(column: SQLSpelling.trimmed(column.sql)), alteration)
      if let index = indexDefinition(of: column, on: table) { pending?.indexes.append(index) }
    case .addColumnSQL(let sql): try replaceText(text.adding(column: SQLSpelling.trimmed(sql)), alteration)
    case .dropColumn(let name): try drop(name, in: rebuild)
    case .changeColumn(let name, let change): try self.change(name, change)
    case .addConstraint(let constraint): try replaceText(text.adding(constraint), alteration)
    case .dropConstraint(let constraint):
      guard let sql = text.dropping(constraint) else {
        throw refusal(
          "\"\(table)\" has no \(constraint.description)", remedy: "Check the definition that is stored.",
          condition: .statement)
      }
      try replaceText(sql, alteration)
    case .setPrimaryKey(let key):
      if key == nil, text.table.isWithoutRowID {
        throw refusal(
          "\"\(table)\" is kept by its primary key, and cannot be without one",
          remedy: "Recreate it without the option `.withoutRowID`.")
      }
      try replaceText(text.settingPrimaryKey(key), alteration)
    case .reorderColumns(let names): try reorder(names, in: rebuild)
    case .renameColumn, .verifyRows: break
    }
  }

  private mutating func change(_ name: String, _ change: ColumnChange) throws(DatabaseError) {
    let folded = name.asciiLowercased
    for property in change.properties {
      guard let text = pending?.text, text.column(named: folded) != nil, let sql = text.changing(folded, property)
      else { throw noColumn(name) }
      try replaceText(sql, .changeColumn(name: name, ColumnChange([property])))
      // Values are converted as they are inserted.
      if case .type = property { pending?.mapped.insert(folded) }
    }
    guard let copying = change.copying else { return }
    guard pending?.text.column(named: folded) != nil else { throw noColumn(name) }
    pending?.sources[folded] = "(\(SQLSpelling.closed(copying)))"
    pending?.mapped.insert(folded)
    pending?.copying.insert(folded)
  }

  private mutating func drop(_ name: String, in rebuild: PendingRebuild) throws(DatabaseError) {
    let folded = name.asciiLowercased
    guard let column = rebuild.text.column(named: folded) else { throw noColumn(name) }
    guard let sql = rebuild.text.dropping(column) else {
      throw refusal(
        "\"\(name)\" is the only column of \"\(rebuild.table.object.name)\"", remedy: "Drop the table instead.")
    }
    try refuseUsedColumn(name, in: rebuild.text, of: rebuild.table.object.name)
    try refuseUses(of: name, in: rebuild)
    try replaceText(sql, .dropColumn(name: name))
    pending?.sources[folded] = nil
  }

  private mutating func reorder(_ names: [String], in rebuild: PendingRebuild) throws(DatabaseError) {
    let table = rebuild.table.object.name
    let folded = names.map(\.asciiLowercased)
    guard let sql = rebuild.text.reordering(folded) else {
      throw refusal(
        "\"\(table)\" has not each of these columns once: \(names.joined(separator: ", "))",
        remedy: "Name columns that exist, each once.", condition: .statement)
    }
    try refuseUsesOfOrder(of: table)
    try replaceText(sql, .reorderColumns(names))
  }

  /// Refuses to change the order of columns while a trigger or view takes them by their places: it would mean others.
  func refuseUsesOfOrder(of table: String) throws(DatabaseError) {
    let dependents = Dependents(on: table.asciiLowercased, in: catalog)
    for dependent in dependents.viewsAndTriggers
    where PositionalUses.exist(in: dependent.source, of: dependents.affectedNames) {
      throw refusal(
        "\(dependent.object.description) takes the columns of \"\(table)\" in the order in which they stand",
        remedy: "Create the \(dependent.object.kind.rawValue) anew with the columns' names first.")
    }
  }

  private mutating func replaceText(_ sql: String, _ alteration: TableAlterationDescription) throws(DatabaseError) {
    guard let old = pending?.text.table, let text = TableText(sql), alteration.fits(from: old, to: text.table) else {
      throw refusal(
        "the definition of \"\(pending?.table.object.name ?? "")\" cannot be read any more behind this step: \(sql)",
        remedy: "Check the SQL that the step gives.", condition: .statement)
    }
    pending?.text = text
  }

  private func noColumn(_ name: String) -> DatabaseError {
    refusal(
      "no such column: \(name) in table \"\(pending?.table.object.name ?? "")\"", remedy: "Check the column's name.",
      condition: .statement)
  }
}

extension TableAlterationDescription {
  /// Whether as many columns and constraints have come and gone as the step says: SQL that is given for one part must
  /// not end it and begin another.
  fileprivate func fits(from old: SQLCreateTable, to new: SQLCreateTable) -> Bool {
    let columns = new.columns.count - old.columns.count
    let constraints = new.constraints.count - old.constraints.count
    return switch self {
    case .addColumn, .addColumnSQL: columns == 1 && constraints == 0
    case .dropColumn: columns == -1 && constraints == 0
    case .addConstraint: columns == 0 && constraints == 1
    case .dropConstraint: columns == 0 && constraints <= 0
    case .setPrimaryKey: columns == 0
    case .changeColumn, .reorderColumns: columns == 0 && constraints == 0
    case .renameColumn, .verifyRows: true
    }
  }
}

extension DroppedConstraint {
  fileprivate var description: String {
    switch self {
    case .named(let name): "constraint named \"\(name)\""
    case .check(let sql): "CHECK (\(sql))"
    case .unique(let columns): "unique key of \(columns.joined(separator: ", "))"
    case .foreignKey(let columns): "foreign key of \(columns.joined(separator: ", "))"
    }
  }
}
