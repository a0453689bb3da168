internal import Migrator
internal import SQLSyntax

/// The plan for `alter(table:)`: it uses the engine's own statements where they exist, and a rebuild for the other
/// steps.
///
/// If one step requires a rebuild, the same rebuild also performs as many of the other steps as it can, so that rows
/// are copied only once. Columns are renamed between rebuilds, because a rename changes other definitions as well.
struct AlterationPlan: SchemaPlan {
  private(set) var steps: [SchemaStep] = []
  private(set) var catalog: SchemaCatalog

  private let table: String

  init(
    _ table: String, _ alterations: [TableAlterationDescription], _ catalog: SchemaCatalog
  ) throws(DatabaseError) {
    self.table = table
    self.catalog = catalog
    // Older engines also parse the triggers again when a column is added.
    if !connection.features.hasLegacyAlterTable || !alterations.allSatisfy(\.addsColumn) {
      try catalog.refuseHidden(table)
    }
    try refuseReaderOfAllColumns(alterations)
    let rebuilds = try needsRebuild(alterations)
    var draft: TableDraft?
    for alteration in alterations {
      switch alteration {
      case .renameColumn(let name, let newName):
        if let draft { append(try RebuildPlan(draft)) }
        draft = nil
        append(try ColumnRenamePlan(name, to: newName, of: table, self.catalog))
      case _ where rebuilds:
        if draft == nil { draft = TableDraft(try self.catalog.editableTable(table), self.catalog) }
        try draft?.make(alteration)
      default: try alterInPlace(alteration)
      }
    }
    if let draft { append(try RebuildPlan(draft)) }
  }

  /// Throws if the number or the order of columns changes while a virtual table takes its columns from the table: the
  /// virtual table's index stores column numbers.
  private func refuseReaderOfAllColumns(_ alterations: [TableAlterationDescription]) throws(DatabaseError) {
    guard alterations.contains(where: \.movesColumns),
      let virtual = catalog.objects.first(where: { $0.reads(allColumnsOf: table.asciiLowercased) })
    else { return }
    throw connection.refusal(
      "\(virtual.description) has the columns of \"\(table)\"",
      remedy: "Drop the virtual table, alter the table, and create the virtual table again.")
  }

  private mutating func append(_ plan: some SchemaPlan) {
    steps += plan.steps
    catalog = plan.catalog
  }

  // MARK: Steps that the engine's own statements perform

  private mutating func alterInPlace(_ alteration: TableAlterationDescription) throws(DatabaseError) {
    switch alteration {
    case .addColumn(let column): append(try ColumnAdditionPlan(column, to: table, catalog))
    case .addColumnSQL(let sql): append(ColumnAdditionPlan(sql: sql, to: table, catalog))
    case .dropColumn(let name): try dropColumn(name)
    case .changeColumn(let name, let change): try changeNullability(of: name, change)
    case .addConstraint(let constraint): try addConstraint(constraint)
    case .dropConstraint(let constraint): try dropConstraint(constraint)
    case .renameColumn, .setPrimaryKey, .reorderColumns: break
    }
  }

  // https://www.sqlite.org/lang_altertable.html#altertabdropcol
  private mutating func dropColumn(_ name: String) throws(DatabaseError) {
    let editable = try? catalog.editableTable(table)
    let column = try editable.map { editable throws(DatabaseError) in try catalog.column(name, of: editable) }
    try ColumnRemoval(of: name, from: table, catalog).refuseUses()
    steps.append(.statement("ALTER TABLE \(catalog.target(table)) DROP COLUMN \(name.quotedIdentifier)"))
    guard let editable, let column, let sql = editable.text.dropping(column) else {
      // Let the engine report why the column cannot be dropped.
      return catalog.markStale()
    }
    catalog.setSQL(sql, of: editable.object)
  }

  // The engine's own statements for constraints exist since version 3.53 (https://www.sqlite.org/lang_altertable.html).

