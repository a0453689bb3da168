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
