internal import Migrator
internal import SQLSyntax

extension LintRule {
  /// A rule that finds words of other databases, or a forgotten comma, in the type of a column, and a name as its default.
  static let misreadType: LintRule = LintRule(
    name: "misread-type", summary: "words that SQLite takes for a part of a column's type, or for a text",
    details:
      "The type of a column may consist of any words. Those of other databases have no effect there, and without a comma, "
      + "the next column is a part of the type. A name after DEFAULT, such as now, is a text. "
      + "(https://www.sqlite.org/datatype3.html#determination_of_column_affinity)",
    beforeStatement: { linted, _ in
      let columns: [SQLColumnSyntax]
      var isAdded = false
      switch linted.syntax?.statement {
      case .createTable(let table): columns = table.columns
      case .alterTable(let alteration):
        guard case .addColumn(let column) = alteration.action else { return [] }
        (columns, isAdded) = ([column], true)
      default: return []
      }
      return columns.compactMap { column in
        let words = column.type.map { linted.tokens[$0] }.map { $0.text == "[]" ? "[]" : $0.folded }
        guard let (index, remedy) = misread(words, of: column, isAdded: isAdded) else { return nil }
        return linted.finding(
          .misreadType, at: column.type.lowerBound + index,
          "SQLite takes \(linted.text(column.type.lowerBound + index..<column.type.upperBound)) for a part of the type of "
            + "column \"\(column.name.value)\"",
          remedy: remedy)
      } + columns.flatMap(\.constraints).compactMap { misreadDefault($0, linted) }
    })

  private static func misreadDefault(_ constraint: SQLColumnConstraint, _ linted: LintedStatement) -> LintFinding? {
    let values: Set = ["null", "true", "false", "current_time", "current_date", "current_timestamp"]
    guard case .defaultValue(let value) = constraint.kind, value.tokens.count == 1 else { return nil }
    let token = linted.tokens[value.tokens.lowerBound]
    guard token.kind == .word, !values.contains(token.folded) else { return nil }
    return linted.finding(
      .misreadType, at: value.tokens.lowerBound, "SQLite takes the default \(token.text) for the text '\(token.text)'",
      remedy: "Write a text in single quotes, the time as CURRENT_TIMESTAMP, and what is computed in parentheses.")
  }

  private static let numbering = "For numbered rows, write INTEGER PRIMARY KEY, with exactly this type."
  private static let types: Set = [
    "bigint", "boolean", "date", "datetime", "int", "integer", "numeric", "real", "text", "timestamp", "varchar",
  ]

  private static let constraints = [
    "autoincrement", "check", "collate", "constraint", "default", "generated", "primary", "references", "unique",
  ]

  /// Returns the first word of a type that has no effect, with the remedy; nil if there is none.
  private static func misread(
    _ words: [String], of column: SQLColumnSyntax, isAdded: Bool
  ) -> (index: Int, remedy: String)? {
    for (index, word) in words.enumerated() {
      switch word {
      case "serial", "bigserial", "smallserial": if column.isPrimaryKey { return (index, numbering) }
      case _
      where isAdded && index == 1 && types.contains(word)
        && Suggestion.nearest(to: column.name.folded, among: ["column"]) != nil
        && !types.contains(words[0]):
        return (0, "Write ADD COLUMN, and the name of the column.")
      case _ where index == 0: continue
      case "auto_increment", "autoincrement", "identity": return (index, numbering)
      case "after", "first": return (index, "Delete it: SQLite adds a column after all others.")
      case "comment": return (index, "Delete it, and write a comment with `--`.")
      case "key": return (index, "Write PRIMARY KEY.")
      case "visible", "invisible": return (index, "Delete it: the columns of SQLite's tables are visible.")
      case "array", "[]": return (index, "SQLite has no arrays: write JSON, or the values as rows of another table.")
      default:
        if let meant = Suggestion.nearest(to: word, among: constraints) {
          return (index, "Did you mean \(meant.uppercased())?")
        }
        // The word before it is the name of the next column.
        if index > 1, types.contains(word), types.contains(words[0]) { return (index - 1, "Write a comma before it.") }
      }
    }
    return nil
  }
}

extension LintRule {
  /// A rule that finds spaces and quotes of web pages and editors, which end no word.
  static let misreadSpace: LintRule = LintRule(
    name: "misread-space", summary: "a space or a quote that SQLite takes for a letter",
    details:
      "Outside of quotes, each character beyond ASCII is a letter for SQLite, also a no-break space and those that are invisible: "
      + "NOT and NULL with such a space between them are one word, and no constraint. A name between typographic quotes contains "
      + "them. "
      + "(https://www.sqlite.org/draft/tokenreq.html)",
    beforeStatement: { linted, _ in
      for index in linted.tokens.indices where linted.tokens[index].kind == .word {
        let token = linted.tokens[index]
        guard !token.text.utf8.allSatisfy({ $0 < 0x80 }),
          let space = token.text.unicodeScalars.first(where: \.looksLikeSpace) ?? token.text.typographicQuote
        else { continue }
        return [
          linted.finding(
            .misreadSpace, at: index, "SQLite takes \(token.text) for one word, with the character \(space.code) in it",
            remedy: space.looksLikeSpace
              ? "Write an ordinary space in its place, or delete it." : "Write \" around names, and ' around strings.")
        ]
      }
      return []
    })
}

