internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

extension LintRule {
  /// `INSERT ... SELECT *` from a table, also in a trigger.
  static let insertSelectStar: LintRule = LintRule(
    name: "insert-select-star", summary: "INSERT ... SELECT *",
    details:
      "It depends on the order and number of the columns, which differ between a database that was altered and one that was "
      + "made anew. (https://www.sqlite.org/lang_insert.html)",
    beforeStatement: { linted, _ in
      StatementParts(linted.syntax).inserts.flatMap { insert -> [LintFinding] in
        guard let select = insert.select else { return [] }
        let common = Set((insert.commonTables + select.commonTables).map(\.name.folded))
        return select.cores.compactMap { core in
          guard let star = core.results.lazy.compactMap(\.star).first,
            core.sources.contains(where: { $0.isTable(common) })
          else { return nil }
          return linted.finding(
            .insertSelectStar, at: star,
            "SELECT * takes the columns in the order in which this database happens to have them",
            remedy: "Name the columns on both sides: INSERT INTO \(insert.table.name.value) (a, b) SELECT a, b FROM ..."
          )
        }
      }
    })
}

extension SQLResultColumn {
  /// The token at which all columns are asked for; nil for an expression.
  fileprivate var star: Int? {
    switch self {
    case .all(let token): token
    case .allOf(let table): table.token
    case .expression: nil
    }
  }
}

extension SQLTableSource {
  /// Whether the rows come from a table of the schema, whose columns the statement does not list.
  fileprivate func isTable(_ common: Set<String>) -> Bool {
    switch kind {
    case .table(let name): !common.contains(name.name.folded)
    case .join(let sources): sources.contains { $0.isTable(common) }
    case .function, .subquery: false
    }
  }
}
