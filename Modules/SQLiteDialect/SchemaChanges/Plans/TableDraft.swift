internal import Migrator
internal import SQLSyntax

/// The new definition of a table to rebuild, and the sources of its columns' values.
struct TableDraft {
  let table: SchemaCatalog.Table
  let catalog: SchemaCatalog
  private(set) var text: TableText

  /// Expressions over the old table's rows, by new column name in lower case; a column without an expression gets its
  /// default.
  private(set) var sources: [String: String] = [:]

  /// The indexes that are added, or that replace old indexes of the same name.
  private(set) var indexes: [NewIndexDescription] = []
  /// The columns into which an expression of the caller copies values.
  private var copying: Set<String> = []

  private var name: String { table.object.name }

  /// Creates a draft in which the table is unchanged; the engine recomputes the values of generated columns.
  init(_ table: SchemaCatalog.Table, _ catalog: SchemaCatalog) {
    self.init(table, text: table.text, catalog)
  }

  private init(_ table: SchemaCatalog.Table, text: TableText, _ catalog: SchemaCatalog) {
    self.table = table
    self.catalog = catalog
    self.text = text
    for column in text.table.columns where !column.isGenerated {
      sources[column.name.folded] = column.name.value.quotedIdentifier
    }
  }

  /// Creates a draft for a table with a new definition, in which each column gets the values of the old column with the
  /// same name, or of the expression for it in `copying`.
  init(
    recreating definition: NewTableDescription, copying: [String: String], _ catalog: SchemaCatalog
  ) throws(DatabaseError) {
    let connection = catalog.connection
    guard !definition.options.contains(.ifNotExists) else {
      throw connection.refusal(
        "the option `.ifNotExists` contradicts recreating \"\(definition.name)\", which must exist",
        remedy: "Omit the option `.ifNotExists`.")
    }
    try connection.requireFeatures(of: definition)
    try catalog.refuseHidden(definition.name)
    let old = try catalog.editableTable(definition.name)
    var new = definition
    new.name = old.object.name
    // A stored definition does not contain the schema's name; statements that need it add it later.
    new.schema = nil
    new.options.remove(.temporary)
    let sql = new.createSQL
    guard let text = TableText(sql) else {
      throw connection.refusal(
        "the new definition of \"\(definition.name)\" cannot be parsed: \(sql)",
        remedy: "Check the parts that are given as SQL.", condition: .statement)
    }
    self.init(old, text: text, catalog)
    // Indexes are created after the copy.
    if catalog.isSchemaNamed { new.schema = catalog.schema.name }
    indexes = new.allIndexes
    for column in text.table.columns where old.text.column(named: column.name.folded) == nil {
      sources[column.name.folded] = nil
    }
    for (name, expression) in copying {
      guard let column = text.column(named: name.asciiLowercased), !column.isGenerated else {
        throw connection.refusal(
          "the new definition of \"\(definition.name)\" has no column \"\(name)\" that can be assigned values",
          remedy: "Check the names in `copying`.", condition: .statement)
      }
      copy(column.name.folded, from: expression)
    }
    for column in old.text.table.columns where text.column(named: column.name.folded) == nil {
      try refuseUses(of: column.name.value)
    }
    if text.table.columns.map(\.name.folded) != old.text.table.columns.map(\.name.folded) {
      try catalog.refuseUsesOfOrder(of: definition.name)
    }
  }

  // MARK: Steps of an alteration

  mutating func make(_ alteration: TableAlterationDescription) throws(DatabaseError) {
    switch alteration {
    case .addColumn(let column):
      try catalog.connection.requireFeatures(of: column, in: name)
      try replaceText(text.adding(column: SQLFragment.trimmed(column.sql)), alteration)
      if let index = catalog.index(of: column, on: name) { indexes.append(index) }
    case .addColumnSQL(let sql): try replaceText(text.adding(column: SQLFragment.trimmed(sql)), alteration)
    case .dropColumn(let name): try dropColumn(name)
    case .changeColumn(let name, let change): try changeColumn(name, change)
    case .addConstraint(let constraint):
      switch constraint {
      case .unique(let key): try requireColumns(key.columns.map(\.name))
      case .foreignKey(let key): try requireColumns(key.columns)
      case .check: break
      }
      try replaceText(text.adding(constraint), alteration)
    case .dropConstraint(let constraint):
      guard let sql = text.dropping(constraint) else {
        throw catalog.connection.refusal(
          "\"\(name)\" has no \(constraint.description)", remedy: "Check the stored definition.",
          condition: .statement)
      }
      try replaceText(sql, alteration)
    case .setPrimaryKey(let key):
      if key == nil, text.table.isWithoutRowID {
        throw catalog.connection.refusal(
          "\"\(name)\" is a WITHOUT ROWID table and needs its primary key",
          remedy: "Recreate it without the option `.withoutRowID`.")
      }
      try requireColumns(key?.columns.map(\.name) ?? [])
      try replaceText(text.settingPrimaryKey(key), alteration)
    case .reorderColumns(let names): try reorder(names)
    case .renameColumn: break
    }
  }

