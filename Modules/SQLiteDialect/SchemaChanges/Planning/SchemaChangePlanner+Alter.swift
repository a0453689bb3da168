internal import Migrator

extension SchemaChangePlanner {
  /// Makes the steps of an alteration, in their order.
  ///
  /// Where one step needs the table to be created anew, the others are made by the same rebuild as far as they can:
  /// the rows are copied once. A column is renamed between rebuilds, since other definitions change with it.
  mutating func alter(table: String, _ alterations: [TableAlterationDescription]) throws(DatabaseError) {
    // Older engines read the triggers again for that, too.
    if !features.hasLegacyAlterTable || !alterations.allSatisfy(\.addsColumn) { try refuseHidden(table) }
    var rebuilds = false
    var names = EarlierNames()
    for (place, alteration) in alterations.enumerated() where !rebuilds {
      rebuilds = try needsRebuild(table, alteration, isFirst: place == 0, names)
      if case .renameColumn(let name, let newName) = alteration { names.rename(name, to: newName) }
    }
    let verifies = alterations.contains(.verifyRows)
    for alteration in alterations {
      if case .verifyRows = alteration { continue }
      if case .renameColumn(let name, let newName) = alteration {
        try finishRebuild()
        try renameColumn(name, to: newName, of: table)
      } else if rebuilds {
        try beginRebuild(of: table, verifies: verifies)
        try edit(alteration)
      } else {
        try alterInPlace(table, alteration)
      }
    }
    try finishRebuild()
  }

  /// Makes a step by the engine's own statement.
  private mutating func alterInPlace(_ table: String, _ alteration: TableAlterationDescription) throws(DatabaseError) {
    switch alteration {
    case .addColumn(let column): try addColumn(column, to: table)
    case .addColumnSQL(let sql): try addColumn(sql: sql, to: table)
    case .dropColumn(let name): try dropColumn(name, of: table)
    case .changeColumn(let name, let change): try changeNullability(of: name, in: table, change)
    case .addConstraint(let constraint): try addConstraint(constraint, to: table)
    case .dropConstraint(let constraint): try dropConstraint(constraint, of: table)
    case .renameColumn, .setPrimaryKey, .reorderColumns, .verifyRows: break
    }
  }

  /// Whether the engine has no statement of its own for a step.
  private func needsRebuild(
    _ table: String, _ alteration: TableAlterationDescription, isFirst: Bool, _ names: EarlierNames
  ) throws(DatabaseError) -> Bool {
    switch alteration {
    case .renameColumn, .verifyRows: return false
    case .addColumn(let column):
      // Where foreign keys are enforced nothing is rebuilt, and the remedy is another one.
      guard column.isBeyondAddColumn else { return false }
      return try !connection.enforcesForeignKeys()
    case .addColumnSQL(let sql):
      guard try isBeyondAddColumn(sql, to: table) else { return false }
      return try !connection.enforcesForeignKeys()
    case .dropColumn(let name):
      guard features.dropsColumns else { return true }
      guard confusesDropColumn(names[name], of: table) else { return false }
      return try !connection.enforcesForeignKeys()
    case .setPrimaryKey, .reorderColumns: return true
    case .changeColumn(let name, let change):
      guard features.altersConstraints, change.copying == nil, change.properties.count == 1,
        case .notNull(let notNull) = change.properties[0]
      else { return true }
      guard let notNull else { return false }
      guard notNull == NewColumnDescription.NotNull() else { return true }
      return try hasNullToFill(names[name], in: table)
    case .addConstraint(.check(let check)):
      guard features.altersConstraints else { return true }
      return !isFirst || mayBeNull(check.sql, in: table)
    case .addConstraint: return true
    case .dropConstraint(.named(let name)):
      // The engine drops CHECK constraints; of which kind another one is, its text says.
      guard features.altersConstraints, let text = (try? editableTable(table))?.text else { return true }
      return !text.table.constraints.contains { constraint in
        if case .check = constraint.kind { constraint.name?.folded == name.asciiLowercased } else { false }
      }
    case .dropConstraint: return true
    }
  }

  /// Whether a CHECK constraint is NULL for a row, which counts as true; `ADD CONSTRAINT` takes it for false.
  private func mayBeNull(_ check: String, in table: String) -> Bool {
    let query =
      "SELECT 1 FROM \(schema.qualified(table)) WHERE (\(SQLSpelling.closed(check))) IS NULL LIMIT 1"
    // What cannot be asked the engine refuses by its own words.
    return (try? connection.rows(query).isEmpty) == false
  }

