internal import Migrator
internal import SQLSyntax

// The forms of `ALTER TABLE ADD COLUMN` that fail where there are rows
// (https://www.sqlite.org/lang_altertable.html#altertabaddcol).
extension LintRule {
  static let addNotNullColumn: LintRule = LintRule(
    name: "add-not-null-column", summary: "ADD COLUMN ... NOT NULL without a default",
    details:
      "SQLite takes it while the table is empty, as on a developer's machine, and refuses it where there are rows. "
      + "(https://www.sqlite.org/lang_altertable.html#altertabaddcol)",
    beforeStatement: { linted, scene in
      guard let added = AddedColumn(linted, scene), let token = added.notNull, !added.isGenerated,
        added.defaultValue.map(added.isNull) ?? true
      else { return [] }
      return [
        linted.finding(
          .addNotNullColumn, at: token,
          "\(added.name) is NOT NULL and has no default: rows that are there cannot be given a value",
          remedy: "Give it a constant default, or add it without NOT NULL, fill it, and rebuild the table.")
      ]
    })

  static let addExpressionDefault: LintRule = LintRule(
    name: "add-expression-default", summary: "ADD COLUMN ... DEFAULT with an expression",
    details:
      "SQLite takes CURRENT_TIMESTAMP and expressions while the table is empty, and refuses them where there are rows. "
      + "(https://www.sqlite.org/lang_altertable.html#altertabaddcol)",
    beforeStatement: { linted, scene in
      // A literal is computed without running anything.
      guard let added = AddedColumn(linted, scene), let value = added.defaultValue, !added.source.isLiteral(value)
      else { return [] }
      return [
        linted.finding(
          .addExpressionDefault, at: value.lowerBound,
          "the default of \(added.name), \(linted.text(value)), is no constant: where there are rows, the column cannot be "
            + "added",
          remedy: "Add it without the default and fill it with UPDATE, or rebuild the table.")
      ]
    })

  static let addReferencingDefault: LintRule = LintRule(
    name: "add-referencing-default", summary: "ADD COLUMN ... REFERENCES with a default",
    details:
      "With foreign keys on, SQLite takes it while the table is empty only. It is found where the migration runs with foreign keys "
      + "on. (https://www.sqlite.org/lang_altertable.html#altertabaddcol)",
    beforeStatement: { linted, scene in
      guard let added = AddedColumn(linted, scene), let token = added.references, let value = added.defaultValue,
        !added.isNull(value), try scene.db.connection.enforcesForeignKeys()
      else { return [] }
      return [
        linted.finding(
          .addReferencingDefault, at: token,
          "\(added.name) refers to another table and has a default: with foreign keys on, it cannot be added where there are "
            + "rows",
          remedy:
            "Add it without the default and fill it with UPDATE, or let the migration run with foreign keys deferred.")
      ]
    })

  static let addStoredColumn: LintRule = LintRule(
    name: "add-stored-column", summary: "ADD COLUMN of a stored generated column",
    details:
      "SQLite takes it while the table is empty, and refuses it where there are rows. (https://www.sqlite.org/gencol.html)",
    beforeStatement: { linted, scene in
      guard let added = AddedColumn(linted, scene), let token = added.stored else { return [] }
      return [
        linted.finding(
          .addStoredColumn, at: token,
          "\(added.name) is generated and stored: where there are rows, it cannot be added",
          remedy: "Make it VIRTUAL, or rebuild the table.")
      ]
    })
}

/// A column that is added to a table which was there before the migration: the tokens of its constraints.
private struct AddedColumn {
  let name: String
  let source: SQLSource
  private(set) var notNull: Int?
  private(set) var defaultValue: Range<Int>?
  private(set) var references: Int?
  private(set) var isGenerated = false
  /// The keyword STORED.
  private(set) var stored: Int?

  init?(_ linted: LintedStatement, _ scene: LintScene) {
    guard let syntax = linted.syntax, case .alterTable(let alteration) = syntax.statement,
      case .addColumn(let column) = alteration.action, !scene.destruction.isOwn(alteration.table.name.value)
    else { return nil }
    name = column.name.value
    source = syntax.source
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
    let inner = source.unwrapped(value)
    return inner.count == 1 && source.tokens[inner.lowerBound].isWord("null")
  }
}
