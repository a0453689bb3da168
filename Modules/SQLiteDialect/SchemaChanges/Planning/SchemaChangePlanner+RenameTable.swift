internal import Migrator

extension SchemaChangePlanner {
  /// Gives a table another name, also in the foreign keys, triggers and views that refer to it.
  ///
  /// What refers to the *new* name stays as it is: that is how a table that was created anew takes the place of one
  /// that was dropped (https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes).
  mutating func renameTable(_ name: String, to newName: String) throws(DatabaseError) {
    let (old, new) = (name.asciiLowercased, newName.asciiLowercased)
    guard let table = catalog.table(old), table.kind == .table, !table.isTemporary, !table.isVirtual else {
      // The engine says what is wrong, and renames temporary and virtual tables, which few things refer to.
      emit(renaming(name, to: newName))
      return
    }
    if table.name == newName { return }
    if old == new {
      // Names differ in case only: for references they are the same name, for RENAME the new one is taken.
      let between = catalog.unusedName(for: name)
      try setLegacyAlterTable(false)
      emit(renaming(name, to: between))
      emit(renaming(between, to: newName))
      try restoreLegacyAlterTable()
      return
    }
    try rename(table, to: newName)
  }

  private mutating func rename(_ table: SchemaCatalog.Object, to newName: String) throws(DatabaseError) {
    if let virtual = catalog.objects.first(where: { $0.reads(table: table.name.asciiLowercased) }) {
      // The engine itself would rename the table and leave the virtual one looking for the old name.
      throw refusal(
        "\(virtual.description) reads \"\(table.name)\" by that name",
        remedy: "Drop the virtual table, rename the table, and create the virtual table anew.")
    }
    let renaming = TableRenaming(
      table: table.name.asciiLowercased, newTable: newName.asciiLowercased, newName: SQLSpelling.identifier(newName))
    let dependents = catalog.objects.compactMap { Dependents.Dependent($0) }
    // A view or trigger that refers to a table of the new name, which is gone at this moment, makes newer engines
    // refuse the renaming ("error in view ..."): they check all views and triggers. With the older behaviour they do
    // not check, and do not rewrite triggers and views either; so it is used only where none refers to the old name.
    let leavesReferences =
      features.hasLegacyAlterTable && dependents.contains { $0.mentions(renaming.newTable) }
      && !dependents.contains { renaming.mayBeUsed(by: $0) }
    try setLegacyAlterTable(leavesReferences)
    var (edits, temporary): ([Rewritten], [Rewritten]) = ([], [])
    if !features.renamesTablesInTriggers {
      let rewritten = try rewrite(dependents, by: renaming)
      edits = rewritten.filter { !$0.object.isTemporary }
      temporary = rewritten.filter { $0.object.isTemporary }
    }
    // Foreign keys are rewritten by the engine while they are enforced, and by newer engines always unless told not to
    // (https://www.sqlite.org/lang_altertable.html#alter_table_rename). To rewrite them all is right in either case.
    if leavesReferences || !features.renamesTablesInTriggers {
      for object in catalog.objects where object.kind == .table && !object.isTemporary && !object.isVirtual {
        let isOwn = object.name == table.name
        if let sql = object.sql.flatMap({ renaming.references(in: $0, isOwn: isOwn) }) { edits.append((object, sql)) }
      }
      edits += unqualifiedIndexes(of: renaming.table)
    }
    dropTemporary(temporary)
    try edit(edits)
    emit(self.renaming(table.name, to: newName))
    createTemporary(temporary)
    try restoreLegacyAlterTable()
  }

  /// The views and triggers that name the table, with their new texts.
  private func rewrite(
    _ dependents: [Dependents.Dependent], by renaming: TableRenaming
  ) throws(DatabaseError) -> [Rewritten] {
    var rewritten: [Rewritten] = []
    var fragileNames: Set<String> = []
    for dependent in dependents {
      do throws(SQLUncertainName) {
        let uses = try renaming.uses(in: dependent)
        fragileNames.formUnion(uses?.fragileNames ?? [])
        let text = renaming.text(of: dependent, uses)
        if text != dependent.object.sql { rewritten.append((dependent.object, text)) }
      } catch {
        throw uncertainty(dependent, renaming.table, at: error.token.flatMap { dependent.source.token($0) })
      }
    }
    // What is called by its own text has another name from now on.
    for dependent in dependents {
      if let token = dependent.source.tokens.first(where: { fragileNames.contains($0.folded) && $0.kind != .string }) {
        throw uncertainty(dependent, renaming.table, at: token)
      }
    }
    return rewritten
  }

  private func uncertainty(
    _ dependent: Dependents.Dependent, _ table: String, at token: SQLSource.Token?
  ) -> DatabaseError {
    let kind = dependent.object.kind.rawValue
    let place = token.map { "\($0.text) at byte \($0.range.lowerBound) of " } ?? "\"\(table)\" in "
    return refusal(
      "\(engineVersion) does not rename tables in triggers and views, and it is not certain whether"
        + " \(place)\(dependent.object.description) means the table \"\(table)\" that is to be renamed",
      remedy: "Drop the \(kind), rename the table, and create the \(kind) anew.")
  }

  /// The definitions of a table's indexes that qualify columns with the table's name, without that.
  func unqualifiedIndexes(of folded: String) -> [(object: SchemaCatalog.Object, sql: String)] {
    catalog.indexes(on: folded).compactMap { object in
      object.sql.flatMap { TableRenaming.unqualified($0, table: folded) }.map { (object, $0) }
    }
  }

  private func renaming(_ name: String, to newName: String) -> String {
    "ALTER TABLE \(SQLSpelling.identifier(name)) RENAME TO \(SQLSpelling.identifier(newName))"
  }
}
