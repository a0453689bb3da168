internal import Migrator

extension SchemaChangePlanner {
  /// Gives a column another name, wherever it is used.
  mutating func renameColumn(_ name: String, to newName: String, of table: String) throws(DatabaseError) {
    let dependents = Dependents(on: table.asciiLowercased, in: catalog)
    if let virtual = dependents.virtualTables(naming: name.asciiLowercased).first {
      // The engine itself would rename the column and leave the virtual table looking for the old name.
      throw refusal(
        "\(virtual.description) reads \"\(name)\" of \"\(table)\" by that name",
        remedy: "Drop the virtual table, rename the column, and create the virtual table anew.")
    }
    guard features.renamesColumns else {
      return try rewriteColumn(try renaming(of: name, to: newName, in: table, dependents))
    }
    let renaming = try? renaming(of: name, to: newName, in: table, dependents)
    // The engine renames a column inside a view, and not where the view is used, and fails then.
    if let renaming, renaming.isDerived { return try rewriteColumn(renaming) }
    emit(
      "ALTER TABLE \(target(table)) RENAME COLUMN \(SQLSpelling.identifier(name))"
        + " TO \(SQLSpelling.identifier(newName))")
    // What the engine makes of the texts matters to the steps that follow only.
    guard let renaming else {
      catalog.isStale = true
      return
    }
    for (object, sql) in renaming.edits where !object.isTemporary { catalog.setSQL(sql, of: object) }
  }

  /// What becomes of the stored definitions when a column gets another name.
  private struct Renaming {
    let table: String
    let newName: String
    var edits: [Rewritten] = []
    /// Whether a definition uses the column through a view or a subquery.
    var isDerived = false
  }

  /// Renames a column in the stored definitions, which is what `RENAME COLUMN` does from SQLite 3.25 on.
  private mutating func rewriteColumn(_ renaming: Renaming) throws(DatabaseError) {
    let temporary = renaming.edits.filter { $0.object.isTemporary }
    dropTemporary(temporary)
    try edit(renaming.edits.filter { !$0.object.isTemporary })
    createTemporary(temporary)
    // Reads the schema, and fails unless the column has its new name: one that is qualified is never taken for a text.
    let (table, column) = (SQLSpelling.identifier(renaming.table), SQLSpelling.identifier(renaming.newName))
    emit("SELECT \(table).\(column) FROM \(schema.prefix).\(table) LIMIT 0")
  }

  /// The definitions that change when a column gets another name.
  ///
  /// - Throws: ``DatabaseError`` as unsupported when it is not certain what a name in one of them means.
  private func renaming(
    of name: String, to newName: String, in table: String, _ dependents: Dependents
  ) throws(DatabaseError) -> Renaming {
    let editable = try editableTable(table)
    let (folded, newFolded) = (name.asciiLowercased, newName.asciiLowercased)
    _ = try column(name, of: editable)
    if folded != newFolded, editable.text.column(named: newFolded) != nil {
      throw refusal(
        "duplicate column name: \(newName) in table \"\(table)\"", remedy: "Choose another name.",
        condition: .statement)
    }
    guard !["rowid", "oid", "_rowid_"].contains(newFolded) else {
      // It would hide the row's own number (https://www.sqlite.org/lang_createtable.html#rowid).
      throw refusal("a column named \"\(newName)\" would hide the rowid", remedy: "Choose another name.")
    }
    let renaming = ColumnRenaming(
      column: folded, newColumn: newFolded, newName: SQLSpelling.identifier(newName), table: table.asciiLowercased)
    var result = Renaming(table: table, newName: newName)
    for object in catalog.objects where object.kind == .table || object.kind == .index {
      guard !object.isTemporary, !object.isVirtual, let sql = object.sql else { continue }
      if let text = try rewrite(object, sql, by: renaming) { result.edits.append((object, text)) }
    }
    let relations = try relations()
    for dependent in dependents.viewsAndTriggers {
      // What a name means there depends on what the other schemas hold.
      if !schema.isMain, dependent.object.isTemporary || schema.isTemporary {
        throw uncertainty(dependent.object, folded)
      }
      let (text, isDerived) = try rewrite(dependent.object, by: renaming, relations)
      if let text { result.edits.append((dependent.object, text)) }
      result.isDerived = result.isDerived || isDerived
    }
    return result
  }

  private func rewrite(
    _ object: SchemaCatalog.Object, _ sql: String, by renaming: ColumnRenaming
  ) throws(DatabaseError) -> String? {
    let isAffected = object.tableName.asciiLowercased == renaming.table
    let outcome =
      switch (object.kind, isAffected) {
      case (.index, true): renaming.index(sql)
      case (.table, true): renaming.ownTable(sql)
      case (.table, false): renaming.otherTable(sql)
      default: ColumnRenaming.Outcome.unchanged
      }
    switch outcome {
    case .unchanged: return nil
    case .changed(let text): return text
    case .uncertain: throw uncertainty(object, renaming.column)
    }
  }

  private func rewrite(
    _ object: SchemaCatalog.Object, by renaming: ColumnRenaming, _ relations: SQLRelations
  ) throws(DatabaseError) -> (text: String?, isDerived: Bool) {
    guard let sql = object.sql, let syntax = try? SQLSyntax(parsing: sql) else {
      throw uncertainty(object, renaming.column)
    }
    do throws(SQLUncertainName) {
      let uses = try SQLColumnResolver.uses(
        in: syntax, relations: relations, table: renaming.table, column: renaming.column, newColumn: renaming.newColumn)
      guard !uses.tokens.isEmpty else { return (nil, false) }
      return (syntax.source.replacing(uses.tokens, with: renaming.newName), uses.isDerived)
    } catch {
      throw uncertainty(object, renaming.column, at: error.token.flatMap { syntax.source.token($0) })
    }
  }

  /// The tables and views that definitions may name.
  func relations() throws(DatabaseError) -> SQLRelations {
    var relations = SQLRelations()
    for object in catalog.objects where object.kind == .table || object.kind == .view {
      let name = object.name.asciiLowercased
      if relations.named[name] != nil {
        // Which one is meant depends on where it is named.
        relations.named[name] = .table(nil)
      } else if let text = object.sql.flatMap({ TableText($0) }) {
        relations.named[name] = .table(text.table.columns.map(\.name.folded))
      } else if object.kind == .view, let syntax = object.sql.flatMap({ try? SQLSyntax(parsing: $0) }),
        case .createView(let view) = syntax.statement
      {
        relations.named[name] = .view(view, syntax.source)
      } else {
        let columns = object.isTemporary ? nil : try? connection.columns(in: object.name, inSchema: schema.name)
        relations.named[name] = .table(columns?.map(\.name.asciiLowercased))
      }
    }
    return relations
  }

  private func uncertainty(
    _ object: SchemaCatalog.Object, _ column: String, at token: SQLSource.Token? = nil
  ) -> DatabaseError {
    let place = token.map { "\($0.text) at byte \($0.range.lowerBound) of " } ?? "\"\(column)\" in "
    return refusal(
      "\(engineVersion) has no RENAME COLUMN, and it is not certain whether \(place)\(object.description)"
        + " means the column \"\(column)\" that is to be renamed",
      remedy: "Drop the \(object.kind.rawValue), rename the column, and create the \(object.kind.rawValue) anew.")
  }
}
