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
    let renaming = TableRenaming(
      table: table.name.asciiLowercased, newTable: newName.asciiLowercased, newName: SQLSpelling.identifier(newName))
    let dependents = catalog.objects.compactMap { Dependents.Dependent($0) }
    let usesOld = dependents.filter { renaming.isUsed(by: $0) }
    let mentionsNew = dependents.contains { $0.mentions(renaming.newTable) }
    var edits: [(object: SchemaCatalog.Object, sql: String)] = []
    // A view or trigger that refers to a table of the new name, which is gone at this moment, makes newer engines
    // refuse the renaming ("error in view ..."): they check all views and triggers. With the older behaviour they do
    // not check, and do not rewrite triggers and views either; so it is used only where none refers to the old name.
    let leavesReferences = features.hasLegacyAlterTable && mentionsNew && usesOld.isEmpty
    try setLegacyAlterTable(leavesReferences)
    if !features.renamesTablesInTriggers {
      for dependent in usesOld { edits.append((dependent.object, try rewrite(dependent, by: renaming))) }
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
    try edit(edits)
    emit(self.renaming(table.name, to: newName))
    try restoreLegacyAlterTable()
  }

  private func rewrite(
    _ dependent: Dependents.Dependent, by renaming: TableRenaming
  ) throws(DatabaseError) -> String {
    // The temporary schema is not edited: its objects are gone soon, and the application makes them.
    guard !dependent.object.isTemporary, let sql = renaming.body(of: dependent) else {
      let kind = dependent.object.kind.rawValue
      throw refusal(
        "\(engineVersion) does not rename tables in triggers and views, and it is not certain what"
          + " \"\(renaming.table)\" means in \(dependent.object.description)",
        remedy: "Drop the \(kind), rename the table, and create the \(kind) anew.")
    }
    return sql
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
