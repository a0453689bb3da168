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
  /// Whether the statement may remove rows of its table by itself.
  var removesRows: Bool { [.delete, .replace, .dropTable].contains(kind) }
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
      guard Self.isCandidate(statement), let syntax = try? SQLTree(parsing: statement.text) else { return nil }
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

  private static func isCandidate(_ statement: SQLStatement) -> Bool {
    let tokens = statement.firstTokens(2)
    return switch tokens.first {
    case "delete", "update", "replace", "with": true
    case "insert": tokens.last == "or"
    case "create": tokens.last == "unique"
    default: false
    }
  }

  /// Whether an INSERT is a `REPLACE INTO` or an `INSERT OR REPLACE INTO`.
  private static func replaces(_ source: SQLSource) -> Bool {
    guard let place = source.tokens.firstIndex(where: { $0.isWord("into") }), place > 0 else { return false }
    return source.tokens[place - 1].isWord("replace")
  }
}

extension SQLStatement {
  /// Returns the first tokens of the statement, in ASCII lower case.
  func firstTokens(_ count: Int) -> [String] {
    let tokenizer = SQLTokenizer(text)
    var tokens: [String] = []
    for token in tokenizer where !token.isTrivia {
      tokens.append(tokenizer.text(of: token).asciiLowercased)
      if tokens.count == count { break }
    }
    return tokens
  }

  /// Whether the statement neither defines nor reads an object, and may write rows.
  var writesRows: Bool {
    !["create", "alter", "pragma", "select", "analyze", "reindex"].contains(firstTokens(1).first ?? "")
  }

  /// The new name that the statement gives to a table, in ASCII lower case; nil if it does not rename a table.
  var newTableName: String? {
    if case .renameTable(_, let name) = SQLStatementEffect(of: text) { name.asciiLowercased } else { nil }
  }

  /// The statement's text; if the statement stores the rows of a query or creates a view, the query's LIMIT is replaced
  /// by 1.
  ///
  /// There are so few sample rows that the original LIMIT would not exclude any.
  var textWithLowestLimit: String {
    guard text.utf8.count < 100_000, text.asciiLowercased.contains("limit") else { return text }
    guard let syntax = try? SQLTree(parsing: text) else { return text }
    let query: SQLSelect? =
      switch syntax.statement {
      case .data(.insert(let insert)): insert.select
      case .createTable(let table): table.select
      case .createView(let view): view.select
      default: nil
      }
    guard let limit = query?.limit.first else { return text }
    return syntax.source.replacing([(syntax.source.utf8Range(of: limit.tokens), "1")])
  }
}
