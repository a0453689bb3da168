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
      guard let names = linted.syntax.map({ SQLNames(in: $0) }) else { return [] }
      return names.queries.flatMap { query -> [LintFinding] in
        guard case .insertion(let insertion) = query.purpose else { return [] }
        return zip(query.select.cores, query.scopes).compactMap { core, scope in
          guard let star = core.results.lazy.compactMap(\.star).first,
            names.scopes[scope].rows.contains(where: \.isStored)
          else { return nil }
          let table = names.inserts[insertion].table.name.value
          return linted.finding(
            .insertSelectStar, at: star,
            "SELECT * takes the columns in the order in which this database happens to have them",
            remedy: "Name the columns on both sides: INSERT INTO \(table) (a, b) SELECT a, b FROM ...")
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

extension SQLRows {
  /// Whether they come from a table of the schema, whose columns the statement does not list.
  fileprivate var isStored: Bool {
    switch kind {
    case .stored: true
    case .join(let parts): parts.contains(where: \.isStored)
    default: false
    }
  }
}
