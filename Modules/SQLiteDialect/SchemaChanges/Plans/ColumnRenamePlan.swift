internal import Migrator
internal import SQLSyntax

/// The plan of giving a column another name, wherever it is used.
struct ColumnRenamePlan: SchemaPlan {
  private(set) var steps: [SchemaStep] = []
  private(set) var catalog: SchemaCatalog

  private let name: String
  private let newName: String
  private let table: String
  private let dependents: Dependents
  private var connection: any SQLiteConnection { catalog.connection }

  /// Plans to rename a column.
  init(
    _ name: String, to newName: String, of table: String, _ catalog: SchemaCatalog
  ) throws(DatabaseError) {
    self.name = name
    self.newName = newName
    self.table = table
    self.catalog = catalog
    dependents = Dependents(on: table.asciiLowercased, in: catalog)
    if let virtual = dependents.virtualTables(naming: name.asciiLowercased).first {
      // The engine itself would rename the column and leave the virtual table looking for the old name.
      throw connection.refusal(
        "\(virtual.description) reads \"\(name)\" of \"\(table)\" by that name",
        remedy: "Drop the virtual table, rename the column, and create the virtual table anew.")
    }
    guard connection.features.renamesColumns else {
      rewrite(try rewriting().edits)
      return
    }
    let rewriting = try? rewriting()
    // The engine renames a column inside a view, and not where the view is used, and fails then.
    if let rewriting, rewriting.isDerived {
      rewrite(rewriting.edits)
    } else {
      let (old, new) = (name.quotedIdentifier, newName.quotedIdentifier)
      steps.append(.statement("ALTER TABLE \(catalog.target(table)) RENAME COLUMN \(old) TO \(new)"))
      // What the engine makes of the texts matters to the steps that follow only.
      if let rewriting { self.catalog.apply(rewriting.edits) } else { self.catalog.markStale() }
    }
  }

  /// Renames the column in the stored definitions, which is what `RENAME COLUMN` does from SQLite 3.25 on.
  private mutating func rewrite(_ edits: [SchemaCatalog.Edit]) {
    let temporary = edits.filter { $0.object.isTemporary }
    let kept = edits.filter { !$0.object.isTemporary }
    steps += SchemaStep.dropping(temporary: temporary)
    steps.append(.edit(kept))
    catalog.apply(kept)
    steps += SchemaStep.creating(temporary: temporary, in: catalog)
    // Reads the schema, and fails unless the column has its new name: one that is qualified is never taken for a text.
    let (table, column) = (table.quotedIdentifier, newName.quotedIdentifier)
    steps.append(.statement("SELECT \(table).\(column) FROM \(catalog.schema.prefix).\(table) LIMIT 0"))
  }

  /// The definitions that change with the column's name, and whether one uses the column through a view or a subquery.
  ///
  /// - Throws: ``DatabaseError`` as unsupported when it is not certain what a name in one of them means.
  private func rewriting() throws(DatabaseError) -> (edits: [SchemaCatalog.Edit], isDerived: Bool) {
    let editable = try catalog.editableTable(table)
    let (folded, newFolded) = (name.asciiLowercased, newName.asciiLowercased)
    _ = try catalog.column(name, of: editable)
    if folded != newFolded, editable.text.column(named: newFolded) != nil {
      throw connection.refusal(
        "duplicate column name: \(newName) in table \"\(table)\"", remedy: "Choose another name.",
        condition: .statement)
    }
    guard !SQLIdentifier.rowIDNames.contains(newFolded) else {
      throw connection.refusal("a column named \"\(newName)\" would hide the rowid", remedy: "Choose another name.")
    }
    let renaming = ColumnRenaming(
      column: folded, newColumn: newFolded, newName: newName.quotedIdentifier, table: table.asciiLowercased)
    var edits: [SchemaCatalog.Edit] = []
    var isDerived = false
    for object in catalog.objects where object.kind == .table || object.kind == .index {
      guard !object.isTemporary, !object.isVirtual, let sql = object.sql else { continue }
      if let text = try text(of: object, sql, by: renaming) { edits.append((object, text)) }
    }
    let relations = try catalog.relations()
    for dependent in dependents.viewsAndTriggers {
      // What a name means there depends on what the other schemas hold.
      if !catalog.schema.isMain, dependent.object.isTemporary || catalog.schema.isTemporary {
        throw uncertainty(dependent.object)
      }
      guard let uses = try uses(in: dependent, by: renaming, relations) else { continue }
      edits.append((dependent.object, uses.text))
      isDerived = isDerived || uses.isDerived
    }
    return (edits, isDerived)
  }

  /// The new text of a table or index; nil where it does not use the column.
  private func text(
    of object: SchemaCatalog.Object, _ sql: String, by renaming: ColumnRenaming
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
    case .uncertain: throw uncertainty(object)
    }
  }

  /// The new text of a view or trigger; nil where it does not use the column.
  private func uses(
    in dependent: Dependents.Dependent, by renaming: ColumnRenaming, _ relations: SQLRelations
  ) throws(DatabaseError) -> (text: String, isDerived: Bool)? {
    guard let tree = try? SQLTree(dependent.source) else { throw uncertainty(dependent.object) }
    do throws(SQLUncertainName) {
      let uses = try SQLColumnResolver.uses(
        in: tree, relations: relations, table: renaming.table, column: renaming.column, newColumn: renaming.newColumn)
      guard !uses.tokens.isEmpty else { return nil }
      return (tree.source.replacing(uses.tokens, with: renaming.newName), uses.isDerived)
    } catch {
      throw uncertainty(dependent.object, at: error.token.flatMap { tree.source.token($0) })
    }
  }

  private func uncertainty(_ object: SchemaCatalog.Object, at token: SQLSource.Token? = nil) -> DatabaseError {
    let column = name.asciiLowercased
    let place = token.map { "\($0.text) at byte \($0.range.lowerBound) of " } ?? "\"\(column)\" in "
    return connection.refusal(
      "\(connection.versionText) has no RENAME COLUMN, and it is not certain whether \(place)\(object.description)"
        + " means the column \"\(column)\" that is to be renamed",
      remedy: "Drop the \(object.kind.rawValue), rename the column, and create the \(object.kind.rawValue) anew.")
  }
}
