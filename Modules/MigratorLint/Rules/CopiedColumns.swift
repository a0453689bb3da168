internal import SQLSyntax

/// The columns of a table that the statements of a migration copy to the new table of that name, or to other tables.
struct CopiedColumns {
  /// The columns of the new table that INSERT statements fill, in lower case.
  private(set) var inserted: Set<String> = []
  /// The columns that receive the values of each old column in the new table; all names are in lower case.
  private var receivers: [String: Set<String>] = [:]
  /// The old columns that are copied to a column of another name, or to another table, in lower case.
  private var moved: Set<String> = []

  /// Reads the statements.
  ///
  /// - Parameters:
  ///   - table: The name that the table has before the migration.
  ///   - newName: The name of the new table after the migration; nil if it is the same.
  ///   - columns: The columns of the new table in their order, in lower case.
  init(of table: String, named newName: String? = nil, to columns: [String], in statements: [LintedStatement]) {
    var sources = TableNames([table])
    var targets: Set<String> = [(newName ?? table).asciiLowercased]
    for case .renameTable(let old, let new) in statements.reversed().map(\.effect)
    where targets.contains(new.asciiLowercased) { targets.insert(old.asciiLowercased) }
    // The original names of renamed columns.
    var originals: [String: String] = [:]
    for statement in statements {
      defer { sources.follow(statement.summary) }
      guard let syntax = statement.syntax else { continue }
      switch syntax.statement {
      case .alterTable(let change):
        guard case .renameColumn(let old, let new) = change.action, sources.original(of: change.table.name.value) != nil
        else { continue }
        let original = originals.removeValue(forKey: old.folded) ?? old.folded
        originals[new.folded] = original
        receivers[original] = [new.folded]
      case .data(.insert(let insert)):
        let isTarget = targets.contains(insert.table.name.folded)
        let names = insert.columns.isEmpty && isTarget ? columns : insert.columns.map(\.folded)
        if isTarget { inserted.formUnion(names) }
        guard let core = insert.select?.cores.first, isTarget ? names.count == core.results.count : true,
          SQLNames(in: syntax).tables.contains(where: { sources.original(of: $0) != nil })
        else { continue }
        for (index, result) in core.results.enumerated() {
          guard let source = result.copiedColumn(in: syntax.source)?.column.folded else { continue }
          let original = originals[source] ?? source
          if !isTarget || names[index] != original { moved.insert(original) }
          if isTarget { receivers[original, default: []].insert(names[index]) }
        }
      default: continue
      }
    }
  }

  /// The new names of the columns whose values are all in one column of another name, by their old names.
  var newNames: [String: String] {
    receivers.filter { $1.count == 1 && $1.first != $0 }.compactMapValues(\.first)
  }

  /// Whether the values of an old column are copied to a column of another name, or to another table.
  func isKept(_ column: String) -> Bool { moved.contains(column) }
}

extension SQLResultColumn {
  /// Returns the reference whose value the result column has, perhaps with another type or instead of NULL; nil for other
  /// expressions.
  func copiedColumn(in source: SQLSource) -> SQLColumnReference? {
    guard case .expression(let expression, _) = self, expression.references.count == 1 else { return nil }
    let isComputed = expression.tokens.contains { index in
      let token = source.tokens[index]
      return token.kind == .operator && !["(", ")", ",", "."].contains(token.text)
    }
    return isComputed ? nil : expression.references.first
  }
}

extension SQLTree {
  /// Parses a definition in which columns have other names.
  ///
  /// - Parameter names: The new names, by their old names in lower case.
  init(parsing sql: String, renaming names: [String: String]) throws {
    try self.init(parsing: sql)
    guard !names.isEmpty else { return }
    let source = source
    let replacements = source.tokens.indices.compactMap { index -> (Range<Int>, String)? in
      let token = source.tokens[index]
      guard let name = names[token.folded], token.spells(token.folded) else { return nil }
      return (source.utf8Range(of: index..<(index + 1)), name.quotedIdentifier)
    }
    // A name may also be a keyword elsewhere in the definition, which then keeps its names.
    if let renamed = try? SQLTree(parsing: source.replacing(replacements)) { self = renamed }
  }
}
