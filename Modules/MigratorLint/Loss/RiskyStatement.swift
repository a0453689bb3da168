internal import SQLSyntax

/// A statement that can remove rows or values from a table, or that can fail because of the table's rows.
struct RiskyStatement {
  /// The way in which a statement acts on rows.
  enum Kind {
    /// Deletes rows.
    case delete
    /// Changes rows.
    case update
    /// Inserts rows, and deletes those that conflict with them.
    case replace
    /// Removes a table.
    case dropTable
    /// Removes a column.
    case dropColumn
    /// Creates a unique index.
    case uniqueIndex
  }

  let kind: Kind
  /// The table, in ASCII lower case.
  let table: String

  /// Determines the kind of a statement; nil if no ``Kind`` applies to the statement.
  ///
  /// To save time, parses the statement only if its first tokens can begin a statement of such a kind.
  init?(_ statement: SQLStatement) {
    switch SQLStatementEffect(of: statement.text) {
    case .dropTable(let table): (kind, self.table) = (.dropTable, table.asciiLowercased)
    case .dropColumn(let table, _): (kind, self.table) = (.dropColumn, table.asciiLowercased)
    default:
      guard Self.isCandidate(statement.text), let syntax = try? SQLTree(parsing: statement.text) else { return nil }
      switch syntax.statement {
      case .data(.delete(let change)): (kind, table) = (.delete, change.table.name.folded)
      case .data(.update(let change)): (kind, table) = (.update, change.table.name.folded)
      case .data(.insert(let insert)) where Self.replaces(syntax.source):
        (kind, table) = (.replace, insert.table.name.folded)
      case .createIndex(let index) where index.isUnique: (kind, table) = (.uniqueIndex, index.table.folded)
      default: return nil
      }
    }
  }

  private static func isCandidate(_ sql: String) -> Bool {
    var words = SQLTokenizer(sql).lazy.filter { !$0.isTrivia }.prefix(2).makeIterator()
    let tokenizer = SQLTokenizer(sql)
    let first = words.next().map { tokenizer.text(of: $0).asciiLowercased }
    let second = words.next().map { tokenizer.text(of: $0).asciiLowercased }
    switch first {
    case "delete", "update", "replace", "with": return true
    case "insert": return second == "or"
    case "create": return second == "unique"
    default: return false
    }
  }

  /// Whether an INSERT is a `REPLACE INTO` or an `INSERT OR REPLACE INTO`.
  private static func replaces(_ source: SQLSource) -> Bool {
    guard let place = source.tokens.firstIndex(where: { $0.isWord("into") }), place > 0 else { return false }
    return source.tokens[place - 1].isWord("replace")
  }
}

extension SQLStatement {
  /// The new name that the statement gives to a table, in ASCII lower case; nil if it does not rename a table.
  var newTableName: String? {
    if case .renameTable(_, let name) = SQLStatementEffect(of: text) { name.asciiLowercased } else { nil }
  }

  /// Whether the statement opens or writes another file.
  var reachesOtherFiles: Bool {
    switch kind {
    case .attach, .detach: true
    case .vacuum: SQLSource(text).tokens.contains { $0.isWord("into") }
    default: false
    }
  }

  /// The statement's text; if the statement stores the rows of a query, the query's LIMIT is replaced by 1.
  ///
  /// There are so few sample rows that the original LIMIT would not exclude any.
  var textWithLowestLimit: String {
    guard text.utf8.count < 100_000, text.asciiLowercased.contains("limit") else { return text }
    let source = SQLSource(text)
    guard
      source.tokens.first.map({ token in ["insert", "replace", "create", "with"].contains { token.isWord($0) } })
        == true
    else { return text }
    var depth = 0
    var limit: Int?
    var end = source.tokens.count
    for (index, token) in source.tokens.enumerated() {
      if token.isOperator("(") { depth += 1 }
      if token.isOperator(")") { depth -= 1 }
      guard depth == 0 else { continue }
      if token.isWord("limit") {
        (limit, end) = (index + 1, source.tokens.count)
      } else if limit != nil, token.isWord("offset") || token.isOperator(",") || token.isWord("returning") {
        end = min(end, index)
      }
    }
    guard let limit, limit < end else { return text }
    return source.replacing([(source.utf8Range(of: limit..<end), "1")])
  }
}
