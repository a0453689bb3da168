internal import SQLSyntax

/// A table, view, index, trigger or column that one statement makes and another one may drop.
package struct MadeObject: Hashable, Sendable {
  /// The name of the object, or that of the column's table; in ASCII lower case.
  package let name: String
  /// The name of the column in ASCII lower case; nil for an object.
  package let column: String?

  /// Reads the object that a statement makes; nil if it makes none, or one that is temporary.
  package init?(madeBy sql: String) {
    guard ["create", "alter"].contains(Self.firstWord(of: sql)), let tree = try? SQLTree(parsing: sql) else {
      return nil
    }
    let isTemporary = tree.source.tokens.prefix(3).contains { ["temp", "temporary"].contains($0.text.asciiLowercased) }
    guard !isTemporary else { return nil }
    switch tree.statement {
    case .createTable(let made): self.init(made.name)
    case .createVirtualTable(let made): self.init(made.name)
    case .createView(let made): self.init(made.name)
    case .createIndex(let made): self.init(made.name)
    case .createTrigger(let made): self.init(made.name)
    case .alterTable(let change):
      guard case .addColumn(let column) = change.action else { return nil }
      self.init(change.table, column: column.name.folded)
    case .drop, .data, .other: return nil
    }
  }

  /// Reads the object that a statement drops; nil if it drops none.
  package init?(droppedBy sql: String) {
    if case .dropColumn(let table, let column) = SQLStatementEffect(of: sql) {
      self.init(name: table.asciiLowercased, column: column.asciiLowercased)
      return
    }
    guard Self.firstWord(of: sql) == "drop", case .drop(let drop)? = (try? SQLTree(parsing: sql))?.statement else {
      return nil
    }
    self.init(drop.name)
  }

  private static func firstWord(of sql: String) -> String {
    let tokenizer = SQLTokenizer(sql)
    return tokenizer.first { !$0.isTrivia }.map { tokenizer.text(of: $0).asciiLowercased } ?? ""
  }

  private init?(_ name: SQLQualifiedName, column: String? = nil) {
    guard name.schema.map({ $0.folded == "main" }) ?? true else { return nil }
    self.init(name: name.name.folded, column: column)
  }

  private init(name: String, column: String?) { (self.name, self.column) = (name, column) }
}

// What later statements undo of what earlier ones have done.
extension MadeObject {
  /// Returns whether statements use the object for anything but itself.
  ///
  /// An index or a trigger is used by each statement that reads or writes rows.
  package func isUsed(by statements: some Sequence<String>, madeBy maker: String) -> Bool {
    let tokenizer = SQLTokenizer(String(maker.prefix(400)))
    let isPassive = tokenizer.lazy.filter { !$0.isTrivia }.prefix(3).contains { token in
      ["index", "trigger"].contains(tokenizer.text(of: token).asciiLowercased)
    }
    return statements.contains { statement in
      guard let tree = try? SQLTree(parsing: statement) else { return true }
      guard case .data(let data) = tree.statement else {
        guard case .createTable = tree.statement else { return false }
        return tree.source.tokens.contains { $0.spells(name) }
      }
      if isPassive { return true }
      let sought = column ?? name
      let uses = tree.source.tokens.indices.count { index in
        tree.source.tokens[index].spells(sought)
          && !(column != nil && tree.source.token(index + 1)?.isOperator("=") ?? false)
      }
      return uses > (column == nil && data.target == name ? 1 : 0)
    }
  }

  /// Whether statements begin by removing what earlier ones have made.
  ///
  /// - Parameter words: The words of undoing in the comment between them. Without one, only an object counts that nothing
  ///   has used: a table of intermediate results is no sign of a part that undoes the migration.
  static func isRemoved(_ earlier: [String], by later: [String], says words: [String]) -> Bool {
    let removing = later.prefix { statement in
      MadeObject(droppedBy: statement) != nil || deletedTable(statement) != nil
        || ["pragma", "begin", "savepoint"].contains(firstWord(of: statement))
    }
    return removing.indices.contains { index in
      if let table = deletedTable(later[index]) {
        return !words.isEmpty && earlier.contains { insertedTable($0) == table }
      }
      guard let object = MadeObject(droppedBy: later[index]), !object.isMade(by: later[(index + 1)...]),
        let maker = earlier.lastIndex(where: { MadeObject(madeBy: $0) == object })
      else { return false }
      return words.contains { $0 != "down" } || !object.isUsed(by: earlier[(maker + 1)...], madeBy: earlier[maker])
    }
  }

