internal import Migrator
internal import SQLSyntax

/// The views, triggers and virtual tables that may use a table, found by the names in their definitions.
struct Dependents {
  struct Dependent {
    let object: SchemaCatalog.Object
    let source: SQLSource

    /// Creates a dependent for a view or trigger; nil for other objects.
    init?(_ object: SchemaCatalog.Object) {
      guard object.kind == .view || object.kind == .trigger, let sql = object.sql else { return nil }
      self.object = object
      source = SQLSource(sql)
    }
  }

  private let catalog: SchemaCatalog
  private let table: String

  /// The names of the table and of the views that use it, directly or through other views, in lower case.
  let affectedNames: Set<String>
  /// The views and triggers that mention one of the affected names.
  let viewsAndTriggers: [Dependent]

  init(on table: String, in catalog: SchemaCatalog) {
    self.catalog = catalog
    self.table = table
    let all = catalog.objects.compactMap { Dependent($0) }
    var names: Set<String> = [table]
    var grows = true
    while grows {
      let views = all.filter { $0.object.kind == .view && $0.mentions(anyOf: names) }
      let folded = names.union(views.map { $0.object.name.asciiLowercased })
      grows = folded.count > names.count
      names = folded
    }
    affectedNames = names
    viewsAndTriggers = all.filter { $0.mentions(anyOf: names) }
  }

  /// Returns the virtual tables whose modules may find a column of the table by name.
  ///
  /// These are the virtual tables whose definition mentions both the table and the column, as external content tables
  /// do (https://www.sqlite.org/fts5.html#external_content_tables), and those that read all columns of the table.
  func virtualTables(naming column: String) -> [SchemaCatalog.Object] {
    catalog.objects.filter { object in
      guard object.isVirtual, let sql = object.sql else { return false }
      if object.reads(allColumnsOf: table) { return true }
      let words = Set(SQLSource(sql).tokens.map(\.folded))
      return words.contains(table) && words.contains(column)
    }
  }
}

extension Dependents.Dependent {
  func mentions(_ name: String) -> Bool { mentions(anyOf: [name]) }

  /// Whether one of the names, in lower case, occurs where the grammar allows the name of a table or a column.
  func mentions(anyOf names: Set<String>) -> Bool {
    source.tokens.indices.contains { index in names.contains(source.tokens[index].folded) && mayBeName(at: index) }
  }

  /// Whether a token may be a name.
  ///
  /// A string in single quotes is a name only where the grammar requires a name (`nm`): after a dot, in a list of
  /// columns, and after SET, OF and AS. Every comma and parenthesis is assumed to belong to such a list, even in lists
  /// of values.
  private func mayBeName(at index: Int) -> Bool {
    let token = source.tokens[index]
    guard token.kind == .string else { return token.kind == .word || token.kind == .quotedIdentifier }
    if source.token(index + 1)?.isOperator(".") == true { return true }
    guard let previous = source.token(index - 1) else { return true }
    return previous.isOperator(".") || previous.isOperator(",") || previous.isOperator("(")
      || ["set", "of", "as", "into", "from", "join", "on", "update", "table"].contains { previous.isWord($0) }
  }
}
