internal import Migrator
internal import SQLSyntax

extension SchemaChangePlanner {
  /// Removes a column with its values.
  ///
  /// What uses the column is named, and has to go first; the rules are those of the engine's own `DROP COLUMN`
  /// (https://www.sqlite.org/lang_altertable.html#altertabdropcol).
  mutating func dropColumn(_ name: String, of table: String) throws(DatabaseError) {
    let dependents = Dependents(on: table.asciiLowercased, in: catalog)
    if let virtual = dependents.virtualTables(naming: name.asciiLowercased).first {
      throw inUse(name, of: table, by: virtual.description, remedy: "Drop the virtual table first.")
    }
    try refuseIndexedColumn(name, of: table)
    try refuseLeftUses(of: name, in: table, dependents)
    emit(
      "ALTER TABLE \(target(table)) DROP COLUMN \(SQLSpelling.identifier(name))")
    guard let editable = try? editableTable(table), let column = editable.text.column(named: name.asciiLowercased),
      let sql = editable.text.dropping(column)
    else {
      // The engine is left to say why the column cannot be dropped.
      catalog.isStale = true
      return
    }
    catalog.setSQL(sql, of: editable.object)
  }

  /// Refuses what the engine's own statement would do and leave uses of the column behind.
  ///
  /// It looks for names that mean nothing any more; a name in double quotes means a text then
  /// (https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted), and the names behind SET and in
  /// foreign keys are not looked up before they are needed. What is not certain the engine is left to judge.
  private func refuseLeftUses(of name: String, in table: String, _ dependents: Dependents) throws(DatabaseError) {
    guard let editable = try? editableTable(table), let relations = try? relations() else { return }
    try refuseUsedColumn(name, in: editable.text, of: table)
    try refuseReferredColumn(name, of: editable)
    let (column, folded) = (name.asciiLowercased, table.asciiLowercased)
    for dependent in dependents.viewsAndTriggers {
      guard let syntax = try? SQLTree(dependent.source),
        let uses = try? SQLColumnResolver.uses(
          in: syntax, relations: relations, table: folded, column: column, newColumn: column),
        !uses.tokens.isEmpty
      else { continue }
      throw inUse(
        name, of: table, by: dependent.object.description,
        remedy: "Drop the \(dependent.object.kind.rawValue) first, and create it anew afterwards.")
    }
  }

  /// Refuses to remove a column by a rebuild while something outside of the table's definition uses it.
  func refuseUses(of name: String, in rebuild: PendingRebuild) throws(DatabaseError) {
    let table = rebuild.table.object.name
    let dependents = Dependents(on: table.asciiLowercased, in: catalog)
    if let virtual = dependents.virtualTables(naming: name.asciiLowercased).first {
      throw inUse(name, of: table, by: virtual.description, remedy: "Drop the virtual table first.")
    }
    try refuseIndexedColumn(name, of: table, exceptBy: Set(rebuild.indexes.map { $0.name.asciiLowercased }))
    try refuseReferredColumn(name, of: rebuild.table)
    let relations = try relations()
    for dependent in dependents.viewsAndTriggers
    where !isIndifferent(dependent, to: name.asciiLowercased, of: table.asciiLowercased, dependents, relations) {
      throw inUse(
        name, of: table, by: dependent.object.description,
        remedy: "Drop the \(dependent.object.kind.rawValue) first, and create it anew afterwards.")
    }
  }

  /// Whether dropping a column certainly leaves a view or trigger as it is; the names are given in lower case.
  private func isIndifferent(
    _ dependent: Dependents.Dependent, to column: String, of table: String, _ dependents: Dependents,
    _ relations: SQLRelations
  ) -> Bool {
    guard !PositionalUses.exist(in: dependent.source, of: dependents.affectedNames),
      let syntax = try? SQLTree(dependent.source)
    else { return false }
    do throws(SQLUncertainName) {
      let uses = try SQLColumnResolver.uses(
        in: syntax, relations: relations, table: table, column: column, newColumn: column)
      return uses.tokens.isEmpty
    } catch { return false }
  }

  private func refuseIndexedColumn(
    _ name: String, of table: String, exceptBy replaced: Set<String> = []
  ) throws(DatabaseError) {
    for object in catalog.indexes(on: table.asciiLowercased) {
      guard !replaced.contains(object.name.asciiLowercased),
        let syntax = object.sql.flatMap({ try? SQLTree(parsing: $0) }),
        case .createIndex = syntax.statement
      else { continue }
      let uses = ColumnUses(of: name.asciiLowercased, table: table.asciiLowercased, in: syntax)
      guard uses.tokens.isEmpty, !uses.isUncertain || features.dropsColumns else {
        throw inUse(
          name, of: table, by: object.description, remedy: "Drop the index first with drop(index: \"\(object.name)\").")
      }
    }
  }

  /// Refuses to remove a column that other parts of its table's definition use.
  func refuseUsedColumn(_ name: String, in text: TableText, of table: String) throws(DatabaseError) {
    guard let column = text.column(named: name.asciiLowercased) else { return }
    let uses = ColumnUses(of: column.name.folded, in: text)
    let found = uses.own.union(uses.tokens.filter { !column.tokens.contains($0.key) }.values)
    let remedy = "Take that away by a step before, such as drop(constraint:), or recreate the table."
    for (use, text) in Self.obstacles where found.contains(use) {
      throw inUse(name, of: table, by: text, remedy: remedy)
    }
    if uses.isUncertain {
      throw inUse(name, of: table, by: "an expression of the table that can be read in two ways", remedy: remedy)
    }
  }

  private static let obstacles: [(ColumnUses.Use, String)] = [
    (.primaryKey, "the primary key"), (.unique, "a UNIQUE constraint"), (.check, "a CHECK constraint"),
    (.generated, "a generated column"), (.foreignKey, "a foreign key of several columns or of the table"),
    (.foreignKeyToItself, "a foreign key of the table to itself"),
  ]

  private func refuseReferredColumn(_ name: String, of table: EditableTable) throws(DatabaseError) {
    let renaming = ColumnRenaming(
      column: name.asciiLowercased, newColumn: name.asciiLowercased, newName: "",
      table: table.object.name.asciiLowercased)
    for object in catalog.objects where object.kind == .table && !object.isTemporary && !object.isVirtual {
      guard object.name != table.object.name, let sql = object.sql else { continue }
      if case .unchanged = renaming.otherTable(sql) { continue }
      throw inUse(
        name, of: table.object.name, by: "a foreign key of \(object.description)",
        remedy: "Create that table anew without the foreign key first.")
    }
  }

  private func inUse(_ column: String, of table: String, by user: String, remedy: String) -> DatabaseError {
    refusal("cannot drop \"\(column)\" of \"\(table)\": it is used by \(user)", remedy: remedy)
  }
}
