internal import Migrator
internal import SQLSyntax

extension TableText {
  func changing(_ folded: String, _ property: ColumnChange.Property) -> String? {
    guard let column = column(named: folded) else { return nil }
    switch property {
    case .type(let type): return applying([changing(column, type: type)])
    case .notNull(let notNull): return changing(column, notNull: notNull)
    case .defaultValue(let value):
      let clause = value.map { "DEFAULT \($0.spelled)" }
      return replacing(column, with: clause.map { [$0] } ?? []) {
        if case .defaultValue = $0 { true } else { false }
      }
    case .collation(let name):
      let clause = name.map { "COLLATE \($0.quotedIdentifier)" }
      return replacing(column, with: clause.map { [$0] } ?? []) { if case .collate = $0 { true } else { false } }
    case .addCheck(let check): return applying([insertion(after: column.tokens.upperBound - 1, " \(check.clause)")])
    case .dropChecks: return replacing(column, with: []) { if case .check = $0 { true } else { false } }
    case .references(let keys):
      let clauses = keys.map { SQLSpelling.constraintName($0.name) + $0.referencesClause }
      return replacing(column, with: clauses) {
        switch $0 {
        case .references, .deferral: true
        default: false
        }
      }
    }
  }

  private func changing(_ column: SQLColumnSyntax, type: ColumnType?) -> Edit {
    guard column.type.isEmpty else {
      guard let type else { return removal(of: column.type) }
      return (source.utf8Range(of: column.type), SQLFragment.closed(type.rawValue))
    }
    return insertion(after: column.name.token, type.map { " " + SQLFragment.closed($0.rawValue) } ?? "")
  }

  private func changing(_ column: SQLColumnSyntax, notNull: NewColumnDescription.NotNull?) -> String {
    let clauses = notNull.map { [SQLSpelling.constraintName($0.name) + "NOT NULL" + $0.onConflict.clause] } ?? []
    if let notNull, notNull == NewColumnDescription.NotNull(), column.isNotNull { return text }
    return replacing(column, with: clauses) {
      switch $0 {
      case .notNull, .null: true
      default: false
      }
    }
  }

  /// Replaces the first matching constraint and removes the others; appends the clauses if no constraint matches.
  private func replacing(
    _ column: SQLColumnSyntax, with clauses: [String], _ isReplaced: (SQLColumnConstraint.Kind) -> Bool
  ) -> String {
    let replaced = column.constraints.filter { isReplaced($0.kind) }
    let text = clauses.joined(separator: " ")
    guard let first = replaced.first else {
      return clauses.isEmpty ? self.text : applying([insertion(after: column.tokens.upperBound - 1, " " + text)])
    }
    var edits = replaced.dropFirst().map { removal(of: $0.tokens) }
    edits.append(clauses.isEmpty ? removal(of: first.tokens) : (source.utf8Range(of: first.tokens), text))
    return applying(edits)
  }

  func dropping(_ column: SQLColumnSyntax) -> String? {
    table.columns.count > 1 ? applying(removal(ofElement: column.tokens)) : nil
  }

  func defaultExpression(of column: SQLColumnSyntax) -> String? {
    for case .defaultValue(let value) in column.constraints.map(\.kind).reversed() {
      let token = source.tokens[value.tokens.lowerBound]
      let words = ["null", "true", "false", "current_time", "current_date", "current_timestamp"]
      // A bare name is a string (https://www.sqlite.org/lang_createtable.html#the_default_clause).
      let isName =
        token.kind == .quotedIdentifier || token.kind == .word && !words.contains(token.folded)
      guard value.tokens.count == 1, isName else { return source.text(of: value.tokens) }
      return SQLIdentifier.unquoted(token.text).quotedText
    }
    return nil
  }

  func adding(_ constraint: AddedConstraint) -> String {
    switch constraint {
    case .check(let check): adding(constraint: check.clause)
    case .unique(let key): adding(constraint: key.clause("UNIQUE"))
    case .foreignKey(let key):
      adding(
        constraint: SQLSpelling.constraintName(key.name)
          + "FOREIGN KEY \(SQLSpelling.identifiers(key.columns)) \(key.referencesClause)")
    }
  }

  func dropping(_ constraint: DroppedConstraint) -> String? {
    // One element at a time: which commas are removed depends on the elements that remain.
    if let first = table.constraints.first(where: { matches($0, constraint) }) {
      let text = applying(removal(ofElement: first.tokens))
      return TableText(text)?.dropping(constraint) ?? text
    }
    let edits = table.columns.flatMap { column in removals(from: column) { matches($0, of: column, constraint) } }
    return edits.isEmpty ? nil : applying(edits)
  }

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
    return TableText(text)?.adding(constraint: key.clause("PRIMARY KEY")) ?? text
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

  /// Returns the edits that remove constraints of a column, each foreign key together with its DEFERRABLE clause.
  private func removals(from column: SQLColumnSyntax, _ isDropped: (SQLColumnConstraint) -> Bool) -> [Edit] {
    var isAfterDropped = false
    return column.constraints.filter { constraint in
      switch constraint.kind {
      case .references: isAfterDropped = isDropped(constraint)
      case .deferral: return isAfterDropped || isDropped(constraint)
      default: break
      }
      return isDropped(constraint)
    }.map { removal(of: $0.tokens) }
  }

  private func isEqual(_ expression: SQLExpression, to sql: String) -> Bool {
    SQLNormalization.canonicalText(of: source.text(of: expression.tokens)) == SQLNormalization.canonicalText(of: sql)
  }
}

extension NewColumnDescription.Default {
  fileprivate var spelled: String {
    switch self {
    case .value(let value): value.sqlLiteral
    case .sql(let sql): SQLFragment.defaultExpression(sql)
    }
  }
}

extension [String] {
  /// The names in lower case, the form in which SQLite compares them.
  fileprivate var folded: [String?] { map(\.asciiLowercased) }
}
