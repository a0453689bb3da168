internal import Migrator

/// Gives a table another name in stored definitions, token by token.
struct TableRenaming {
  /// The table's name in lower case.
  let table: String

  /// The new name in lower case.
  let newTable: String

  /// The new name in quotes.
  let newName: String

  /// A table's definition with its foreign keys to the table renamed, and with names that are qualified with the
  /// table's left unqualified where it is the table's own; nil when nothing changes.
  func references(in sql: String, isOwn: Bool) -> String? {
    let sources = isOwn ? Self.unqualified(sql, table: table) ?? sql : sql
    guard let text = TableText(sources) else { return nil }
    let parents = text.foreignKeys.map(\.table).filter { $0.folded == table }
    let renamed = text.source.replacing(parents.map(\.token), with: newName)
    return renamed == sql ? nil : renamed
  }

  /// The definition of a table or of its index with `column` for each `table.column`, which means the same in CHECK
  /// constraints, generated columns and indexes; nil when there is none.
  ///
  /// Renaming a table without rewriting references leaves these as they are, and the file unreadable.
  static func unqualified(_ sql: String, table: String) -> String? {
    let source = SQLSource(sql)
    guard source.isWellFormed else { return nil }
    // The name of the object and of an index's table come first, and may be followed by a dot themselves.
    let first = source.tokens.firstIndex { $0.isOperator("(") } ?? source.tokens.count
    let ranges = source.tokens.indices.compactMap { index -> Range<Int>? in
      guard index > first, source.tokens[index].spells(table), let dot = source.token(index + 1), dot.isOperator(".")
      else { return nil }
      return source.tokens[index].range.lowerBound..<dot.range.upperBound
    }
    return ranges.isEmpty ? nil : source.replacing(ranges, with: "")
  }

  /// Whether a view or trigger mentions the table elsewhere than as the table that the trigger belongs to, which
  /// every engine renames.
  func isUsed(by dependent: Dependents.Dependent) -> Bool {
    dependent.mentions(of: table).contains { $0 != dependent.ownTable }
  }

  /// The text of a view or trigger with the table renamed, save the name that every engine renames; nil when it is
  /// not certain what a name means.
  ///
  /// Certain are a name behind `FROM`, `JOIN`, `INTO` and `UPDATE`, and one before a dot, as long as nothing else in
  /// the text could bear the name.
  func body(of dependent: Dependents.Dependent) -> String? {
    let source = dependent.source
    // The name of a common table expression, or a second bearer of the new name, would change the meaning.
    guard source.isWellFormed, !dependent.uses(word: "with"), dependent.mentions(of: newTable).isEmpty else {
      return nil
    }
    let tokens = dependent.mentions(of: table).filter { $0 != dependent.ownTable }
    guard tokens.allSatisfy({ isTable($0, in: source) }) else { return nil }
    return source.replacing(tokens, with: newName)
  }

  private func isTable(_ index: Int, in source: SQLSource) -> Bool {
    // `main.table` is read as `table` with what stands before it.
    let isInSchema = source.token(index - 1)?.isOperator(".") == true
    if isInSchema, source.token(index - 2)?.isWord("main") != true { return false }
    let previous = source.token(isInSchema ? index - 3 : index - 1)
    if previous?.isWord("from") == true || previous?.isWord("join") == true {
      return source.token(index + 1)?.isOperator("(") != true
    }
    if previous?.isWord("into") == true || previous?.isWord("update") == true { return true }
    return !isInSchema && source.token(index + 1)?.isOperator(".") == true
  }
}

extension Dependents.Dependent {
  /// A view or trigger; nil for other objects.
  init?(_ object: SchemaCatalog.Object) {
    guard object.kind == .view || object.kind == .trigger, let sql = object.sql else { return nil }
    self.init(object: object, source: SQLSource(sql))
  }

  /// The token of the table that a trigger belongs to; nil for views.
  fileprivate var ownTable: Int? {
    guard object.kind == .trigger, let on = source.tokens.firstIndex(where: { $0.isWord("on") }) else { return nil }
    return source.token(on + 2)?.isOperator(".") == true ? on + 3 : on + 1
  }
}