  private mutating func changeNullability(of name: String, _ change: ColumnChange) throws(DatabaseError) {
    let editable = try catalog.editableTable(table)
    let column = try catalog.column(name, of: editable)
    let sets = change.properties.first != .notNull(nil)
    // The engine would replace a constraint with a name or an ON CONFLICT clause by a plain NOT NULL.
    if sets, column.isNotNull { return }
    let quoted = column.name.value.quotedIdentifier
    let rule = RowRule(.notNull, "\(quoted) IS NULL", "NULL in \(quoted), which becomes NOT NULL")
    // Each statement drops only one NOT NULL.
    for _ in 0..<(sets ? 1 : column.notNullCount) {
      alter("ALTER COLUMN \(quoted) \(sets ? "SET" : "DROP") NOT NULL", editable, checking: sets ? rule : nil)
    }
    catalog.setSQL(
      change.properties.first.flatMap { editable.text.changing(name.asciiLowercased, $0) }, of: editable.object)
  }

  private mutating func addConstraint(_ constraint: AddedConstraint) throws(DatabaseError) {
    guard case .check(let check) = constraint else { return }
    let editable = try catalog.editableTable(table)
    alter("ADD \(check.clause)", editable, checking: RowRule(check: check.sql))
    catalog.setSQL(editable.text.adding(constraint), of: editable.object)
  }

  private mutating func dropConstraint(_ constraint: DroppedConstraint) throws(DatabaseError) {
    guard case .named(let name) = constraint else { return }
    let editable = try catalog.editableTable(table)
    alter("DROP CONSTRAINT \(name.quotedIdentifier)", editable, checking: nil)
    catalog.setSQL(editable.text.dropping(constraint), of: editable.object)
  }

  private mutating func alter(_ clause: String, _ editable: SchemaCatalog.Table, checking rule: RowRule?) {
    let name = catalog.schema.qualified(table)
    let diagnosis = rule?.diagnosis(table: table, from: name, rowID: editable.text.rowIDName)
    steps.append(.statement("ALTER TABLE \(name) \(clause)", diagnoses: diagnosis.map { [$0] } ?? []))
  }
}

// MARK: Choosing the statements
extension AlterationPlan {
  private func needsRebuild(_ alterations: [TableAlterationDescription]) throws(DatabaseError) -> Bool {
    // The earlier names of columns, before the steps that rename them, by the names at the current step.
    var earlierNames: [String: String] = [:]
    for (place, alteration) in alterations.enumerated() {
      if case .renameColumn(let name, let newName) = alteration {
        let origin = earlierNames.removeValue(forKey: name.asciiLowercased) ?? name
        earlierNames[newName.asciiLowercased] = origin
      } else if try needsRebuild(alteration, isFirst: place == 0, { earlierNames[$0.asciiLowercased] ?? $0 }) {
        return true
      }
    }
    return false
  }

  private func needsRebuild(
    _ alteration: TableAlterationDescription, isFirst: Bool, _ earlierName: (String) -> String
  ) throws(DatabaseError) -> Bool {
    let features = connection.features
    switch alteration {
    case .renameColumn: return false
    case .addColumn(let column):
      guard column.isBeyondAddColumn else { return false }
      return try isRebuildPossible()
    case .addColumnSQL(let sql):
      guard try ColumnAdditionPlan.isBeyondAddColumn(sql, to: table, catalog) else { return false }
      return try isRebuildPossible()
    case .dropColumn(let name):
      guard connection.engine.abilities.contains(.dropColumn) else { return true }
      // Since SQLite 3.54, the engine drops no column that hides the rowid.
      let hidesRowID = SQLIdentifier.rowIDNames.contains(name.asciiLowercased)
      guard hidesRowID || confusesDropColumn(earlierName(name)) else { return false }
      return try isRebuildPossible()
    case .setPrimaryKey, .reorderColumns: return true
    case .changeColumn(let name, let change):
      guard features.altersConstraints, change.copying == nil, change.properties.count == 1,
        case .notNull(let notNull) = change.properties[0]
      else { return true }
      if confusesNotNull(earlierName(name)) { return true }
      guard let notNull else { return false }
      guard notNull == NewColumnDescription.NotNull() else { return true }
      return try hasNullToFill(earlierName(name))
    case .addConstraint(.check(let check)):
      guard features.altersConstraints else { return true }
      return isFirst ? try mayBeNull(check.sql) : true
    case .addConstraint: return true
    case .dropConstraint(.named(let name)):
      // The engine can drop one CHECK constraint by name; for any other constraint, the definition must be parsed.
      guard features.altersConstraints, let text = (try? catalog.editableTable(table))?.text else { return true }
      let folded = name.asciiLowercased
      let named = text.table.constraints.filter { $0.name?.folded == folded }
      let isOfColumn = text.table.columns.contains { $0.constraints.contains { $0.name?.folded == folded } }
      if named.count == 1, !isOfColumn, case .check = named[0].kind { return false }
      return true
    case .dropConstraint: return true
    }
  }

