internal import Migrator

extension SchemaChangePlanner {
  /// Adds a column, and the index that comes with it.
  ///
  /// Source: https://www.sqlite.org/lang_altertable.html#altertabaddcol
  mutating func addColumn(_ column: NewColumnDescription, to table: String) throws(DatabaseError) {
    try refuseImpossibleColumn(column, of: table)
    if let obstacle = try obstacle(to: column), let isEmpty = try isEmpty(table) {
      guard isEmpty else {
        throw refusal(
          "cannot add \"\(column.name)\" to \"\(table)\", which has rows: \(obstacle.reason)", remedy: obstacle.remedy)
      }
      // Rows that do not exist need no value. Newer engines know that; for older ones the text is edited, which is all
      // that ADD COLUMN does.
      if features.addsAnyColumnToEmptyTables {
        append(column: column.sql, to: table)
      } else {
        let editable = try editableTable(table)
        guard editable.text.column(named: column.name.asciiLowercased) == nil else {
          throw refusal(
            "duplicate column name: \(column.name)", remedy: "Choose another name.", condition: .statement)
        }
        try edit([(editable.object, editable.text.adding(column: column.sql))])
      }
    } else {
      append(column: column.sql, to: table)
    }
    if !features.checksAddedColumns {
      for check in column.checks { assertRows(of: table, fulfil: check.sql) }
    }
    guard let index = indexDefinition(of: column, on: table) else { return }
    emit(index.createSQL(isTemporary: false))
  }

  /// The index that comes with a column, in its table's schema; nil when there is none.
  func indexDefinition(of column: NewColumnDescription, on table: String) -> NewIndexDescription? {
    var index = column.indexDefinition(on: table, ifNotExists: false)
    if catalog.isSchemaNamed { index?.schema = schema.name }
    return index
  }

  /// Adds a column given as SQL.
  mutating func addColumn(sql: String, to table: String) throws(DatabaseError) {
    append(column: sql, to: table)
    guard !features.checksAddedColumns, let (column, source) = Self.syntax(ofColumn: sql) else { return }
    for case .check(let condition, _) in column.constraints.map(\.kind) {
      assertRows(of: table, fulfil: source.text(of: condition.tokens))
    }
  }

  /// Whether `ADD COLUMN` refuses a column given as SQL, though a new table could have it.
  func isBeyondAddColumn(_ sql: String, to table: String) throws(DatabaseError) -> Bool {
    guard let (column, source) = Self.syntax(ofColumn: sql) else { return false }
    var isNotNull = false
    var defaultSQL: String?
    for constraint in column.constraints {
      switch constraint.kind {
      case .unique: return true
      case .generated(_, let storage): return storage?.folded == "stored"
      case .notNull: isNotNull = true
      case .defaultValue(let value): defaultSQL = source.text(of: value.tokens)
      default: break
      }
    }
    let value = defaultSQL.map { NewColumnDescription.Default.sql($0) }
    if isNotNull, value.isNull, !features.addsAnyColumnToEmptyTables { return try isEmpty(table) == true }
    return value.isComputed && !value.isNull
  }

  /// Reads a column given as SQL; nil for what the engine is left to refuse.
  private static func syntax(ofColumn sql: String) -> (SQLColumnSyntax, SQLSource)? {
    guard let syntax = try? SQLSyntax(parsing: "ALTER TABLE t ADD COLUMN \(sql)"),
      case .alterTable(let alteration) = syntax.statement, case .addColumn(let column) = alteration.action
    else { return nil }
    return (column, syntax.source)
  }

  private mutating func append(column sql: String, to table: String) {
    let sql = SQLSpelling.trimmed(sql)
    emit("ALTER TABLE \(target(table)) ADD COLUMN \(sql)")
    guard let object = catalog.table(table.asciiLowercased), !object.isTemporary, let text = object.sql,
      let stored = TableText(text)
    else { return }
    catalog.setSQL(stored.adding(column: sql), of: object)
    // SQLite 3.15 forgets the table's triggers then, and finds those again only that name it in the same letters: the
    // others would be silent until the database is opened anew.
    if !features.renamesTablesInTriggers, catalog.hasTrigger(namingOtherwise: object) { reloadSchema() }
  }

