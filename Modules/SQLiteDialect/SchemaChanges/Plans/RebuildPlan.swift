internal import Migrator
internal import SQLSyntax

/// The plan for a rebuild: a table gets a new definition and keeps its rows, rowids, indexes, triggers, AUTOINCREMENT
/// counter and statistics.
///
/// The plan follows the twelve steps that SQLite documents
/// (https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes), whose numbers are in the
/// comments. The plan differs in one point: the old table is renamed, and the new table is created under its final
/// name, so that the new table's stored text and its references to itself are exact. This is safe as long as foreign
/// keys are not enforced and renaming does not rewrite references.
struct RebuildPlan: SchemaPlan {
  private(set) var steps: [SchemaStep] = []
  private(set) var catalog: SchemaCatalog

  private let draft: TableDraft
  private var schema: SchemaName { catalog.schema }

  /// The quoted name of the table, for statements.
  private let new: String
  private let oldName: String
  private var old: String { schema.qualified(oldName) }

  init(_ draft: TableDraft) throws(DatabaseError) {
    self.draft = draft.fillingDefaults()
    catalog = draft.catalog
    let table = draft.table.object
    new = catalog.schema.qualified(table.name)
    oldName = catalog.unusedName(for: table.name)
    // Steps 1 and 2: foreign keys are not enforced, and a transaction is open. This plan throws if they are enforced.
    // The core opens the transaction, commits it and checks the foreign keys (10 to 12).
    try requirePossible()
    // Step 3: the objects that are dropped with the old table, in order of creation.
    let replaced = Set(draft.indexes.map { $0.name.asciiLowercased })
    let companions = try catalog.companions(of: table.name.asciiLowercased).filter {
      !($0.kind == .index && replaced.contains($0.name.asciiLowercased))
    }
    unqualifyOwnNames()
    // Step 7 comes before the others: rename the old table, and leave references, triggers and views unchanged.
    steps.append(.legacyAlterTable(true))
    steps.append(.statement("ALTER TABLE \(new) RENAME TO \(oldName.quotedIdentifier)"))
    // Step 4: the new table.
    steps.append(.statement(catalog.creation(draft.text.text)))
    // Step 5: copy the rows, with their rowids.
    copyRows()
    keepCounter()
    // Step 6: dropping the old table also drops its indexes and triggers, including temporary triggers. Statistics
    // remain: they are stored under the table's original name, which the rename has not changed there.
    steps.append(.statement("DROP TABLE \(old)"))
    // Step 8: create the indexes and triggers again, in order.
    let indexes = companions.filter { $0.kind == .index }
    let triggers = companions.filter { $0.kind == .trigger }
    steps += indexes.map { .statement(catalog.creation(of: $0)) }
    steps += draft.indexes.map { .statement($0.createSQL(isTemporary: false)) }
    steps += triggers.map { .statement(catalog.creation(of: $0)) }
    // Step 9: views refer to the table by its name and need no change.
    steps.append(.legacyAlterTable(nil))
    // Compare the stored schema with the planned one.
    follow(table, indexes: indexes, triggers: triggers)
    steps.append(assertion(about: [table.name] + companions.filter { !$0.isTemporary }.map(\.name)))
  }

  private func requirePossible() throws(DatabaseError) {
    let name = draft.table.object.name
    if try connection.enforcesForeignKeys() {
      throw connection.refusal(
        "\(connection.versionText) must rebuild \"\(name)\", which deletes the rows that refer to it while"
          + " foreign keys are enforced",
        remedy: "Use `foreignKeyChecks: .deferred` for the migration.")
    }
    if connection.features.renamesTablesInTriggers, !connection.features.hasLegacyAlterTable {
      throw connection.refusal(
        "\(connection.versionText) rewrites triggers and views when a table is renamed, which cannot be switched off",
        remedy: "Use an engine with SQLite 3.26 or newer.")
    }
    if !draft.keepsRowIDs,
      let virtual = catalog.objects.first(where: { $0.reads(rowIDsOf: name.asciiLowercased, in: draft.text) })
    {
      throw connection.refusal(
        "\(virtual.description) finds rows of \"\(name)\" by rowid, and a rebuild would change the rowids",
        remedy: "Drop the virtual table first, and create and fill it again afterwards.")
    }
    for text in [draft.table.text, draft.text] where !text.table.isWithoutRowID && text.rowIDName == nil {
      throw connection.refusal(
        "the columns of \"\(name)\" hide its rowids, which a rebuild would change",
        remedy: "Create a new table, copy the rows, drop the old table and rename the new one.")
    }
  }

