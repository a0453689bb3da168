internal import SQLSyntax

/// A check for whether a view or trigger depends on the number and the order of the columns of given tables.
///
/// A `*` depends on the number and order if its columns are used by position: in a compound query, after `IN`, in rows
/// to insert, or in a view or CTE that lists column names. An INSERT without a list of columns depends on both, too.
struct PositionalUses {
  /// The names of the tables and of the views on them, in lower case.
  let tables: Set<String>

  private let names: SQLNames

  /// Whether a definition depends on column positions, or may do so because it cannot be parsed.
  static func exist(in source: SQLSource, of tables: Set<String>) -> Bool {
    guard let syntax = try? SQLTree(source) else { return true }
    switch syntax.statement {
    case .createView, .createTrigger: return PositionalUses(tables: tables, names: SQLNames(in: syntax)).exist
    default: return true
    }
  }

  private var exist: Bool {
    names.inserts.contains { $0.columns.isEmpty && tables.contains($0.table.name.folded) }
      || names.uses.contains { use in
        guard tables.contains(use.name.folded) else { return false }
        switch use.role {
        // `IN table` requires a table with one column.
        case .list: return true
        case .source: return use.scope.map { isStarPositional(in: $0.scope) } ?? false
        default: return false
        }
      }
  }

  /// Whether a `*` uses the columns in a scope by position.
  private func isStarPositional(in scope: Int) -> Bool {
    guard let query = names.scopes[scope].query, let core = names.queries[query].scopes.firstIndex(of: scope) else {
      return false
    }
    let hasStar = names.queries[query].select.cores[core].results.contains { result in
      if case .expression = result { false } else { true }
    }
    return hasStar && isPositional(query)
  }

  /// Whether the columns of a query's result are used by position.
  private func isPositional(_ query: Int) -> Bool {
    guard names.queries[query].select.cores.count == 1 else { return true }
    return switch names.queries[query].purpose {
    case .definition(let listsColumns): listsColumns
    case .statement: false
    case .insertion: true
    // EXISTS does not use the columns.
    case .expression(let isExists): !isExists
    case .source(let scope): isStarPositional(in: scope)
    case .commonTable(let query, let listsColumns): listsColumns || query.map { isPositional($0) } ?? false
    }
  }
}
