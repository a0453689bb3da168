internal import Migrator
internal import SQLSyntax

/// What `ALTER TABLE ADD COLUMN` can do on an empty table only (https://www.sqlite.org/lang_altertable.html#altertabaddcol).
enum AddedColumnRules {
  /// Looks at a column that is added to a table which was there before the migration.
  static func findings(_ linted: LintedStatement, _ scene: LintScene) throws -> [LintFinding] {
    guard case .alterTable(let alteration)? = linted.syntax?.statement, case .addColumn(let column) = alteration.action,
      !scene.destruction.isOwn(alteration.table.name.value)
    else { return [] }
    let added = AddedColumn(linted, column)
    let name = column.name.value
    var findings: [LintFinding] = []
    if let token = added.notNull, !added.isGenerated, added.defaultValue.map(added.isNull) ?? true {
      findings.append(
        linted.finding(
          .addNotNullColumn, at: token,
          "\(name) is NOT NULL and has no default: rows that are there cannot be given a value",
          remedy: "Give it a constant default, or add it without NOT NULL, fill it, and rebuild the table."))
    }
    if let value = added.defaultValue, !added.isConstant(value) {
      findings.append(
        linted.finding(
          .addExpressionDefault, at: value.lowerBound,
          "the default of \(name), \(linted.text(value)), is no constant: where there are rows, the column cannot be added",
          remedy: "Add it without the default and fill it with UPDATE, or rebuild the table."))
    }
    if let token = added.references, let value = added.defaultValue, !added.isNull(value),
      try scene.db.connection.enforcesForeignKeys()
    {
      findings.append(
        linted.finding(
          .addReferencingDefault, at: token,
          "\(name) refers to another table and has a default: with foreign keys on, it cannot be added where there are rows",
          remedy:
            "Add it without the default and fill it with UPDATE, or let the migration run with foreign keys deferred."))
    }
    if let token = added.stored {
      findings.append(
        linted.finding(
          .addStoredColumn, at: token, "\(name) is generated and stored: where there are rows, it cannot be added",
          remedy: "Make it VIRTUAL, or rebuild the table."))
    }
    return findings
  }
}

/// A column that is added: the tokens of its constraints.
private struct AddedColumn {
  private(set) var notNull: Int?
  private(set) var defaultValue: Range<Int>?
  private(set) var references: Int?
  private(set) var isGenerated = false
  /// The word STORED.
  private(set) var stored: Int?

  private let source: SQLSource?

  init(_ linted: LintedStatement, _ column: SQLColumnSyntax) {
    source = linted.syntax?.source
    for constraint in column.constraints {
      switch constraint.kind {
      case .notNull: notNull = constraint.tokens.lowerBound
      case .defaultValue(let value): defaultValue = value.tokens
      case .references: references = constraint.tokens.lowerBound
      case .generated(_, let storage):
        isGenerated = true
        if storage?.folded == "stored" { stored = storage?.token }
      default: break
      }
    }
  }

  func isNull(_ value: Range<Int>) -> Bool {
    guard let source else { return false }
    let inner = source.unwrapped(value)
    return inner.count == 1 && source.tokens[inner.lowerBound].isWord("null")
  }

  /// Whether SQLite computes the value without running anything.
  func isConstant(_ value: Range<Int>) -> Bool { source?.isLiteral(value) ?? true }
}
