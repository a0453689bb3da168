internal import SQLSyntax

extension Database {
  /// Changes the schema, either completely or not at all.
  ///
  /// - Throws: ``DatabaseError`` with the condition `.unsupported` if the engine cannot make the change without losing
  ///   data; then no statement has run.
  public func apply(_ change: SchemaChange) throws {
    try requireColumns(of: change)
    let plan = try connection.statements(for: change)
    // One statement is complete or has no effect by itself, except that of a virtual table: SQLite 3.15 leaves its entry
    // in the schema if its module fails.
    if plan.statements.count == 1, plan.restoring.isEmpty, plan.diagnoses.isEmpty, !change.createsVirtualTable {
      try executeTrusted(plan.statements[0])
      return noteApplied(change)
    }
    try inSavepoint {
      // Restores the settings in any case; a failure to do so must not hide the first error.
      do {
        for sql in plan.statements { try executeTrusted(sql) }
      } catch {
        let explained = explanation(of: error, plan.diagnoses)
        for sql in plan.restoring { try? executeTrusted(sql) }
        throw explained ?? error
      }
      for sql in plan.restoring { try executeTrusted(sql) }
      noteApplied(change)
      return .commit
    }
  }

  private func noteApplied(_ change: SchemaChange) {
    if let table = change.referringTable { context.noteReference(from: table) }
  }

  /// Throws an error if a key or an index names a column that does not exist.
  ///
  /// SQLite reads such a name in double quotes as a string
  /// (https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted): a unique index on a misspelled
  /// column would reject the second row. Not all engines can turn that behavior off.
  private func requireColumns(of change: SchemaChange) throws {
    switch change {
    case .createIndex(let index):
      let names = index.columns.compactMap { column in
        switch column {
        case .column(let name): name
        case .ordered(let column): column.name
        case .sql: nil as String?
        }
      }
      // An object that exists remains unchanged, whatever has happened to its columns.
      if index.ifNotExists, try indexExists(index.name, in: index.schema) { return }
      let temporary = try index.schema == nil ? connection.columns(in: index.table, inSchema: "temp") : nil
      // The engine reports a table that does not exist.
      guard let columns = try temporary ?? connection.columns(in: index.table, inSchema: index.schema) else { return }
      try require(names, among: columns.map(\.name), of: index.table, for: "index \"\(index.name)\"")
    case .createTable(let table), .recreateTable(let table, _):
      let columns = table.columns.compactMap(\.name)
      // Columns defined by SQL text whose name cannot be parsed have no name here.
      guard columns.count == table.columns.count else { return }
      let keys =
        (table.primaryKey.map { [("the primary key", $0)] } ?? []) + table.uniqueKeys.map { ("a unique key", $0) }
      for (kind, key) in keys { try require(key.columns.map(\.name), among: columns, of: table.name, for: kind) }
      for key in table.foreignKeys { try require(key.columns, among: columns, of: table.name, for: "a foreign key") }
    default: break
    }
  }

  private func require(_ names: [String], among columns: [String], of table: String, for purpose: String) throws {
    let known = Set(columns.map(\.asciiLowercased))
    guard let name = names.first(where: { !known.contains($0.asciiLowercased) }) else { return }
    throw context.error(
      .statement, "no such column: \(name) in table \"\(table)\", for \(purpose)",
      remedy: "Check the name. The columns are \(columns.map { "\"\($0)\"" }.joined(separator: ", ")).")
  }

  /// Runs a statement that a backend issued; such a statement may do things that a migration's statements may not.
  private func executeTrusted(_ sql: String) throws {
    let prepared = try prepare(sql, utf8Offset: 0)
    guard let statement = prepared.statement else { return }
    try context.checkCancellation()
    try inspect(sql, isTrusted: true)
    try context.trace?(statement, true)
    defer { statement.reset() }
    while try statement.step() {}
  }

  /// Runs the diagnoses before the rollback, and returns an error that lists the rows that made the change fail; nil if
  /// no diagnosis finds such rows.
  private func explanation(of error: any Error, _ diagnoses: [SchemaChangeDiagnosis]) -> DatabaseError? {
    guard let error = error as? DatabaseError, error.isAboutRows else { return nil }
    // The engine names only one constraint; diagnoses of that kind come first.
    let ordered =
      diagnoses.filter { error.condition == .constraint($0.constraint) }
      + diagnoses.filter { error.condition != .constraint($0.constraint) }
    for diagnosis in ordered {
      // A diagnosis that fails, for example because of an expression, must not hide the first error.
      guard let rows = try? rowNumbers(diagnosis.query, limit: 5), !rows.isEmpty,
        let count = try? rowNumbers("SELECT count(*) FROM (\(diagnosis.query))", limit: 1).first ?? nil
      else { continue }
      let numbers = rows.compactMap { $0.map(String.init) }.joined(separator: ", ")
      var place = numbers.isEmpty ? "" : ": rowid \(numbers)"
      if !numbers.isEmpty, count > rows.count { place += " and \(Int(count) - rows.count) more" }
      return context.error(
        .constraint(diagnosis.constraint),
        "\(diagnosis.defect), in \(Int(count).rowsText) of \"\(diagnosis.table)\"\(place)",
        remedy: "Change these rows first, or set their new values with `copying`.")
    }
    return nil
  }

  private func rowNumbers(_ sql: String, limit: Int) throws -> [Int64?] {
    guard let statement = try connection.prepare("\(sql) LIMIT \(limit)", utf8Offset: 0).statement else { return [] }
    defer { statement.reset() }
    var numbers: [Int64?] = []
    while try statement.step() {
      if case .integer(let number) = DatabaseValue(statement.value(at: 0)) {
        numbers.append(number)
      } else {
        numbers.append(nil)
      }
    }
    return numbers
  }
}

extension DatabaseError {
  fileprivate var isAboutRows: Bool {
    switch condition {
    case .constraint, .typeMismatch: true
    default: false
    }
  }
}

extension SchemaChange {
  fileprivate var createsVirtualTable: Bool {
    switch self {
    case .createVirtualTable, .createFullTextTable: true
    default: false
    }
  }

  /// The table of the main schema to which the change may add a foreign key; nil if it adds none.
  fileprivate var referringTable: String? {
    switch self {
    case .createTable(let table), .recreateTable(let table, _):
      guard table.schema == nil, !table.options.contains(.temporary) else { return nil }
      let refers = table.columns.contains { column in
        if case .definition(let column) = column { !column.references.isEmpty } else { true }
      }
      return refers || !table.foreignKeys.isEmpty ? table.name : nil
    case .alterTable(let name, let alterations, nil):
      let refers = alterations.contains { alteration in
        switch alteration {
        case .addColumn(let column): !column.references.isEmpty
        case .addColumnSQL, .addConstraint(.foreignKey): true
        default: false
        }
      }
      return refers ? name : nil
    default: return nil
    }
  }
}

extension TableColumn {
  /// The column's name; nil if the column is defined by SQL from which the name cannot be parsed.
  fileprivate var name: String? {
    switch self {
    case .definition(let column): column.name
    case .sql(let sql):
      SQLSource(sql).tokens.first.flatMap { $0.kind == .illegal ? nil : SQLIdentifier.unquoted($0.text) }
    }
  }
}
