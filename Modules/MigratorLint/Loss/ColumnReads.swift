internal import SQLSyntax

/// The columns that a migration's statements read.
struct ColumnReads {
  /// The columns from which stored values are computed.
  private var computed: Set<ValueCensus.Place> = []
  /// The columns that expressions read, apart from ORDER BY terms and from result columns that are only a column name.
  private var mentioned: Set<ValueCensus.Place> = []

  /// Whether a stored value is computed from the column.
  func computes(_ column: String, of table: String) -> Bool {
    computed.contains(ValueCensus.Place(table: table, column: column))
  }

  /// Whether the statements do more with the column than copy it or sort by it.
  func mentions(_ column: String, of table: String) -> Bool {
    mentioned.contains(ValueCensus.Place(table: table, column: column))
  }

  /// Adds the reads of a statement that stores rows.
  ///
  /// - Parameter origin: A closure that returns the name that a table had before the migration.
  mutating func note(_ statement: SQLStatement, origin: (String) -> String) {
    guard statement.text.utf8.count < 100_000, let syntax = try? SQLTree(parsing: statement.text) else { return }
    var assigned: [Range<Int>] = []
    switch syntax.statement {
    case .data(.insert), .createTable: break
    case .data(.update(let update)): assigned = update.assignments.map(\.value.tokens)
    default: return
    }
    let names = SQLNames(in: syntax)
    let copies = Set(
      names.queries.flatMap { query in
        query.select.cores.flatMap(\.results).compactMap { result -> Int? in
          if case .expression(let expression, _) = result { expression.soleReference?.column.token } else { nil }
        }
      })
    for use in names.uses where use.role == .column || use.role == .joinColumn {
      if use.place == .order || use.place == .orderTerm || copies.contains(use.name.token) { continue }
      for table in Self.tables(of: use, names) {
        let place = ValueCensus.Place(table: origin(table), column: use.name.folded)
        mentioned.insert(place)
        if use.place == .result || assigned.contains(where: { $0.contains(use.name.token) }) { computed.insert(place) }
      }
    }
  }

  /// Returns the tables that may contain the column to which a name refers.
  private static func tables(of use: SQLNameUse, _ names: SQLNames) -> [String] {
    let rows = names.chain(from: use.scope).flatMap(\.scope.rows)
    let candidates = use.qualifier.map { qualifier in rows.filter { $0.name == qualifier.folded } } ?? rows
    let stored = candidates.compactMap { rows -> String? in
      if case .stored(let name) = rows.kind { name.name.folded } else { nil }
    }
    // The rows of queries may come from any table of the statement.
    return stored.count == candidates.count && !stored.isEmpty ? stored : names.tables.map(\.asciiLowercased)
  }
}
