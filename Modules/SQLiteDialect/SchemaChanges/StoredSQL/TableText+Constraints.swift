internal import Migrator

extension TableText {
  /// The text with one more constraint of the table.
  func adding(_ constraint: AddedConstraint) -> String {
    switch constraint {
    case .check(let check): adding(element: check.clause)
    case .unique(let key): adding(element: key.clause("UNIQUE"))
    case .foreignKey(let key):
      adding(
        element: SQLSpelling.constraintName(key.name)
          + "FOREIGN KEY \(SQLSpelling.identifiers(key.columns)) \(key.referencesClause)")
    }
  }

  /// The text without a constraint; nil when there is none such.
  func dropping(_ constraint: DroppedConstraint) -> String? {
    let edits =
      table.constraints.filter { matches($0, constraint) }.flatMap { removal(ofElement: $0.tokens) }
      + table.columns.flatMap { column in
        removals(from: column) { matches($0, of: column, constraint) }
      }
    return edits.isEmpty ? nil : applying(edits)
  }

  /// The text with another primary key, or with none.
  func settingPrimaryKey(_ key: TableKey?) -> String {
    var edits: [Edit] = []
    var isPlaced = false
    for constraint in table.constraints {
      guard case .primaryKey = constraint.kind else { continue }
      if let key {
        edits.append((source.utf8Range(of: constraint.tokens), key.clause("PRIMARY KEY")))
        isPlaced = true
      } else {
        edits += removal(ofElement: constraint.tokens)
      }
    }
    for column in table.columns {
      for constraint in column.constraints {
        if case .primaryKey = constraint.kind { edits.append(removal(of: constraint.tokens)) }
      }
    }
    let text = applying(edits)
    guard let key, !isPlaced else { return text }
    return TableText(text)?.adding(element: key.clause("PRIMARY KEY")) ?? text
  }

  private func matches(_ constraint: SQLTableConstraint, _ dropped: DroppedConstraint) -> Bool {
    switch (dropped, constraint.kind) {
    case (.named(let name), _): constraint.name?.folded == name.asciiLowercased
    case (.check(let sql), .check(let expression, _)): isEqual(expression, to: sql)
    case (.unique(let names), .unique(let columns, _)): columns.map { $0.column?.folded } == names.folded
    case (.foreignKey(let names), .foreignKey(let columns, _)): columns.map { $0.folded } == names.folded
    default: false
    }
  }

  private func matches(
    _ constraint: SQLColumnConstraint, of column: SQLColumnSyntax, _ dropped: DroppedConstraint
  ) -> Bool {
    switch (dropped, constraint.kind) {
    case (.named(let name), _): constraint.name?.folded == name.asciiLowercased
    case (.check(let sql), .check(let expression, _)): isEqual(expression, to: sql)
    case (.unique(let names), .unique), (.foreignKey(let names), .references):
      [column.name.folded] == names.folded
    default: false
    }
  }

  /// Takes constraints of a column away, and with each foreign key what says when it is checked.
  private func removals(from column: SQLColumnSyntax, _ isDropped: (SQLColumnConstraint) -> Bool) -> [Edit] {
    var isBehindDropped = false
    return column.constraints.filter { constraint in
      switch constraint.kind {
      case .references: isBehindDropped = isDropped(constraint)
      case .deferral: return isBehindDropped || isDropped(constraint)
      default: break
      }
      return isDropped(constraint)
    }.map { removal(of: $0.tokens) }
  }

  private func isEqual(_ expression: SQLExpression, to sql: String) -> Bool {
    SQLNormalization.canonicalTokens(of: source.text(of: expression.tokens))
      == SQLNormalization.canonicalTokens(of: sql)
  }
}

extension [String] {
  /// The names in the form in which SQLite compares them.
  fileprivate var folded: [String?] { map(\.asciiLowercased) }
}
