internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

extension LintRule {
  /// A name in double quotes that names nothing, and is taken for a text.
  static let doubleQuotedText: LintRule = LintRule(
    name: "double-quoted-text", summary: "a text in double quotes",
    details:
      "A name in double quotes that names nothing is taken for a text, so that a misspelt column is no error but a constant. "
      + "Newer builds of SQLite refuse it. (https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted)",
    beforeStatement: { linted, scene in
      let defaults = defaultTokens(linted)
      guard let syntax = linted.syntax else { return [] }
      var lookup = try NameLookup(syntax, db: scene.db)
      let unresolved = try lookup.references.filter { use in
        guard use.qualifier == nil, isDoubleQuoted(use.name.token, linted) else { return false }
        return try !defaults.contains(use.name.token) && lookup.isUnknown(use)
      }
      return (unresolved.map(\.name.token) + defaults.sorted()).map { token in
        let text = linted.tokens[token].text
        return linted.finding(
          .doubleQuotedText, at: token, "\(text) names no column, and is taken for a text",
          remedy: "Write a text in single quotes; check the spelling if a column is meant.")
      }
    })

  /// The tokens of defaults, which are always texts.
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
