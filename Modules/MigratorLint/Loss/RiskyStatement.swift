internal import Migrator
package import SQLSyntax

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
  let removesRows: Bool
  /// The table, in ASCII lower case.
  let table: String
  private var syntax: SQLTree?
  /// Whether the statement names the schema of an attached database.
  private(set) var isAttached = false
  /// Whether the statement names the main schema, so that no temporary table hides its table.
  private(set) var isQualified = false

  /// Determines the kind of a statement; nil if no ``Kind`` applies to the statement.
  ///
  /// To save time, parses the statement only if its first tokens can begin a statement of such a kind.
  init?(_ statement: SQLStatement) {
    let summary = SQLStatementSummary(of: statement.text)
    if case .dropColumn(let table, _) = summary.effect {
      (kind, self.table, removesRows) = (.dropColumn, table.asciiLowercased, false)
      isQualified = summary.namesMainSchema
      return
    }
    guard Self.isCandidate(statement), let syntax = try? SQLTree(parsing: statement.text) else { return nil }
    let replaces = Self.hasReplaceClause(syntax.source)
    let name: SQLQualifiedName
    switch syntax.statement {
    case .data(.delete(let change)): (kind, name, removesRows) = (.delete, change.table, true)
    case .data(.update(let change)): (kind, name, removesRows) = (.update, change.table, replaces)
    case .data(.insert(let insert)) where replaces: (kind, name, removesRows) = (.replace, insert.table, true)
    case .drop(let drop) where drop.kind == .table: (kind, name, removesRows) = (.dropTable, drop.name, true)
    case .createIndex(let index) where index.isUnique:
      (kind, table, removesRows) = (.uniqueIndex, index.table.folded, false)
      return
    default: return nil
    }
    let schema = name.schema?.folded ?? "main"
    guard schema != "temp" else { return nil }
    isAttached = schema != "main"
    isQualified = name.schema != nil
    table = name.name.folded
    self.syntax = syntax
  }

  /// Returns a query for the rowids of the rows that a DELETE or UPDATE changes, and perhaps of some others, as one list; nil if
  /// it may change any row, or the rowids.
  ///
  /// - Parameter columns: The columns of the table.
  func changedRowIDs(_ columns: [ColumnDescription]) -> String? {
    let isHidden = columns.contains { $0.name.asciiLowercased == "rowid" }
    guard !isHidden, kind == .delete || !removesRows else { return nil }
    let key = columns.filter { $0.primaryKeyIndex > 0 }.map(\.name.asciiLowercased) + SQLIdentifier.rowIDNames
    if case .data(.update(let update))? = syntax?.statement,
      update.assignments.contains(where: { $0.columns.contains { key.contains($0.folded) } })
    {
      return nil
    }
    return syntax?.changedRows.map { $0.text("group_concat(\($0.name.quotedIdentifier).rowid)") }
  }

  private static func isCandidate(_ statement: SQLStatement) -> Bool {
    let tokens = statement.firstTokens(2)
    return ["delete", "update", "replace", "with"].contains(tokens.first)
      || ["insert or", "drop table", "create unique"].contains(tokens.joined(separator: " "))
  }

  /// Returns whether a statement or a definition contains `REPLACE INTO`, `OR REPLACE` or `ON CONFLICT REPLACE`; the
  /// function `replace()` is none of them.
  private static func hasReplaceClause(_ source: SQLSource) -> Bool {
    source.tokens.indices.contains { index in
      guard source.tokens[index].isWord("replace"), !(source.token(index + 1)?.isOperator("(") ?? false) else {
        return false
      }
      return source.token(index + 1)?.isWord("into") ?? false
        || ["or", "conflict"].contains { source.token(index - 1)?.isWord($0) ?? false }
    }
  }

  /// Returns whether a definition, or a statement of a migration, lets other statements of the migration remove rows that
  /// they do not name: it has a conflict clause, creates a trigger that deletes, or creates a virtual table.
  static func armsOthers(_ sql: String) -> Bool {
    guard sql.holdsWord("replace") || sql.holdsWord("virtual") || sql.holdsWord("trigger") else { return false }
    let source = SQLSource(sql)
    if source.token(1)?.isWord("virtual") ?? false || hasReplaceClause(source) { return true }
    return source.tokens.prefix(3).contains { $0.isWord("trigger") }
      && zip(source.tokens, source.tokens.dropFirst()).contains { $0.isWord("delete") && $1.isWord("from") }
  }
}

extension SQLStatement {
  /// Returns the first tokens of the statement, in ASCII lower case.
  package func firstTokens(_ count: Int) -> [String] {
    let tokenizer = SQLTokenizer(text)
    var tokens: [String] = []
    for token in tokenizer where !token.isTrivia {
      tokens.append(tokenizer.text(of: token).asciiLowercased)
      if tokens.count == count { break }
    }
    return tokens
  }

  /// Whether the statement is an INSERT, UPDATE, DELETE or REPLACE, or begins with common table expressions.
  package var writesData: Bool { SQLStatementSummary(of: text).writesData }

  /// Whether the statement attaches a file.
  var attachesFile: Bool { kind == .attach && SQLStatementSummary(of: text).accessesOtherFile }

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
