internal import Migrator
internal import SQLSyntax

extension LintRule {
  /// A rule that finds words of other databases, or a forgotten comma, in the type of a column.
  static let misreadType: LintRule = LintRule(
    name: "misread-type", summary: "words that SQLite takes for a part of a column's type",
    details:
      "The type of a column may consist of any words. Those of other databases have no effect there, and without a comma, "
      + "the next column is a part of the type. (https://www.sqlite.org/datatype3.html#determination_of_column_affinity)",
    beforeStatement: { linted, _ in
      let columns: [SQLColumnSyntax]
      switch linted.syntax?.statement {
      case .createTable(let table): columns = table.columns
      case .alterTable(let alteration):
        guard case .addColumn(let column) = alteration.action else { return [] }
        columns = [column]
      default: return []
      }
      return columns.compactMap { column in
        let words = column.type.map { linted.tokens[$0] }.map { $0.text == "[]" ? "[]" : $0.folded }
        guard let (index, remedy) = misread(words, isKey: column.isPrimaryKey) else { return nil }
        return linted.finding(
          .misreadType, at: column.type.lowerBound + index,
          "SQLite takes \(linted.text(column.type.lowerBound + index..<column.type.upperBound)) for a part of the type of "
            + "column \"\(column.name.value)\"",
          remedy: remedy)
      }
    })

  private static let numbering = "For numbered rows, write INTEGER PRIMARY KEY, with exactly this type."
  private static let types: Set = [
    "bigint", "boolean", "date", "datetime", "int", "integer", "numeric", "real", "text", "timestamp", "varchar",
  ]

  /// Returns the first word of a type that has no effect, with the remedy; nil if there is none.
  private static func misread(_ words: [String], isKey: Bool) -> (index: Int, remedy: String)? {
    for (index, word) in words.enumerated() {
      switch word {
      case "serial", "bigserial", "smallserial": if isKey { return (index, numbering) }
      case _ where index == 0: continue
      case "auto_increment", "autoincrement", "identity": return (index, numbering)
      case "after", "first": return (index, "Delete it: SQLite adds a column after all others.")
      case "comment": return (index, "Delete it, and write a comment with `--`.")
      case "key": return (index, "Write PRIMARY KEY.")
      case "visible", "invisible": return (index, "Delete it: the columns of SQLite's tables are visible.")
      case "array", "[]": return (index, "SQLite has no arrays: write JSON, or the values as rows of another table.")
      default:
        // The word before it is the name of the next column.
        if index > 1, types.contains(word), types.contains(words[0]) { return (index - 1, "Write a comma before it.") }
      }
    }
    return nil
  }
}

extension SQLColumnSyntax {
  fileprivate var isPrimaryKey: Bool {
    constraints.contains { if case .primaryKey = $0.kind { true } else { false } }
  }
}