  /// Whether a rebuild is possible; false while foreign keys are enforced, in which case errors suggest another remedy.
  private func isRebuildPossible() throws(DatabaseError) -> Bool { try !connection.enforcesForeignKeys() }

  /// Whether a CHECK expression is NULL for some row.
  ///
  /// CHECK accepts NULL as true, but `ADD CONSTRAINT` treats NULL as false.
  private func mayBeNull(_ check: String) throws(DatabaseError) -> Bool {
    // If the query is invalid, the engine reports its own error.
    let query = "SELECT 1 FROM \(catalog.schema.qualified(table)) WHERE (\(SQLFragment.closed(check))) IS NULL LIMIT 1"
    return try DatabaseError.ifPossible { () throws(DatabaseError) in try connection.hasRow(query) } == true
  }

  /// Whether `DROP COLUMN` would fail to find the start of the column's definition, because it searches backward for a
  /// comma, even in comments.
  private func confusesDropColumn(_ name: String) -> Bool {
    guard let text = (try? catalog.editableTable(table))?.text, let last = text.table.columns.last,
      last.name.folded == name.asciiLowercased, let comma = text.source.token(last.tokens.lowerBound - 1)
    else { return false }
    return text.source.bytes[comma.range.upperBound..<text.source.utf8Range(of: last.tokens).lowerBound]
      .contains(UInt8(ascii: ","))
  }

  /// Whether `SET NOT NULL` and `DROP NOT NULL` would remove a `NOT DEFERRABLE` of the column: SQLite 3.53 takes its `NOT`
  /// for that of `NOT NULL`.
  private func confusesNotNull(_ name: String) -> Bool {
    let column = (try? catalog.editableTable(table))?.text.column(named: name.asciiLowercased)
    return column?.constraints.contains { constraint in
      if case .deferral(isDeferrable: false, _) = constraint.kind { true } else { false }
    } == true
  }

  /// Whether some row has NULL in a column whose default would replace the NULL.
  private func hasNullToFill(_ name: String) throws(DatabaseError) -> Bool {
    let text = try catalog.editableTable(table).text
    guard let column = text.column(named: name.asciiLowercased), text.defaultExpression(of: column) != nil else {
      return false
    }
    let condition = "\(column.name.value.quotedIdentifier) IS NULL"
    return try connection.hasRow("SELECT 1 FROM \(catalog.schema.qualified(table)) WHERE \(condition) LIMIT 1")
  }
}

extension TableAlterationDescription {
  fileprivate var movesColumns: Bool {
    switch self {
    case .addColumn, .addColumnSQL, .dropColumn, .reorderColumns: true
    default: false
    }
  }

  /// Whether the step adds a column, which the engine does without parsing triggers and views.
  fileprivate var addsColumn: Bool {
    switch self {
    case .addColumn(let column): !column.isBeyondAddColumn
    case .addColumnSQL: true
    default: false
    }
  }
}
