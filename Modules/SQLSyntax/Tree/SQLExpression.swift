/// An expression: the tokens that it covers and the names that it uses (https://www.sqlite.org/lang_expr.html).
///
/// The parser checks operators but does not store them: the operands contain all names that an expression uses.
package struct SQLExpression: Sendable {
  /// The tokens of the whole expression.
  package var tokens: Range<Int>
  /// The columns to which the expression refers, except those inside its subqueries.
  package var references: [SQLColumnReference] = []
  /// The subqueries, in parentheses or after `EXISTS`; they can refer to the same columns as the expression.
  var subqueries: [SQLSelect] = []
  /// The table names after `IN` without parentheses.
  var tables: [SQLQualifiedName] = []

  /// The column reference that is the whole expression; nil for other expressions.
  package var soleReference: SQLColumnReference? {
    guard references.count == 1, let first = references.first, first.tokens == tokens else { return nil }
    return first
  }

  mutating func absorb(_ part: SQLExpression) {
    references += part.references
    subqueries += part.subqueries
    tables += part.tables
  }
}

/// An expression whose value follows from the values of a single row, and whose columns can be replaced.
package struct SQLRowExpression: Sendable, Equatable {
  private struct Part: Sendable, Equatable {
    let text: String
    var column: String?
  }

  private var parts: [Part] = []
  /// The names of the columns, in ASCII lower case.
  package var columns: Set<String> { Set(parts.compactMap(\.column)) }

  /// Creates the expression that is a column alone.
  package init(column: String) { parts = [Part(text: "", column: column)] }

  /// Creates an expression without columns.
  package init(text: String) { parts = [Part(text: text)] }

  /// Reads an expression; fails if its value does not follow from those of a single row.
  ///
  /// - Parameter aggregates: The names of functions over several rows; max(a, b) can be one of them or not.
  package init?(_ expression: SQLExpression, in source: SQLSource, aggregates: Set<String> = []) {
    let isOfSeveral = { (token: SQLSource.Token) in
      token.isWord("select") || token.isWord("over") || aggregates.contains(token.folded)
    }
    guard !source.tokens[expression.tokens].contains(where: isOfSeveral) else { return nil }
    var index = expression.tokens.lowerBound
    while index < expression.tokens.upperBound {
      // TRUE and FALSE are values, unless the table has a column of this name, and then the text refers to it, too.
      let isTruth = ["true", "false"].contains(where: source.tokens[index].isWord)
      let reference = expression.references.first {
        $0.tokens.lowerBound == index && !(isTruth && $0.tokens.count == 1)
      }
      parts.append(Part(text: source.tokens[index].text, column: reference?.column.folded))
      index = reference?.tokens.upperBound ?? index + 1
    }
  }

  /// Returns the expression with another one instead of a column.
  package func replacing(_ column: String, with other: SQLRowExpression) -> SQLRowExpression {
    var new = self
    new.parts = parts.flatMap { part in
      part.column == column ? [Part(text: "(")] + other.parts + [Part(text: ")")] : [part]
    }
    return new
  }

  /// Whether the expression is a literal, or a sum, a multiple, a concatenation of a column with literals or another function of
  /// them, by which no value of that column becomes empty.
  package func isNeverEmpty(for column: String) -> Bool {
    guard columns.isSubset(of: [column]) else { return false }
    let others = parts.filter { $0.column == nil }.map(\.text)
    let operators = others.contains { $0.hasPrefix("'") } ? ["||", "(", ")"] : ["||", "(", ")", "+", "-", "*"]
    let types = ["cast", "as", "integer", "real", "numeric", "text"]
    // A text of spaces alone counts as empty.
    let functions =
      ["upper", "lower", "abs", "round", "coalesce", "ifnull", ","] + types
      + (others.contains("''") ? [] : ["replace"]) + (others.contains(",") ? [] : ["trim", "ltrim", "rtrim"])
    // After the column, an empty text is what these functions return for NULL.
    let place = parts.firstIndex { $0.column != nil } ?? parts.endIndex
    let isEmptyBefore = parts[..<place].contains { $0.text == "''" }
    return parts.count - others.count < 2 && !isEmptyBefore
      && others.allSatisfy {
        operators.contains($0) || functions.contains($0.asciiLowercased) || $0.first?.isNumber ?? false
          || $0.hasPrefix("'")
      }
  }

  /// Returns a condition on the rows of a table whose value in a column the expression shortens for good: of a number it leaves
  /// out the sign or digits after the point, so that its result for the result is the same, or the remainder of a division; of a
  /// text, the start or the end, so that its result for a longer text is the same.
  ///
  /// - Parameter cutsTexts: Whether a text counts, of which another expression might keep the rest.
  package func shortening(of column: String, in table: String, cutsTexts: Bool) -> String {
    let name = SQLRowExpression(column: column).text(of: table)
    let old = "+\(name)"
    let new = "(\(text(of: table)))"
    let takesPart = cutsTexts && parts.contains { ["substr", "substring"].contains($0.text.asciiLowercased) }
    let longer = ["\(name) || 'x'", "'x' || \(name)"].map { text in
      "(\(replacing(column, with: SQLRowExpression(text: text)).text(of: table))) IS \(new)"
    }
    let isPart =
      "WHEN typeof(\(new)) = 'text' AND length(\(new)) < length(\(old)) AND instr(\(old), \(new)) = 0 AND typeof(\(old)) = 'text' AND (\(longer.joined(separator: " OR "))) THEN 1"
    let divisors = zip(parts, parts.dropFirst()).filter { $0.text == "/" && $1.text.first?.isNumber ?? false }
    let remainders = divisors.map {
      "WHEN typeof(\(new)) = 'integer' AND abs(\(new) * \($1.text) - \(old)) BETWEEN 1 AND \($1.text) - 1 THEN 1 "
    }
    return """
      CASE \(takesPart ? isPart : "") WHEN typeof(\(new)) = 'text' OR \(new) = CAST(\(old) AS NUMERIC) THEN 0 \(remainders.joined())\
      ELSE \(old) = CAST(\(old) AS NUMERIC) AND abs(abs(\(new)) - abs(\(old))) < 1 \
      AND (\(replacing(column, with: self).text(of: table))) IS \(new) END
      """
  }

  /// Returns expressions that may return the value of a column from a result of this one, by the literals next to the column.
  ///
  /// Those that return it in each row keep it: they undo this expression.
  package func inverses(of column: String, from result: String) -> [String] {
    let literals = Set(parts.filter { $0.column == nil }.map(\.text))
    var found = literals.filter { $0.first?.isNumber ?? false }.sorted().flatMap { number in
      ["/", "%", "*", "+", "-"].map { "(\(result)) \($0) \(number)" } + ["(\(result)) / (\(number) * 1.0)"]
    }
    let functions = ["strftime", "unixepoch", "datetime", "julianday"]
    if literals.contains(where: { functions.contains($0.asciiLowercased) }) {
      let formats = ["%Y-%m-%d", "%H:%M:%S", "%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"]
      found += ["", ", 'unixepoch'"].flatMap { unit in
        formats.map { "strftime('\($0)', \(result)\(unit))" }
      }
    }
    let place = parts.firstIndex { $0.column == column } ?? parts.endIndex
    let isText = { (part: Part) in part.column == nil && part.text.hasPrefix("'") && part.text != "''" }
    if let before = parts[..<place].last(where: isText)?.text {
      found.append("substr(\(result), instr(\(result), \(before)) + length(\(before)))")
    }
    if let after = parts[place...].first(where: isText)?.text {
      found.append("substr(\(result), 1, instr(\(result), \(after)) - 1)")
    }
    return found
  }

  /// Returns the text, with columns of a table.
  package func text(of table: String) -> String {
    parts.map { part in
      part.column.map { "\(table.quotedIdentifier).\($0.quotedIdentifier)" } ?? part.text
    }.joined(separator: " ")
  }
}

/// A column or an expression in the list of a key, an index or ORDER BY.
package struct SQLIndexedColumn: Sendable {
  /// The tokens, including `COLLATE`, `ASC` and `DESC`.
  package let tokens: Range<Int>
  /// The expression, including `COLLATE`.
  package let expression: SQLExpression
  /// The column, if the expression is a single name, including one in single quotes; nil for other expressions.
  package let column: SQLName?
  /// The collation of the column; nil if none is given.
  package let collation: SQLName?
  /// Whether the order is descending.
  package let isDescending: Bool
}
