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
  /// Sets columns of a table, all names in ASCII lower case, to values that do not depend on the old ones.
  ///
  /// Where the condition compares such a column with a value, as in `SET a = 1 WHERE a = 2`, both values are listed, and
  /// only the column remains in the condition.
  case updates(
    String, columns: Set<String>, condition: [String], from: [String: [String]] = [:], to: [String: [String]] = [:])
  /// Changes nothing, and precedes or follows statements that do: PRAGMA, BEGIN, SAVEPOINT, RELEASE or COMMIT.
  case prepares
  case other

  /// Reads a statement; what concerns temporary objects is another change.
  init(_ sql: String) {
    let tokenizer = SQLTokenizer(sql)
    let first = tokenizer.first { !$0.isTrivia }.map { tokenizer.text(of: $0).asciiLowercased } ?? ""
    self = .other
    switch first {
    case "pragma", "begin", "savepoint", "release", "commit", "end": self = .prepares
    // A longer statement is that of a dump.
    case "create", "alter", "drop", "insert", "replace", "delete", "update":
      if sql.utf8.count < 100_000, let tree = try? SQLTree(parsing: sql) { read(tree) }
    default: break
    }
  }

  private mutating func read(_ tree: SQLTree) {
    if let (kind, name) = tree.created, name.isInMain || tree.createsTemporary {
      let object = MadeObject(name.name.folded, hasRows: kind == .table)
      self = tree.createsTemporary ? .makesTemporary(object) : .makes(object)
    }
    switch tree.statement {
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
      read(change, tree.source)
    default: break
    }
  }

  private mutating func read(_ change: SQLRowChange, _ source: SQLSource) {
    let columns = Set(change.assignments.flatMap(\.columns).map(\.folded)), table = change.table.name.folded
    let isOwn = { (reference: SQLColumnReference) in
      columns.contains(reference.column.folded) && reference.table.map { $0.folded == table } ?? true
    }
    guard !change.assignments.contains(where: { $0.value.references.contains(where: isOwn) }) else { return }
    let texts = { (range: Range<Int>) in
      source.tokens[range].map { $0.kind == .word || $0.kind == .quotedIdentifier ? $0.folded : $0.text }
    }
    var condition = change.condition.map { texts($0.tokens) } ?? []
    var (old, new): ([String: [String]], [String: [String]]) = ([:], [:])
    for assignment in change.assignments where assignment.columns.count == 1 {
      let column = assignment.columns[0].folded
      let place = condition.indices.dropLast().first {
        condition[$0] == column && ["=", "==", "is"].contains(condition[$0 + 1])
      }
      guard let place else { continue }
      let end = condition[place...].firstIndex { ["and", "or", ")"].contains($0) } ?? condition.endIndex
      old[column] = Array(condition[(place + 2)..<end])
      new[column] = texts(assignment.value.tokens)
      condition.removeSubrange((place + 1)..<end)
    }
    self = .updates(table, columns: columns, condition: condition, from: old, to: new)
  }

  /// Whether the statement makes an object or a column.
  var makes: Bool { if case .makes = self { true } else { false } }
  /// Whether the statement drops an object or a column.
  var drops: Bool { if case .drops = self { true } else { false } }
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

  /// The change whose values this one replaces in the same rows, as far as the conditions show; nil if it sets no column.
  var overwritten: ReversibleChange? {
    guard case .updates(let table, let columns, let condition, let old, let new) = self else { return nil }
    return .updates(table, columns: columns, condition: condition, from: new, to: old)
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
  /// Whether a statement between the two uses the object that this one drops or renames for anything but itself; false for
  /// other changes.
  ///
  /// An index or a trigger is used by each statement that reads or writes rows.
  package private(set) var isUsed = false

  /// Returns the statements that undo an earlier one, in order; an object that is re-created later is not undone.
  package static func all(in statements: [String]) -> [Undoing] {
    all(in: statements, statements.map(ReversibleChange.init))
  }

  static func all(in statements: [String], _ changes: [ReversibleChange]) -> [Undoing] {
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
    // The object that is dropped, or renamed back.
    let objects = found.map { undoing in
      if case .renames(let object, _) = changes[undoing.undoer] { object } else { undoing.dropped }
    }
    var uses = NameUses(of: objects.compactMap(\.self))
    for (index, object) in objects.enumerated() {
      guard let object else { continue }
      uses.read(statements, to: found[index].undoer)
      found[index].isUsed = uses.contains(object, since: found[index].maker, madeBy: statements[found[index].maker])
    }
    return found
  }
}

/// The uses of names in the statements of a file, which are read once and in order.
private struct NameUses {
  /// The names of objects and columns whose uses are sought.
  private let names: Set<String>
  /// The number of statements that have been read.
  private var end = 0
  /// The last statement that uses each name as that of an object, as that of a column, and in CREATE TABLE.
  private var objects: [String: Int] = [:]
  private var columns: [String: Int] = [:]
  private var creations: [String: Int] = [:]
  /// The last statement that reads or writes rows, and the last one that could not be parsed.
  private var (lastData, lastUnread) = (-1, -1)

  init(of objects: [MadeObject]) {
    names = Set(objects.map(\.name) + objects.compactMap(\.column))
  }

  /// Reads the statements up to an index.
  mutating func read(_ statements: [String], to index: Int) {
    while end < index {
      read(statements[end])
      end += 1
    }
  }

  private mutating func read(_ statement: String) {
    guard let tree = try? SQLTree(parsing: statement) else { return lastUnread = end }
    let tokens = tree.source.tokens
    let sought = tokens.indices.filter { names.contains(tokens[$0].folded) && tokens[$0].spells(tokens[$0].folded) }
    switch tree.statement {
    case .createTable:
      for index in sought { creations[tokens[index].folded] = end }
    case .data(let data):
      lastData = end
      var target = data.target
      for index in sought {
        let name = tokens[index].folded
        // A column that is only set is not used, and neither is a table by the changes of its own rows.
        if !(tree.source.token(index + 1)?.isOperator("=") ?? false) { columns[name] = end }
        if name == target { target = nil } else { objects[name] = end }
      }
    default: break
    }
  }

  /// Whether a statement that has been read, after the one that has made an object, uses it.
  func contains(_ object: MadeObject, since maker: Int, madeBy statement: String) -> Bool {
    let isPassive = SQLSource(String(statement.prefix(400))).tokens.prefix(3).contains {
      ["index", "trigger"].contains($0.folded)
    }
    let uses = object.column.map { columns[$0] } ?? objects[object.name]
    return max(uses ?? -1, creations[object.name] ?? -1, lastUnread, isPassive ? lastData : -1) > maker
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
