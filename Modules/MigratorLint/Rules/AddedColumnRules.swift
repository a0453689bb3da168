internal import Migrator
internal import SQLSyntax

// The forms of `ALTER TABLE ADD COLUMN` that fail if the table has rows
// (https://www.sqlite.org/lang_altertable.html#altertabaddcol).
extension LintRule {
  static let addNotNullColumn: LintRule = LintRule(
    name: "add-not-null-column", summary: "ADD COLUMN ... NOT NULL without a default",
    details:
      "SQLite accepts it while the table is empty, as on a developer's machine, and rejects it when the table has rows. "
      + "(https://www.sqlite.org/lang_altertable.html#altertabaddcol)",
    beforeStatement: { linted, scene in
      guard let added = AddedColumn(linted, scene), let token = added.notNull, !added.isGenerated,
        added.defaultValue.map(added.isNull) ?? true
      else { return [] }
      return [
        linted.finding(
          .addNotNullColumn, at: token,
          "column \"\(added.name)\" is NOT NULL and has no default: existing rows would have no value for it",
          remedy: "Give it a constant default; or add it without NOT NULL, fill it, and rebuild the table.")
      ]
    })

  static let addExpressionDefault: LintRule = LintRule(
    name: "add-expression-default", summary: "ADD COLUMN ... DEFAULT with an expression",
    details:
      "SQLite accepts CURRENT_TIMESTAMP and expressions while the table is empty, and rejects them when it has rows. "
      + "(https://www.sqlite.org/lang_altertable.html#altertabaddcol)",
    beforeStatement: { linted, scene in
      // SQLite accepts a literal even when the table has rows.
      guard let added = AddedColumn(linted, scene), let value = added.defaultValue, !added.source.isLiteral(value)
      else { return [] }
      return [
        linted.finding(
          .addExpressionDefault, at: value.lowerBound,
          "the default of column \"\(added.name)\", \(linted.text(value)), is not a constant: SQLite cannot add the column to a table "
            + "with rows",
          remedy: "Add it without the default and fill it with UPDATE, or rebuild the table.")
      ]
    })

  static let addReferencingDefault: LintRule = LintRule(
    name: "add-referencing-default", summary: "ADD COLUMN ... REFERENCES with a default",
    details:
      "With foreign keys on, SQLite accepts it only while the table is empty. The rule applies to migrations that run with "
      + "foreign keys on. (https://www.sqlite.org/lang_altertable.html#altertabaddcol)",
    beforeStatement: { linted, scene in
      guard let added = AddedColumn(linted, scene), let token = added.references, let value = added.defaultValue,
        !added.isNull(value), try scene.db.connection.enforcesForeignKeys()
      else { return [] }
      return [
        linted.finding(
          .addReferencingDefault, at: token,
          "column \"\(added.name)\" references another table and has a default: with foreign keys on, SQLite cannot add it to a table "
            + "with rows",
          remedy:
            "Add it without the default and fill it with UPDATE, or run the migration with foreign keys deferred.")
      ]
    })

  static let addStoredColumn: LintRule = LintRule(
    name: "add-stored-column", summary: "ADD COLUMN of a stored generated column",
    details:
      "SQLite accepts it while the table is empty, and rejects it when the table has rows. (https://www.sqlite.org/gencol.html)",
    beforeStatement: { linted, scene in
      guard let added = AddedColumn(linted, scene), let token = added.stored else { return [] }
      return [
        linted.finding(
          .addStoredColumn, at: token,
          "column \"\(added.name)\" is a stored generated column: SQLite cannot add it to a table with rows",
          remedy: "Make it VIRTUAL, or rebuild the table.")
      ]
    })
}

/// A column that is added to a table that existed before the migration, with the tokens of its constraints.
private struct AddedColumn {
  let name: String
  let source: SQLSource
  private(set) var notNull: Int?
  private(set) var defaultValue: Range<Int>?
  private(set) var references: Int?
  private(set) var isGenerated = false
  /// The token of the keyword STORED; nil if there is none.
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
