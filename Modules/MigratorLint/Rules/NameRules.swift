internal import Migrator
internal import SQLSyntax

extension LintRule {
  static let doubleQuotedText: LintRule = LintRule(
    name: "double-quoted-text", summary: "a string literal in double quotes",
    details:
      "SQLite treats an unknown name in double quotes as a string literal, so a misspelled column becomes a constant instead of "
      + "an error. Newer builds of SQLite reject it. (https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted)",
    beforeStatement: { linted, scene in
      let defaults = defaultTokens(linted)
      // Reading the tables takes longer than the rest.
      guard let syntax = linted.syntax, linted.tokens.contains(where: { $0.text.hasPrefix("\"") }) else { return [] }
      var lookup = try NameLookup(syntax, db: scene.db)
      let unresolved = try lookup.references.filter { use in
        guard use.qualifier == nil, isDoubleQuoted(use.name.token, linted) else { return false }
        return try !defaults.contains(use.name.token) && lookup.isUnknown(use)
      }
      return (unresolved.map(\.name.token) + defaults.sorted()).map { token in
        let text = linted.tokens[token].text
        return linted.finding(
          .doubleQuotedText, at: token, "\(text) is not a column, so SQLite treats it as a string literal",
          remedy: "Use single quotes for a string literal; check the spelling if you meant a column.")
      }
    })

  /// Returns the tokens of double-quoted DEFAULT values, which are always string literals.
  private static func defaultTokens(_ linted: LintedStatement) -> Set<Int> {
    let columns: [SQLColumnSyntax] =
      switch linted.syntax?.statement {
      case .createTable(let table): table.columns
      case .alterTable(let alteration): if case .addColumn(let column) = alteration.action { [column] } else { [] }
      default: []
      }
    let values = columns.flatMap(\.constraints).compactMap { constraint -> Int? in
      guard case .defaultValue(let value) = constraint.kind, value.tokens.count == 1 else { return nil }
      return value.tokens.lowerBound
    }
    return Set(values.filter { isDoubleQuoted($0, linted) })
  }

  private static func isDoubleQuoted(_ token: Int, _ linted: LintedStatement) -> Bool {
    guard let token = linted.syntax?.source.token(token) else { return false }
    return token.kind == .quotedIdentifier && token.text.hasPrefix("\"")
  }
}

extension LintRule {
  static let insertSelectStar: LintRule = LintRule(
    name: "insert-select-star", summary: "INSERT ... SELECT *",
    details:
      "It depends on the order and number of the columns, which can differ between a database that was altered and one that "
      + "was created from scratch. (https://www.sqlite.org/lang_insert.html)",
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
            "SELECT * returns the columns in whatever order this database has them",
            remedy: "Name the columns on both sides: INSERT INTO \(table) (a, b) SELECT a, b FROM ...")
        }
      }
    })
}

extension SQLResultColumn {
  /// The token of `*`, or of the table in `table.*`; nil for other result columns.
  fileprivate var star: Int? {
    switch self {
    case .all(let token): token
    case .allOf(let table): table.token
    case .expression: nil
    }
  }
}

extension SQLRows {
  /// Whether the rows come from a stored table, whose columns the statement does not show.
  fileprivate var isStored: Bool {
    switch kind {
    case .stored: true
    case .join(let parts): parts.contains(where: \.isStored)
    default: false
    }
  }
}
