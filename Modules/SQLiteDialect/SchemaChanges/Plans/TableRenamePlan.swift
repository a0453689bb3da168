internal import Migrator
internal import SQLSyntax

/// The plan for renaming a table, including its name in the foreign keys, triggers and views that refer to it.
///
/// References to the *new* name are unchanged, so that a recreated table can replace a table that was dropped
/// (https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes).
struct TableRenamePlan: SchemaPlan {
  private(set) var steps: [SchemaStep] = []
  private(set) var catalog: SchemaCatalog

  /// Plans to rename a table; `schema` is the schema of an attached database, or nil.
  init(
    _ name: String, in schema: String?, to newName: String, _ connection: any SQLiteConnection
  ) throws(DatabaseError) {
    if let schema {
      catalog = try SchemaCatalog(connection, SchemaName(unchecked: schema), isSchemaNamed: true)
      try refuseReaders(of: name)
      try refuseReferences(to: name)
      steps = [.legacyAlterTable(false), rename(name, to: newName), .legacyAlterTable(nil)]
      return
    }
    catalog = try SchemaCatalog(connection)
    let (old, new) = (name.asciiLowercased, newName.asciiLowercased)
    try refuseReaders(of: name)
    guard let table = catalog.table(old), table.kind == .table, !table.isTemporary else {
      // The engine reports any error here, and renames temporary tables, to which few objects refer.
      steps = [rename(name, to: newName)]
      return
    }
    if table.name == newName { return }
    if old == new {
      // For references, names that differ only in letter case are equal, but RENAME would report the new one as taken.
      let between = catalog.unusedName(for: name)
      steps = [
        .legacyAlterTable(false), rename(name, to: between), rename(between, to: newName), .legacyAlterTable(nil),
      ]
    } else {
      try rename(table, to: newName)
    }
  }

  private func rename(_ name: String, to newName: String) -> SchemaStep {
    .statement("ALTER TABLE \(catalog.target(name)) RENAME TO \(newName.quotedIdentifier)")
  }

  /// Throws if a virtual table reads the table by its name: the engine's own statement would rename the table but leave
  /// the old name in the virtual table.
  private func refuseReaders(of name: String) throws(DatabaseError) {
    guard let virtual = catalog.objects.first(where: { $0.reads(table: name.asciiLowercased) }) else { return }
    throw connection.refusal(
      "\(virtual.description) reads \"\(name)\" by that name",
      remedy: "Drop the virtual table, rename the table, and create the virtual table again.")
  }

  private mutating func rename(_ table: SchemaCatalog.Object, to newName: String) throws(DatabaseError) {
    let change = TableRename(
      table: table.name.asciiLowercased, newTable: newName.asciiLowercased, newName: newName.quotedIdentifier)
    let dependents = catalog.objects.compactMap { Dependents.Dependent($0) }
    // If a view or trigger refers to a table with the new name, which does not exist at this moment, newer engines
    // reject the rename ("error in view ..."), because they check all views and triggers. The legacy behavior does not
    // check them, but does not rewrite them either, so it is used only if none of them refers to the old name.
    let leavesReferences =
      connection.features.hasLegacyAlterTable && dependents.contains { $0.mentions(change.newTable) }
      && !dependents.contains { change.mayBeUsed(by: $0) }
    var edits: [SchemaCatalog.Edit] = []
    if !connection.features.renamesTablesInTriggers { edits = try rewrite(dependents, by: change) }
    let temporary = edits.filter { $0.object.isTemporary }
    edits.removeAll { $0.object.isTemporary }
    // The engine rewrites foreign keys while they are enforced; newer engines always do, unless legacy_alter_table is
    // on (https://www.sqlite.org/lang_altertable.html#alter_table_rename). Rewriting all of them is correct in both
    // cases.
    if leavesReferences || !connection.features.renamesTablesInTriggers {
      for object in catalog.tables {
        let isOwn = object.name == table.name
        if let sql = object.sql.flatMap({ change.references(in: $0, isOwn: isOwn) }) { edits.append((object, sql)) }
      }
      edits += catalog.unqualifiedIndexes(of: change.table)
    }
    steps.append(.legacyAlterTable(leavesReferences))
    steps += SchemaStep.dropping(temporary: temporary)
    steps.append(.edit(edits))
    steps.append(rename(table.name, to: newName))
    steps += SchemaStep.creating(temporary: temporary, in: catalog)
    steps.append(.legacyAlterTable(nil))
    catalog.markStale()
  }