  /// Fails unless the rows that exist fulfil a constraint that older engines do not check when it arrives.
  private mutating func assertRows(of table: String, fulfil check: String) {
    let query = "SELECT 1 FROM \(target(table)) WHERE NOT (\(SQLSpelling.closed(check)))"
    // SQL has no assertion: the absolute value of the smallest integer is an error, which undoes all.
    emit(
      "SELECT CASE WHEN EXISTS (\(query)) THEN abs(-9223372036854775807 - 1)"
        + " ELSE 'all rows fulfil the CHECK constraint' END")
  }

  private func refuseImpossibleColumn(_ column: NewColumnDescription, of table: String) throws(DatabaseError) {
    if column.generated != nil { try requireGeneratedColumns(for: column.name, of: table) }
    for key in column.keys {
      switch key {
      case .primary:
        throw refusal(
          "cannot add \"\(column.name)\" to \"\(table)\" as its primary key",
          remedy: "Create the table anew with that key, copy the rows, drop the old table and rename the new one.")
      case .unique:
        throw refusal(
          "cannot add \"\(column.name)\" to \"\(table)\" as a UNIQUE column",
          remedy: "Use `.indexed(unique: true)` in place of `.unique()`: a unique index refuses the same rows.")
      }
    }
    if column.generated?.isStored == true {
      throw refusal(
        "cannot add \"\(column.name)\" to \"\(table)\" as a stored generated column",
        remedy: "Make it `.virtual`, and index it where reading it must be fast.")
    }
  }

  /// Why a column can be added to an empty table only; nil when it can always be.
  private func obstacle(to column: NewColumnDescription) throws(DatabaseError) -> (reason: String, remedy: String)? {
    if column.notNull != nil, column.generated == nil, column.defaultValue.isNull {
      return (
        "it refuses NULL and has no default",
        "Give it a default with `.defaults(to:)`, or leave `.notNull()` out and fill it by an UPDATE."
      )
    }
    if column.defaultValue.isComputed {
      return (
        "its default is an expression, which SQLite computes for new rows only",
        "Give it a constant default, or none and fill it by an UPDATE."
      )
    }
    if !column.references.isEmpty, !column.defaultValue.isNull, try connection.enforcesForeignKeys() {
      return (
        "it is a foreign key with a default other than NULL while foreign keys are enforced",
        "Leave the default out and fill it by an UPDATE, or let the migration check foreign keys deferred."
      )
    }
    return nil
  }

  /// Whether a table has no rows; nil when there is no such table, which the engine is left to say.
  private func isEmpty(_ table: String) throws(DatabaseError) -> Bool? {
    guard catalog.table(table.asciiLowercased)?.kind == .table else { return nil }
    return try connection.rows("SELECT 1 FROM \(target(table)) LIMIT 1").isEmpty
  }
}

extension NewColumnDescription {
  /// Whether `ADD COLUMN` refuses the column, in tables with rows at least, though a new table could have it.
  var isBeyondAddColumn: Bool {
    let isUnique = keys.contains { if case .unique = $0 { true } else { false } }
    return isUnique || generated?.isStored == true
      || generated == nil && defaultValue.isComputed && !defaultValue.isNull
  }
}

extension NewColumnDescription.Default? {

  /// Whether rows get NULL when they are inserted without a value for the column.
  fileprivate var isNull: Bool {
    switch self {
    case nil: true
    case .value(let value): value.isNull
    case .sql(let sql):
      SQLSource(sql).tokens.allSatisfy { $0.isOperator("(") || $0.isOperator(")") || $0.isWord("null") }
    }
  }

  /// Whether the default is more than a literal, which is what existing rows can be read with.
  fileprivate var isComputed: Bool {
    guard case .sql(let sql) = self else { return false }
    let tokens = SQLSource(sql).tokens.filter { !$0.isOperator("(") && !$0.isOperator(")") }
    let words = ["current_time", "current_date", "current_timestamp"]
    if tokens.count == 1 { return words.contains { tokens[0].isWord($0) } }
    let isSigned = tokens.count == 2 && (tokens[0].isOperator("-") || tokens[0].isOperator("+"))
    return !(isSigned && tokens[1].kind == .number)
  }
}
