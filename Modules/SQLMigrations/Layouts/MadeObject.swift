internal import SQLSyntax

/// A table, view, index, trigger or column that one statement makes and another one may drop.
package struct MadeObject: Hashable, Sendable {
  /// The name of the object, or that of the column's table; in ASCII lower case.
  package let name: String
  /// The name of the column in ASCII lower case; nil for an object.
  package let column: String?
  /// Whether the object is a table or a column; a view, an index or a trigger has no rows.
  let hasRows: Bool

  fileprivate init(_ name: String, column: String? = nil, hasRows: Bool = true) {
    (self.name, self.column, self.hasRows) = (name, column, hasRows)
  }

  /// Returns whether statements use the object for anything but itself.
  ///
  /// An index or a trigger is used by each statement that reads or writes rows.
  package func isUsed(by statements: some Sequence<String>, madeBy maker: String) -> Bool {
    let isPassive = SQLSource(String(maker.prefix(400))).tokens.prefix(3).contains {
      ["index", "trigger"].contains($0.folded)
    }
    return statements.contains { statement in
      guard let tree = try? SQLTree(parsing: statement) else { return true }
      guard case .data(let data) = tree.statement else {
        guard case .createTable = tree.statement else { return false }
        return tree.source.names(name)
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
}

/// A change that a statement makes and that another statement can undo.
enum ReversibleChange: Hashable, Sendable {
  case makes(MadeObject)
  case makesTemporary(MadeObject)
  case drops(MadeObject)
  case renames(MadeObject, to: MadeObject)
  /// Adds rows to a table, whose name is in ASCII lower case.
  case inserts(String)
  case deletes(String)
  /// Sets columns of a table, all names in ASCII lower case, in the rows of a condition; without a condition, or with one on
  /// these columns, it is empty.
  case updates(String, columns: Set<String>, condition: [String])
  /// Changes nothing, and precedes statements that do: PRAGMA, BEGIN or SAVEPOINT.
  case prepares
  case other

  /// Reads a statement; what concerns temporary objects is another change.
  init(_ sql: String) {
    let tokenizer = SQLTokenizer(sql)
    let first = tokenizer.first { !$0.isTrivia }.map { tokenizer.text(of: $0).asciiLowercased } ?? ""
    self = .other
    switch first {
    case "pragma", "begin", "savepoint": self = .prepares
    // A longer statement is that of a dump.
    case "create", "alter", "drop", "insert", "replace", "delete", "update":
      if sql.utf8.count < 100_000, let tree = try? SQLTree(parsing: sql) { read(tree) }
    default: break
    }
  }

  private mutating func read(_ tree: SQLTree) {
    switch tree.statement {
    case .createTable(let made): make(made.name, tree, hasRows: true)
    case .createVirtualTable(let made): make(made.name, tree, hasRows: true)
    case .createView(let made): make(made.name, tree)
    case .createIndex(let made): make(made.name, tree)
    case .createTrigger(let made): make(made.name, tree)
    case .drop(let drop) where drop.name.isInMain:
      self = .drops(MadeObject(drop.name.name.folded, hasRows: drop.kind == .table))
    case .alterTable(let change) where change.table.isInMain:
      let table = change.table.name.folded
      switch change.action {
      case .addColumn(let column): self = .makes(MadeObject(table, column: column.name.folded))
      case .rename(let name): self = .renames(MadeObject(table), to: MadeObject(name.folded))
      case .renameColumn(let old, let new):
        self = .renames(MadeObject(table, column: old.folded), to: MadeObject(table, column: new.folded))
      case .other:
        guard case .dropColumn(_, let column) = SQLStatementEffect(of: tree.source.text) else { return }
        self = .drops(MadeObject(table, column: column.asciiLowercased))
      }
    // A command to a full-text table is none: INSERT INTO search (search) VALUES ('rebuild').
    case .data(.insert(let insert)) where !insert.columns.contains { $0.folded == insert.table.name.folded }:
      self = .inserts(insert.table.name.folded)
    case .data(.delete(let change)): self = .deletes(change.table.name.folded)
    case .data(.update(let change)):
      let columns = Set(change.assignments.flatMap(\.columns).map(\.folded))
      let condition = tree.source.tokens.drop { !$0.isWord("where") }
      let isOnColumns = condition.contains { token in columns.contains(where: token.spells) }
      self = .updates(
        change.table.name.folded, columns: columns, condition: isOnColumns ? [] : condition.map(\.folded))
    default: break
    }
  }

  private mutating func make(_ name: SQLQualifiedName, _ tree: SQLTree, hasRows: Bool = false) {
    let isTemporary = tree.source.tokens.prefix(3).contains { $0.isWord("temp") || $0.isWord("temporary") }
    guard name.isInMain || isTemporary else { return }
    let object = MadeObject(name.name.folded, hasRows: hasRows)
    self = isTemporary ? .makesTemporary(object) : .makes(object)
  }

  /// Whether the statement makes an object or a column.
  var makes: Bool { if case .makes = self { true } else { false } }
  /// Whether the statement renames a table or a column.
  var renames: Bool { if case .renames = self { true } else { false } }
  /// Whether the statement drops an object or a column.
  var drops: Bool { if case .drops = self { true } else { false } }
  /// Whether the statement sets columns.
  var updates: Bool { if case .updates = self { true } else { false } }
  /// Whether the statement adds rows.
  var inserts: Bool { if case .inserts = self { true } else { false } }
  /// Whether the statement removes an object, a column or rows.
  var removes: Bool {
    if case .deletes = self { true } else { drops }
  }

  /// The change that this one undoes; nil if it undoes none.
  var undone: ReversibleChange? {
    switch self {
    case .drops(let object): .makes(object)
    case .makes(let object): .drops(object)
    case .renames(let old, let new): .renames(new, to: old)
    case .deletes(let table): .inserts(table)
    case .makesTemporary, .inserts, .updates, .prepares, .other: nil
    }
  }
}

/// A statement that undoes what an earlier one has done.
package struct Undoing: Sendable {
  /// The index of the earlier statement.
  package let maker: Int
  /// The index of the statement.
  package let undoer: Int
  /// The object that the statement drops; nil if it undoes another change.
  package let dropped: MadeObject?

  /// Returns the statements that undo an earlier one, in order; an object that is made again later is not undone.
  package static func all(in statements: some Sequence<String>) -> [Undoing] {
    all(in: statements.map(ReversibleChange.init))
  }

  static func all(in changes: [ReversibleChange]) -> [Undoing] {
    var lastMade: [MadeObject: Int] = [:]
    for (index, change) in changes.enumerated() {
      switch change {
      case .makes(let object), .renames(_, let object): lastMade[object] = index
      default: break
      }
    }
    var makers: [ReversibleChange: Int] = [:]
    var found: [Undoing] = []
    for (index, change) in changes.enumerated() {
      defer { makers[change] = index }
      guard let undone = change.undone, let maker = makers[undone] else { continue }
      guard case .drops(let object) = change else {
        found.append(Undoing(maker: maker, undoer: index, dropped: nil))
        continue
      }
      makers[undone] = nil
      if lastMade[object, default: 0] < index { found.append(Undoing(maker: maker, undoer: index, dropped: object)) }
    }
    return found
  }
}

extension SQLQualifiedName {
  fileprivate var isInMain: Bool { schema.map { $0.folded == "main" } ?? true }
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