  /// Returns the views and triggers that use the table, with their new texts.
  private func rewrite(
    _ dependents: [Dependents.Dependent], by change: TableRename
  ) throws(DatabaseError) -> [SchemaCatalog.Edit] {
    var rewritten: [SchemaCatalog.Edit] = []
    var fragileNames: Set<String> = []
    for dependent in dependents {
      do throws(SQLUncertainName) {
        let uses = try change.uses(in: dependent)
        fragileNames.formUnion(uses?.fragileNames ?? [])
        let text = change.text(of: dependent, uses)
        if text != dependent.object.sql { rewritten.append((dependent.object, text)) }
      } catch {
        throw uncertainty(dependent, change.table, at: error.token.flatMap { dependent.source.token($0) })
      }
    }
    // The rename changes the names of unnamed result columns, to which another view or trigger may refer.
    for dependent in dependents {
      if let token = dependent.source.tokens.first(where: { fragileNames.contains($0.folded) && $0.kind != .string }) {
        throw uncertainty(dependent, change.table, at: token)
      }
    }
    return rewritten
  }

  private func uncertainty(
    _ dependent: Dependents.Dependent, _ table: String, at token: SQLSource.Token?
  ) -> DatabaseError {
    let kind = dependent.object.kind.rawValue
    let place = token.map { "\($0.text) at byte \($0.range.lowerBound) of " } ?? "\"\(table)\" in "
    return connection.refusal(
      "\(connection.versionText) does not rename tables in triggers and views, and it is uncertain whether"
        + " \(place)\(dependent.object.description) refers to the table \"\(table)\" to rename",
      remedy: "Drop the \(kind), rename the table, and create the \(kind) again.")
  }

  /// Throws if references to a table of an attached database would not be updated: with older engines, the migrator
  /// itself must rewrite stored definitions, which is safe only in the main schema.
  private func refuseReferences(to name: String) throws(DatabaseError) {
    guard !connection.features.renamesTablesInTriggers else { return }
    let (schema, folded) = (catalog.schema.name, name.asciiLowercased)
    let rows = try connection.rows("SELECT name, sql FROM \(schema.quotedIdentifier).sqlite_master")
    for case (.text(let other), .text(let sql)) in rows.map({ ($0[0], $0[1]) }) where other.asciiLowercased != folded {
      guard SQLSource(sql).tokens.contains(where: { $0.folded == folded }) else { continue }
      // The engine updates the definitions of the table's indexes.
      if sql.asciiLowercased.hasPrefix("create index") || sql.asciiLowercased.hasPrefix("create unique") { continue }
      throw connection.refusal(
        "\(connection.versionText) does not rename tables in triggers, views and foreign keys, and \"\(other)\" in"
          + " \"\(schema)\" refers to \"\(name)\"",
        remedy: "Open that database directly and rename the table there.")
    }
  }
}

/// The renaming of a table in stored definitions, token by token.
private struct TableRename {
  /// The old and the new name of the table, in lower case.
  let table, newTable: String
  let newName: String

  /// Returns the definition of any table with the new name in its foreign keys; nil if nothing changes.
  ///
  /// In the definition of the renamed table (`isOwn`), the old name is also removed where it qualifies columns.
  func references(in sql: String, isOwn: Bool) -> String? {
    let sources = isOwn ? TableText.unqualified(sql, table: table) ?? sql : sql
    guard let text = TableText(sources) else { return nil }
    let parents = text.table.foreignKeys.map(\.clause.table).filter { $0.folded == table }
    let renamed = text.source.replacing(parents.map(\.token), with: newName)
    return renamed == sql ? nil : renamed
  }

  /// Returns the uses of the table in a view or trigger; nil if there are none.
  ///
  /// The table on which a trigger is defined is not included, because every engine renames it.
  func uses(in dependent: Dependents.Dependent) throws(SQLUncertainName) -> SQLTableResolver.Uses? {
    guard dependent.mentions(table) else { return nil }
    guard let syntax = try? SQLTree(dependent.source) else { throw SQLUncertainName(token: nil) }
    let uses = try SQLTableResolver.uses(in: syntax, table: table, newTable: newTable)
    return uses.tokens.isEmpty ? nil : uses
  }

  /// Whether a view or trigger uses the table, or may use it because its definition cannot be resolved.
  func mayBeUsed(by dependent: Dependents.Dependent) -> Bool {
    do throws(SQLUncertainName) { return try uses(in: dependent) != nil } catch { return true }
  }

  /// Returns the text of a view or trigger with the new name at all uses of the table.
  func text(of dependent: Dependents.Dependent, _ uses: SQLTableResolver.Uses?) -> String {
    var tokens = uses?.tokens ?? []
    // The engine renames the table on which a trigger is defined, unless the trigger is dropped at that time.
    if dependent.object.isTemporary, let syntax = try? SQLTree(dependent.source),
      case .createTrigger(let trigger) = syntax.statement, trigger.table.name.folded == table
    {
      tokens.append(trigger.table.name.token)
    }
    return dependent.source.replacing(tokens, with: newName)
  }
}