extension LintRule {
  /// A rule that finds operators that do something else than they seem to.
  static let misreadOperator: LintRule = LintRule(
    name: "misread-operator", summary: "a comparison with NULL by = or <>, a sum of texts, or AND between assignments",
    details:
      "`= NULL` and `<> NULL` are true for no row. `+` adds numbers: a text counts as the number with which it begins, or as "
      + "0. `SET a = 1 AND b = 2` assigns only to a, and the result of the condition `1 AND b = 2`. (https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes)",
    beforeStatement: { linted, _ in
      let tokens = linted.tokens
      // The arguments of a module are no expressions.
      guard !tokens.prefix(2).contains(where: { $0.isWord("virtual") }) else { return [] }
      return tokens.indices.compactMap { index in
        guard tokens[index].kind == .operator || tokens[index].isWord("and") else { return nil }
        let (text, remedy): (String, String)
        switch tokens[index].text {
        case "=" where linted.comparesWithNull(at: index), "==" where linted.comparesWithNull(at: index):
          (text, remedy) = ("is true for no row", "Write IS NULL.")
        case "<>" where linted.comparesWithNull(at: index), "!=" where linted.comparesWithNull(at: index):
          (text, remedy) = ("is true for no row", "Write IS NOT NULL.")
        case "+" where linted.addsText(at: index):
          (text, remedy) = ("adds numbers, not texts", "Write || between texts.")
        case _ where linted.joinsAssignments(at: index):
          (text, remedy) = ("begins a condition, whose result the column gets", "Write a comma between assignments.")
        default: return nil
        }
        return linted.finding(
          .misreadOperator, at: index, "\(linted.text(max(0, index - 1)..<index + 2)) \(text)", remedy: remedy)
      }
    })
}

extension LintedStatement {
  /// Whether an operator compares something with NULL, and does not assign NULL to a column.
  fileprivate func comparesWithNull(at index: Int) -> Bool {
    guard index > 1, index + 1 < tokens.count, tokens[index + 1].isWord("null") else { return false }
    let before = tokens[index - 2]
    return tokens[index].text != "="
      || !(before.isWord("set") || before.isOperator(",") || tokens[index - 1].isOperator(")"))
  }

  /// Whether AND stands between two assignments, each of a column, in the place of a comma.
  fileprivate func joinsAssignments(at index: Int) -> Bool {
    guard index > 3, index + 2 < tokens.count, tokens[index].isWord("and") else { return false }
    let isValue = [.string, .number, .variable].contains(tokens[index - 1].kind)
    return isValue && tokens[index - 4].isWord("set") && tokens[index - 2].isOperator("=")
      && tokens[index + 2].isOperator("=")
  }

  /// Whether an operator adds a text that is no number to something, or something to it.
  fileprivate func addsText(at index: Int) -> Bool {
    let isText = { (token: SQLSource.Token) in
      let text = SQLIdentifier.unquoted(token.text)
      return token.kind == .string && !text.isEmpty && Double(text) == nil
    }
    guard index > 0, index + 1 < tokens.count else { return false }
    // In a sum of several texts, the first operator is enough.
    if isText(tokens[index - 1]) { return index < 2 || !tokens[index - 2].isOperator("+") }
    guard isText(tokens[index + 1]) else { return false }
    // After a keyword, the operator is a sign.
    return switch tokens[index - 1].kind {
    case .string, .number, .quotedIdentifier, .variable: true
    case .operator: tokens[index - 1].isOperator(")")
    default: syntax.map { SQLNames(in: $0).uses.contains { $0.role == .column && $0.name.token == index - 1 } } ?? false
    }
  }
}

extension SQLColumnSyntax {
  fileprivate var isPrimaryKey: Bool {
    constraints.contains { if case .primaryKey = $0.kind { true } else { false } }
  }
}

extension String {
  /// The typographic quote with which a word begins or ends; nil if there is none.
  fileprivate var typographicQuote: Unicode.Scalar? {
    [unicodeScalars.first, unicodeScalars.last].lazy.compactMap(\.self).first {
      ("\u{2018}"..."\u{201F}").contains($0) || $0 == "\u{00AB}" || $0 == "\u{00BB}"
    }
  }
}