  /// Whether statements drop something that earlier ones have made, and do not make it again.
  static func isDropped(_ earlier: [String], by later: [String]) -> Bool {
    later.indices.contains { index in
      guard let object = MadeObject(droppedBy: later[index]), !object.isMade(by: later[(index + 1)...]) else {
        return false
      }
      return earlier.contains { MadeObject(madeBy: $0) == object }
    }
  }

  /// Whether statements undo something that earlier ones have done: they drop what these have made, make again what these
  /// have dropped, delete rows where these have added some, or take back a name.
  static func isUndone(_ earlier: [String], by later: [String]) -> Bool {
    isDropped(earlier, by: later)
      || later.contains { statement in
        if let object = MadeObject(madeBy: statement) {
          return earlier.contains { MadeObject(droppedBy: $0) == object }
        }
        if let table = deletedTable(statement) { return earlier.contains { insertedTable($0) == table } }
        guard let names = renamed(statement) else { return false }
        return earlier.contains { renamed($0).map { $0.old == names.new && $0.new == names.old } ?? false }
      }
  }

  /// Whether one of the statements makes the object, or gives its name to another one.
  private func isMade(by statements: ArraySlice<String>) -> Bool {
    statements.contains { statement in
      MadeObject(madeBy: statement) == self || Self.renamed(statement)?.new == self
    }
  }

  private static func renamed(_ sql: String) -> (old: MadeObject, new: MadeObject)? {
    guard firstWord(of: sql) == "alter", case .alterTable(let change)? = (try? SQLTree(parsing: sql))?.statement else {
      return nil
    }
    let table = change.table.name.folded
    return switch change.action {
    case .rename(let name): (Self(name: table, column: nil), Self(name: name.folded, column: nil))
    case .renameColumn(let old, let new): (Self(name: table, column: old.folded), Self(name: table, column: new.folded))
    case .addColumn, .other: nil
    }
  }

  private static func deletedTable(_ sql: String) -> String? {
    guard firstWord(of: sql) == "delete", case .data(.delete(let change))? = (try? SQLTree(parsing: sql))?.statement
    else {
      return nil
    }
    return change.table.name.folded
  }

  /// Returns the table to which a statement adds rows; nil for another statement, and for a command to a full-text table,
  /// such as `INSERT INTO search (search) VALUES ('rebuild')`.
  static func insertedTable(_ sql: String) -> String? {
    guard ["insert", "replace"].contains(firstWord(of: sql)),
      case .data(.insert(let insert))? = (try? SQLTree(parsing: sql))?.statement
    else { return nil }
    let table = insert.table.name.folded
    return insert.columns.contains { $0.folded == table } ? nil : table
  }
}

extension SQLDataStatement {
  /// The table that the statement changes, in ASCII lower case; nil for a query.
  fileprivate var target: String? {
    switch self {
    case .insert(let insert): insert.table.name.folded
    case .update(let change), .delete(let change): change.table.name.folded
    case .select: nil
    }
  }
}

/// The first words of a statement, in lower case.
struct SQLStatementStartWords {
  let first: String
  private let others: Set<String>

  init(_ sql: String) {
    let tokenizer = SQLTokenizer(String(sql.prefix(400)))
    let words = tokenizer.lazy.filter { $0.kind == .word }.map { tokenizer.text(of: $0).asciiLowercased }
    first = words.first { _ in true } ?? ""
    others = Set(words)
  }

  var isStatement: Bool {
    [
      "alter", "analyze", "begin", "commit", "create", "delete", "drop", "end", "insert", "pragma", "reindex",
      "release",
      "replace", "rollback", "savepoint", "select", "update", "vacuum", "with",
    ].contains(first)
  }

  /// Whether the statement removes an object, a column or rows.
  var drops: Bool { first == "drop" || first == "delete" || first == "alter" && others.contains("drop") }
}