  /// Whether `DROP COLUMN` fails to find where the column's definition begins: it looks for the last comma before, also
  /// in comments.
  private func confusesDropColumn(_ name: String, of table: String) -> Bool {
    guard let text = (try? editableTable(table))?.text, let last = text.table.columns.last,
      last.name.folded == name.asciiLowercased, let comma = text.source.token(last.tokens.lowerBound - 1)
    else { return false }
    return text.source.bytes[comma.range.upperBound..<text.source.utf8Range(of: last.tokens).lowerBound]
      .contains(UInt8(ascii: ","))
  }

  /// Whether rows NULL in a column that has a default to put in its place.
  private func hasNullToFill(_ name: String, in table: String) throws(DatabaseError) -> Bool {
    let text = try editableTable(table).text
    guard let column = text.column(named: name.asciiLowercased), text.defaultExpression(of: column) != nil else {
      return false
    }
    let condition = "\(SQLSpelling.identifier(column.name.value)) IS NULL"
    return try !connection.rows("SELECT 1 FROM \(schema.qualified(table)) WHERE \(condition) LIMIT 1")
      .isEmpty
  }
}

/// What columns are called before the steps that rename them.
private struct EarlierNames {
  private var names: [String: String] = [:]

  subscript(name: String) -> String { names[name.asciiLowercased] ?? name }

  mutating func rename(_ name: String, to newName: String) {
    let origin = self[name]
    names[name.asciiLowercased] = nil
    names[newName.asciiLowercased] = origin
  }
}

extension TableAlterationDescription {
  /// Whether the engine makes the step without a look at triggers and views.
  fileprivate var addsColumn: Bool {
    switch self {
    case .addColumn(let column): !column.isBeyondAddColumn
    case .addColumnSQL: true
    default: false
    }
  }
}

// The engine's own statements for constraints (https://www.sqlite.org/lang_altertable.html, from version 3.53 on).
extension SchemaChangePlanner {
  private mutating func changeNullability(
    of name: String, in table: String, _ change: ColumnChange
  ) throws(DatabaseError) {
    let editable = try editableTable(table)
    let column = try column(name, of: editable)
    let sets = change.properties.first != .notNull(nil)
    // The engine would put a plain NOT NULL in the place of one with a name or a conflict clause.
    if sets, column.isNotNull { return }
    let quoted = SQLSpelling.identifier(column.name.value)
    plan.diagnoses += diagnoses(
      table: table, from: schema.qualified(table), rowID: editable.text.rowIDName,
      rules: sets ? [Rule(.notNull, "\(quoted) IS NULL", "NULL in \(quoted), which is to refuse it")] : [])
    emit(
      "ALTER TABLE \(schema.qualified(table)) ALTER COLUMN \(quoted) \(sets ? "SET" : "DROP") NOT NULL")
    try follow(editable, change.properties.first.flatMap { editable.text.changing(name.asciiLowercased, $0) })
  }

  private mutating func addConstraint(_ constraint: AddedConstraint, to table: String) throws(DatabaseError) {
    guard case .check(let check) = constraint else { return }
    let editable = try editableTable(table)
    plan.diagnoses += diagnoses(
      table: table, from: schema.qualified(table), rowID: editable.text.rowIDName,
      rules: [Rule(check: check.sql)])
    emit("ALTER TABLE \(schema.qualified(table)) ADD \(check.clause)")
    try follow(editable, editable.text.adding(constraint))
  }

  private mutating func dropConstraint(_ constraint: DroppedConstraint, of table: String) throws(DatabaseError) {
    guard case .named(let name) = constraint else { return }
    let editable = try editableTable(table)
    emit("ALTER TABLE \(schema.qualified(table)) DROP CONSTRAINT \(SQLSpelling.identifier(name))")
    try follow(editable, editable.text.dropping(constraint))
  }

  /// Keeps the catalog in step with what the engine makes of a definition.
  private mutating func follow(_ table: EditableTable, _ sql: String?) throws(DatabaseError) {
    guard let sql else {
      catalog.isStale = true
      return
    }
    catalog.setSQL(sql, of: table.object)
  }
}
