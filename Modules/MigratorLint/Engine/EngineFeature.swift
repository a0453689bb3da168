internal import Migrator
internal import SQLSyntax

/// Something that SQLite learnt in a version (https://www.sqlite.org/changes.html).
struct EngineFeature: Sendable {
  /// What it is, as a subject of a sentence.
  let name: String
  /// The first version that has it.
  let since: EngineVersion
  /// What does the same in older versions.
  let remedy: String
  /// The token at which a statement uses it; nil when it does not.
  let use: @Sendable (LintedStatement, StatementParts) -> Int?

  /// All that is known, in no order.
  static let all = alterations + definitions + rows + expressions

  private static let rebuild = "Rebuild the table: make a new one, copy, drop the old one, rename the new one."

  private static let alterations: [EngineFeature] = [
    altering("ALTER TABLE ... RENAME COLUMN", EngineVersion(3, 25)) {
      if case .renameColumn = $0 { true } else { false }
    },
    altering("ALTER TABLE ... DROP COLUMN", EngineVersion(3, 35)) { if case .dropColumn = $0 { true } else { false } },
    altering("ALTER TABLE with constraints", EngineVersion(3, 53)) { action in
      switch action {
      case .addConstraint, .dropConstraint, .alterColumn: true
      default: false
      }
    },
  ]

  private static let definitions: [EngineFeature] = [
    EngineFeature(name: "STRICT", since: EngineVersion(3, 37), remedy: "Check types with CHECK (typeof(...) = ...).") {
      linted, _ in linted.createdTable?.options.first { $0.option == .strict }?.tokens.lowerBound
    },
    EngineFeature(name: "WITHOUT ROWID", since: EngineVersion(3, 8, 2), remedy: "Leave it out.") { linted, _ in
      linted.createdTable?.options.first { $0.option == .withoutRowID }?.tokens.lowerBound
    },
    EngineFeature(
      name: "A generated column", since: EngineVersion(3, 31),
      remedy: "Compute the value in a view, or fill it by triggers."
    ) { linted, _ in
      linted.definedColumns.lazy.flatMap(\.constraints).first { constraint in
        if case .generated = constraint.kind { true } else { false }
      }?.tokens.lowerBound
    },
    EngineFeature(name: "A partial index", since: EngineVersion(3, 8), remedy: "Index all rows.") { linted, _ in
      linted.createdIndex?.condition?.tokens.lowerBound
    },
    EngineFeature(name: "An index on an expression", since: EngineVersion(3, 9), remedy: "Index a column.") {
      linted, _ in linted.createdIndex?.columns.first { $0.column == nil }?.tokens.lowerBound
    },
    EngineFeature(name: "FTS5", since: EngineVersion(3, 9), remedy: "Use FTS4.") { linted, _ in
      guard case .createVirtualTable(let table)? = linted.syntax?.statement, table.module.folded == "fts5" else {
        return nil
      }
      return table.module.token
    },
    EngineFeature(name: "VACUUM INTO", since: EngineVersion(3, 27), remedy: "Use VACUUM, or copy the file.") {
      linted, _ in linted.statement.kind == .vacuum ? linted.place(of: "into") : nil
    },
  ]

  private static let rows: [EngineFeature] = [
    EngineFeature(
      name: "INSERT ... ON CONFLICT DO (UPSERT)", since: EngineVersion(3, 24),
      remedy: "Use INSERT OR IGNORE followed by UPDATE, or INSERT OR REPLACE."
    ) { linted, parts in
      parts.inserts.first { !$0.upserts.isEmpty }.flatMap { linted.place(of: "on", "conflict", in: $0.tokens) }
    },
    EngineFeature(name: "RETURNING", since: EngineVersion(3, 35), remedy: "Use SELECT afterwards.") { linted, parts in
      let isUsed =
        parts.inserts.contains { !$0.returning.isEmpty } || parts.updates.contains { !$0.returning.isEmpty }
        || parts.deletes.contains { !$0.returning.isEmpty }
      return isUsed ? linted.place(of: "returning") : nil
    },
    EngineFeature(name: "UPDATE ... FROM", since: EngineVersion(3, 33), remedy: "Use a subquery for the value.") {
      _, parts in parts.updates.first { !$0.sources.isEmpty }?.sources.first?.tokens.lowerBound
    },
    EngineFeature(name: "WITH", since: EngineVersion(3, 8, 3), remedy: "Use a subquery.") { _, parts in
      let common =
        parts.selects.flatMap(\.commonTables) + parts.inserts.flatMap(\.commonTables)
        + parts.updates.flatMap(\.commonTables) + parts.deletes.flatMap(\.commonTables)
      return common.first?.name.token
    },
    EngineFeature(name: "MATERIALIZED", since: EngineVersion(3, 35), remedy: "Leave the word out.") { linted, _ in
      linted.place(of: "as", "materialized") ?? linted.place(of: "as", "not", "materialized")
    },
    EngineFeature(name: "RIGHT JOIN", since: EngineVersion(3, 39), remedy: "Turn the tables round: LEFT JOIN.") {
      linted, _ in linted.place(of: "right", "join") ?? linted.place(of: "right", "outer", "join")
    },
    EngineFeature(name: "FULL JOIN", since: EngineVersion(3, 39), remedy: "Combine two LEFT JOINs with UNION ALL.") {
      linted, _ in linted.place(of: "full", "join") ?? linted.place(of: "full", "outer", "join")
    },
    EngineFeature(name: "NULLS FIRST", since: EngineVersion(3, 30), remedy: "Order by `x IS NULL` first.") {
      linted, _ in linted.place(of: "nulls", "first") ?? linted.place(of: "nulls", "last")
    },
  ]

  private static func altering(
    _ name: String, _ since: EngineVersion, _ isUsed: @escaping @Sendable (SQLAlterTable.Action) -> Bool
  ) -> EngineFeature {
    EngineFeature(name: name, since: since, remedy: rebuild) { linted, _ in
      guard case .alterTable(let alteration)? = linted.syntax?.statement, isUsed(alteration.action) else { return nil }
      return alteration.table.tokens.upperBound
    }
  }
}

extension LintedStatement {
  fileprivate var createdTable: SQLCreateTable? {
    if case .createTable(let table)? = syntax?.statement { table } else { nil }
  }

  fileprivate var createdIndex: SQLCreateIndex? {
    if case .createIndex(let index)? = syntax?.statement { index } else { nil }
  }

  fileprivate var definedColumns: [SQLColumnSyntax] {
    guard case .alterTable(let alteration)? = syntax?.statement, case .addColumn(let column) = alteration.action else {
      return createdTable?.columns ?? []
    }
    return [column]
  }

  /// The first of some words, where they follow each other; nil when they do not.
  func place(of words: String..., in range: Range<Int>? = nil) -> Int? {
    let tokens = tokens
    return (range ?? tokens.indices).first { start in
      words.enumerated().allSatisfy { ahead, word in
        start + ahead < tokens.count && tokens[start + ahead].isWord(word)
      }
    }
  }
}