  /// Removes the table's name where it qualifies the table's own columns: the old table is about to be renamed, but the
  /// texts of its constraints and indexes would keep the old name.
  private mutating func unqualifyOwnNames() {
    let (table, folded) = (draft.table.object, draft.table.object.name.asciiLowercased)
    let own = table.sql.flatMap { TableText.unqualified($0, table: folded) }
    let edits = (own.map { [(table, $0)] } ?? []) + catalog.unqualifiedIndexes(of: folded)
    steps.append(.edit(edits))
    catalog.apply(edits)
  }

  private mutating func copyRows() {
    var columns = draft.copied.map { ($0.name.quotedIdentifier, $0.expression) }
    // An alias of the rowid is one of the columns; without an alias, the rowid is copied in addition to them.
    if let newRowID = draft.text.rowIDName, let oldRowID = draft.table.text.rowIDName,
      draft.text.rowIDColumn.map({ draft.sources[$0] == nil }) ?? true
    {
      columns.insert((newRowID, oldRowID), at: 0)
    }
    let names = columns.map(\.0).joined(separator: ", ")
    let values = columns.map(\.1).joined(separator: ", ")
    // OR ABORT overrides the table's ON CONFLICT clauses, which could silently omit rows. If rows get new rowids,
    // assign them in stored order, not in the order of a covering index.
    let order = draft.table.text.rowOrder.map { " ORDER BY \($0)" } ?? ""
    steps.append(
      .statement(
        "INSERT OR ABORT INTO \(new)(\(names)) SELECT \(values) FROM \(old)\(order)",
        diagnoses: draft.diagnoses(old: old)))
    steps.append(
      .assertion("(SELECT count(*) FROM \(new)) = (SELECT count(*) FROM \(old))", "all rows were copied"))
  }

  /// Preserves the AUTOINCREMENT counter, so that ids of deleted rows are not reused
  /// (https://www.sqlite.org/autoinc.html).
  private mutating func keepCounter() {
    guard draft.table.text.isAutoincrement, draft.text.isAutoincrement else { return }
    let counters = "\(schema.prefix).sqlite_sequence"
    let (newText, oldText) = (draft.table.object.name.quotedText, oldName.quotedText)
    steps.append(.statement("DELETE FROM \(counters) WHERE name = \(newText)"))
    steps.append(
      .statement(
        "INSERT INTO \(counters)(name, seq) SELECT \(newText), seq FROM \(counters) WHERE name = \(oldText)"))
  }

  /// Moves the new table and its objects to the end of the catalog, since their rows in `sqlite_schema` are new.
  private mutating func follow(
    _ table: SchemaCatalog.Object, indexes: [SchemaCatalog.Object], triggers: [SchemaCatalog.Object]
  ) {
    var created = table
    created.sql = draft.text.text
    let added = draft.indexes.map { index in
      SchemaCatalog.Object(
        kind: .index, name: index.name, tableName: table.name, sql: index.createSQL(isTemporary: false),
        isTemporary: false)
    }
    catalog.moveToEnd([created] + indexes + added + triggers)
  }

  /// Returns a step that fails unless the stored objects, with the texts of tables, are exactly those in the catalog.
  private func assertion(about names: [String]) -> SchemaStep {
    let kept = catalog.objects.filter { !$0.isTemporary && $0.sql != nil }
    let expected = kept.filter { names.contains($0.name) }.map { object in
      "name = \(object.name.quotedText) AND type = '\(object.kind.rawValue)'"
        + " AND tbl_name = \(object.tableName.quotedText)"
        + (object.kind == .table ? " AND sql = \((object.sql ?? "").quotedText)" : "")
    }
    let conditions = expected.map { "EXISTS (SELECT 1 FROM \(schema.definitions) WHERE \($0))" }
    let count =
      "(SELECT count(*) FROM \(schema.definitions) WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite~_%' ESCAPE '~') = "
      + "\(kept.filter { !SchemaName.isReserved($0.name) }.count)"
    return .assertion(([count] + conditions).joined(separator: " AND "), "the schema matches the plan")
  }
}
