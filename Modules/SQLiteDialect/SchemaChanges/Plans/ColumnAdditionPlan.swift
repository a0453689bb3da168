internal import Migrator
internal import SQLSyntax

struct ColumnAdditionPlan: SchemaPlan {
  private(set) var steps: [SchemaStep] = []
  private(set) var catalog: SchemaCatalog

  private let table: String

  init(_ column: NewColumnDescription, to table: String, _ catalog: SchemaCatalog) throws(DatabaseError) {
    self.table = table
    self.catalog = catalog
    try refuseImpossible(column)
    let obstacle = try obstacle(to: column)
    let isEmpty = obstacle == nil ? nil : try catalog.isEmpty(table)
    if let obstacle, isEmpty == false {
      throw connection.refusal(
        "cannot add \"\(column.name)\" to \"\(table)\", which has rows: \(obstacle.reason)", remedy: obstacle.remedy)
    }
    // An empty table needs no values, which newer engines take into account. For older engines, edit the stored text:
    // ADD COLUMN does nothing else.
    if isEmpty == true, !connection.features.addsAnyColumnToEmptyTables {
      let editable = try catalog.editableTable(table)
      guard editable.text.column(named: column.name.asciiLowercased) == nil else {
        throw connection.refusal(
          "duplicate column name: \(column.name)", remedy: "Choose another name.", condition: .statement)
      }
      let edits = [(editable.object, editable.text.adding(column: column.sql))]
      steps.append(.edit(edits))
      self.catalog.apply(edits)
    } else {
      add(column.sql)
    }
    if !connection.features.checksAddedColumns { steps += column.checks.map { assertRowsFulfil($0.sql) } }
    if let index = catalog.index(of: column, on: table) {
      steps.append(.statement(index.createSQL(isTemporary: false)))
    }
  }

  init(sql: String, to table: String, _ catalog: SchemaCatalog) {
    self.table = table
    self.catalog = catalog
    add(sql)
    guard !connection.features.checksAddedColumns, let (column, source) = Self.syntax(ofColumn: sql) else { return }
    for case .check(let condition, _) in column.constraints.map(\.kind) {
      steps.append(assertRowsFulfil(source.text(of: condition.tokens)))
    }
  }

  private mutating func add(_ sql: String) {
    let sql = SQLFragment.trimmed(sql)
    steps.append(.statement("ALTER TABLE \(catalog.target(table)) ADD COLUMN \(sql)"))
    guard let object = catalog.table(table.asciiLowercased), !object.isTemporary, let text = object.sql,
      let stored = TableText(text)
    else { return }
    catalog.setSQL(stored.adding(column: sql), of: object)
    // SQLite 3.15 then forgets the table's triggers, and finds only those again that spell its name with the same
    // letter case. The others would not fire until the database is reopened.
    if !connection.features.renamesTablesInTriggers, catalog.hasTrigger(namingOtherwise: object) {
      steps.append(.reload)
    }
  }

  /// Returns a step that fails unless existing rows satisfy a constraint, which older engines do not check when it is
  /// added.
  private func assertRowsFulfil(_ check: String) -> SchemaStep {
    let query = "SELECT 1 FROM \(catalog.target(table)) WHERE NOT (\(SQLFragment.closed(check)))"
    return .assertion("NOT EXISTS (\(query))", "all rows satisfy the CHECK constraint")
  }

  // MARK: Columns that ADD COLUMN rejects

  private func refuseImpossible(_ column: NewColumnDescription) throws(DatabaseError) {
    try connection.requireFeatures(of: column, in: table)
    for key in column.keys {
      switch key {
      case .primary:
        throw connection.refusal(
          "cannot add \"\(column.name)\" to \"\(table)\" as its primary key",
          remedy: "Create a new table with that key, copy the rows, drop the old table and rename the new one.")
      case .unique:
        throw connection.refusal(
          "cannot add \"\(column.name)\" to \"\(table)\" as a UNIQUE column",
          remedy: "Use `.indexed(unique: true)` instead of `.unique()`: a unique index rejects the same rows.")
      }
    }
    if column.generated?.isStored == true {
      throw connection.refusal(
        "cannot add \"\(column.name)\" to \"\(table)\" as a stored generated column",
        remedy: "Make it `.virtual`, and index it if reads must be fast.")
    }
  }

  /// Returns the reason why a column can be added only to an empty table, and the remedy; nil if it can be added to any
  /// table.
  private func obstacle(to column: NewColumnDescription) throws(DatabaseError) -> (reason: String, remedy: String)? {
    if column.notNull != nil, column.generated == nil, column.defaultValue.isNull {
      return (
        "it is NOT NULL and has no default",
        "Give it a default with `.defaults(to:)`, or omit `.notNull()` and set its values with an UPDATE."
      )
    }
    if column.defaultValue.isComputed {
      return (
        "its default is an expression, which SQLite evaluates only for new rows",
        "Give it a constant default, or no default and set its values with an UPDATE."
      )
    }
    if !column.references.isEmpty, !column.defaultValue.isNull, try connection.enforcesForeignKeys() {
      return (
        "it is a foreign key with a default other than NULL while foreign keys are enforced",
        "Omit the default and set its values with an UPDATE, or use `foreignKeyChecks: .deferred` for the migration."
      )
    }
    return nil
  }

  /// Whether `ADD COLUMN` rejects a column, given as SQL, that `CREATE TABLE` would accept.
  static func isBeyondAddColumn(
    _ sql: String, to table: String, _ catalog: SchemaCatalog
  ) throws(DatabaseError) -> Bool {
    guard let (column, source) = syntax(ofColumn: sql) else { return false }
    var isNotNull = false
    var defaultValueSQL: String?
    for constraint in column.constraints {
      switch constraint.kind {
      case .unique: return true
      case .generated(_, let storage): return storage?.folded == "stored"
      case .notNull: isNotNull = true
      case .defaultValue(let value): defaultValueSQL = source.text(of: value.tokens)
      default: break
      }
    }
    let value = defaultValueSQL.map { NewColumnDescription.Default.sql($0) }
    if isNotNull, value.isNull, !catalog.connection.features.addsAnyColumnToEmptyTables {
      return try catalog.isEmpty(table) == true
    }
    return value.isComputed && !value.isNull
  }

  /// Parses a column that is given as SQL; nil if the SQL is invalid, so that the engine reports the error.
  private static func syntax(ofColumn sql: String) -> (SQLColumnSyntax, SQLSource)? {
    guard let tree = try? SQLTree(parsing: "ALTER TABLE t ADD COLUMN \(sql)"),
      case .alterTable(let alteration) = tree.statement, case .addColumn(let column) = alteration.action
    else { return nil }
    return (column, tree.source)
  }
}

extension SchemaCatalog {
  /// Whether a table has no rows; nil if there is no such table, so that the engine reports the error.
  fileprivate func isEmpty(_ table: String) throws(DatabaseError) -> Bool? {
    guard self.table(table.asciiLowercased)?.kind == .table else { return nil }
    return try !connection.hasRow("SELECT 1 FROM \(target(table)) LIMIT 1")
  }

  /// Whether a trigger spells the name of its table with a different letter case than the table's own definition.
  fileprivate func hasTrigger(namingOtherwise table: Object) -> Bool {
    objects.contains {
      $0.kind == .trigger && $0.tableName != table.name && $0.tableName.asciiLowercased == table.name.asciiLowercased
    }
  }
}
