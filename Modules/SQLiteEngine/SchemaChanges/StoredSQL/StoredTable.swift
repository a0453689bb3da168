internal import Migrator

/// The parts of a `CREATE TABLE` statement as the engine keeps it (https://www.sqlite.org/lang_createtable.html).
struct StoredTable {
  /// A column: its name and the tokens of its definition.
  struct Column {
    let name: String
    let tokens: Range<Int>
  }

  let source: SQLSource

  /// The tokens between the parentheses.
  let body: Range<Int>

  /// The token that is the table's name.
  let nameToken: Int

  private(set) var columns: [Column] = []

  /// The tokens of the table's own constraints; several may share an element, as their commas may be left out.
  private(set) var constraints: [Range<Int>] = []

  /// Reads a statement; nil when it is none that this type understands, such as that of a virtual table.
  init?(_ sql: String) {
    source = SQLSource(sql)
    let tokens = source.tokens
    // The engine keeps statements as CREATE TABLE name(...), without TEMP, IF NOT EXISTS and the schema's name
    // (https://www.sqlite.org/schematab.html#interpretation_of_the_schema_table).
    guard source.isWellFormed, tokens.count > 4, tokens[0].isWord("create"), tokens[1].isWord("table"),
      tokens[3].isOperator("("), let close = source.closing(of: 3)
    else { return nil }
    nameToken = 2
    body = 4..<close
    for element in source.elements(in: body) {
      guard let first = element.first else { return nil }
      if !constraints.isEmpty || Self.beginsConstraint(tokens[first]) {
        constraints.append(element)
      } else {
        columns.append(Column(name: SQLIdentifier.unquoted(tokens[first].text), tokens: element))
      }
    }
    guard !columns.isEmpty else { return nil }
  }

  /// The table's name in lower case.
  var foldedName: String { source.tokens[nameToken].folded }

  /// The column of a name, given in lower case.
  func column(named folded: String) -> Column? { columns.first { $0.name.asciiLowercased == folded } }

  /// Whether the table is kept by its primary key (https://www.sqlite.org/withoutrowid.html).
  var isWithoutRowID: Bool {
    source.tokens[body.upperBound...].contains { $0.isWord("without") }
  }

  /// Whether ids of deleted rows are never used again; the word is reserved, thus found nowhere else.
  var isAutoincrement: Bool { source.tokens[body].contains { $0.isWord("autoincrement") } }

  /// The text with a column's definition behind the last one, which is where `ADD COLUMN` puts it.
  func adding(columnSQL: String) -> String {
    let last = columns.last.map { source.tokens[$0.tokens.upperBound - 1].range.upperBound } ?? 0
    return source.replacing([last..<last], with: ", " + columnSQL)
  }

  /// The text without a column and the comma that belongs to it; nil when it is the only one.
  func dropping(_ column: Column) -> String? {
    guard columns.count > 1 else { return nil }
    let bytes =
      source.tokens[column.tokens.lowerBound].range
      .lowerBound..<source.tokens[column.tokens.upperBound - 1]
      .range.upperBound
    guard column.tokens.lowerBound == body.lowerBound else {
      let comma = source.tokens[column.tokens.lowerBound - 1].range.lowerBound
      return source.replacing([comma..<bytes.upperBound], with: "")
    }
    let next = source.tokens[column.tokens.upperBound + 1].range.lowerBound
    return source.replacing([bytes.lowerBound..<next], with: "")
  }

  /// These words are reserved, so that a column of such a name must be quoted.
  private static func beginsConstraint(_ token: SQLSource.Token) -> Bool {
    token.kind == .word && ["constraint", "primary", "unique", "check", "foreign"].contains(token.folded)
  }
}

extension SQLSource {
  /// The parts of a range of tokens between commas that stand outside parentheses.
  func elements(in range: Range<Int>) -> [Range<Int>] {
    var elements: [Range<Int>] = []
    var start = range.lowerBound
    var depth = 0
    for index in range {
      if tokens[index].isOperator("(") { depth += 1 }
      if tokens[index].isOperator(")") { depth -= 1 }
      guard depth == 0, tokens[index].isOperator(",") else { continue }
      elements.append(start..<index)
      start = index + 1
    }
    elements.append(start..<range.upperBound)
    return elements
  }
}