  private mutating func changeColumn(_ name: String, _ change: ColumnChange) throws(DatabaseError) {
    let folded = name.asciiLowercased
    for property in change.properties {
      guard let sql = text.changing(folded, property) else { throw noColumn(name) }
      try replaceText(sql, .changeColumn(name: name, ColumnChange([property])))
    }
    guard let expression = change.copying else { return }
    guard text.column(named: folded) != nil else { throw noColumn(name) }
    copy(folded, from: expression)
  }

  private mutating func copy(_ folded: String, from expression: String) {
    sources[folded] = "(\(SQLFragment.closed(expression)))"
    copying.insert(folded)
  }

  private mutating func dropColumn(_ name: String) throws(DatabaseError) {
    let folded = name.asciiLowercased
    guard let column = text.column(named: folded) else { throw noColumn(name) }
    guard let sql = text.dropping(column) else {
      throw catalog.connection.refusal(
        "\"\(name)\" is the only column of \"\(self.name)\"", remedy: "Drop the table instead.")
    }
    try ColumnRemoval(of: name, from: self.name, catalog).refuseUses(in: text)
    try refuseUses(of: name)
    try replaceText(sql, .dropColumn(name: name))
    sources[folded] = nil
  }

  private mutating func reorder(_ names: [String]) throws(DatabaseError) {
    guard let sql = text.reordering(names.map(\.asciiLowercased)) else {
      throw catalog.connection.refusal(
        "\"\(name)\" does not have each of these columns exactly once: \(names.joined(separator: ", "))",
        remedy: "List existing columns, each once.", condition: .statement)
    }
    try catalog.refuseUsesOfOrder(of: name)
    try replaceText(sql, .reorderColumns(names))
  }

  /// Throws if something other than the table's definition uses a column that is to be removed.
  private func refuseUses(of column: String) throws(DatabaseError) {
    try ColumnRemoval(of: column, from: name, catalog)
      .refuseUsesOutside(of: table, exceptBy: Set(indexes.map { $0.name.asciiLowercased }))
  }

  private mutating func replaceText(_ sql: String, _ alteration: TableAlterationDescription) throws(DatabaseError) {
    guard let new = TableText(sql), alteration.fits(from: text.table, to: new.table) else {
      throw catalog.connection.refusal(
        "the definition of \"\(name)\" can no longer be parsed after this step: \(sql)",
        remedy: "Check the SQL that the step gives.", condition: .statement)
    }
    text = new
  }

  private func requireColumns(_ names: [String]) throws(DatabaseError) {
    for name in names where text.column(named: name.asciiLowercased) == nil { throw noColumn(name) }
  }

  private func noColumn(_ column: String) -> DatabaseError {
    catalog.noColumn(column, of: name, text)
  }

  // MARK: Rows

  var keepsRowIDs: Bool {
    guard !text.table.isWithoutRowID, !table.text.table.isWithoutRowID else { return false }
    guard let column = text.rowIDColumn, sources[column] != nil else { return true }
    return column == table.text.rowIDColumn && !copying.contains(column)
  }

  /// The columns to copy, in the order of the new table, each with the expression that returns its values.
  var copied: [(name: String, expression: String)] {
    text.table.columns.filter { !$0.isGenerated }.compactMap { column in
      sources[column.name.folded].map { (column.name.value, $0) }
    }
  }

  /// Returns a draft in which each column that becomes NOT NULL gets its default instead of NULL.
  func fillingDefaults() -> TableDraft {
    var filled = self
    for column in text.table.columns where column.isNotNull && !column.isGenerated {
      let name = column.name.folded
      guard !copying.contains(name), table.text.column(named: name)?.isNotNull == false, let source = sources[name],
        let value = text.defaultExpression(of: column)
      else { continue }
      filled.sources[name] = "ifnull(\(source), \(value))"
    }
    return filled
  }
}

extension TableAlterationDescription {
  /// Whether the number of columns and constraints has changed as the step requires: SQL that the caller gave for one
  /// element must not end that element and begin another.
  fileprivate func fits(from old: SQLCreateTable, to new: SQLCreateTable) -> Bool {
    let columns = new.columns.count - old.columns.count
    let constraints = new.constraints.count - old.constraints.count
    return switch self {
    case .addColumn, .addColumnSQL: columns == 1 && constraints == 0
    case .dropColumn: columns == -1 && constraints == 0
    case .addConstraint: columns == 0 && constraints == 1
    case .dropConstraint: columns == 0 && constraints <= 0
    case .setPrimaryKey: columns == 0
    case .changeColumn, .reorderColumns: columns == 0 && constraints == 0
    case .renameColumn: true
    }
  }
}

extension DroppedConstraint {
  fileprivate var description: String {
    switch self {
    case .named(let name): "constraint named \"\(name)\""
    case .check(let sql): "CHECK (\(sql))"
    case .unique(let columns): "unique key of \(columns.joined(separator: ", "))"
    case .foreignKey(let columns): "foreign key of \(columns.joined(separator: ", "))"
    }
  }
}
