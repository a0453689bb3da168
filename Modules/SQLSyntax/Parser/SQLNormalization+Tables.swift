extension SQLNormalization {
  /// A function that returns the columns of a table's primary key, in lower case and in key order; empty if the table
  /// has no key, nil if there is no such table.
  ///
  /// `table` is the table's name in lower case.
  package typealias PrimaryKeyLookup = (_ table: String) -> [String]?

  /// Returns the canonical text of a `CREATE TABLE` statement, equal for tables with equivalent constraints.
  ///
  /// The constraints of each column are sorted, since SQLite ignores their order. Clauses that restate a default
  /// are left out: `ON CONFLICT ABORT` (https://www.sqlite.org/lang_conflict.html), `NULL`, `ASC` of a primary key,
  /// `NOT NULL` of an `INTEGER PRIMARY KEY` (https://www.sqlite.org/lang_createtable.html#rowid), and the parent
  /// columns of a foreign key that are the parent's primary key (https://www.sqlite.org/foreignkeys.html#fk_indexes).
  ///
  /// - Parameter primaryKey: Returns the primary key of a table of the schema; foreign keys to an unknown table remain
  ///   unchanged.
  package static func canonicalDefinition(of sql: String, primaryKey: @escaping PrimaryKeyLookup = { _ in nil })
    -> String
  {
    guard let tree = try? SQLTree(parsing: sql), case .createTable(let table) = tree.statement, table.select == nil,
      !table.body.isEmpty
    else { return canonicalText(of: sql) }
    let form = CanonicalTable(source: tree.source, table: table, primaryKey: primaryKey)
    return canonicalText(of: form.text)
  }

  /// Returns the canonical text of a column definition, by the rules of ``canonicalDefinition(of:primaryKey:)``.
  package static func canonicalText(of column: SQLColumnSyntax, in table: SQLCreateTable, _ source: SQLSource) -> String
  {
    canonicalText(of: CanonicalTable(source: source, table: table) { _ in nil }.text(of: column))
  }

  /// Returns the columns of the primary key of a `CREATE TABLE` statement, in lower case; empty if it declares none,
  /// nil if the text is not such a statement or ends with `AS SELECT`.
  package static func primaryKey(of sql: String) -> [String]? {
    guard let tree = try? SQLTree(parsing: sql), case .createTable(let table) = tree.statement, table.select == nil
    else { return nil }
    return table.primaryKey
  }
}

/// A `CREATE TABLE` statement with sorted constraints and without clauses that restate a default.
private struct CanonicalTable {
  let source: SQLSource
  let table: SQLCreateTable
  let primaryKey: SQLNormalization.PrimaryKeyLookup

  var text: String {
    let head = source.text(of: 0..<table.body.lowerBound)
    let parts = table.columns.map { text(of: $0) } + table.constraints.map { text(of: $0) }
    return "\(head) \(parts.joined(separator: " , ")) ) \(table.options.joined(separator: " , "))"
  }

  func text(of column: SQLColumnSyntax) -> String {
    let isRowID = isRowID(column)
    let constraints = column.constraints.filter { constraint in
      guard constraint.name == nil else { return true }
      switch constraint.kind {
      case .null: return false
      case .notNull(let onConflict): return !(isRowID && onConflict.isDefault)
      default: return true
      }
    }
    let ordered = constraints.enumerated().sorted {
      ($0.element.kind.place, $0.offset) < ($1.element.kind.place, $1.offset)
    }
    let words = [source.text(of: column.name.token..<(column.name.token + 1)), source.text(of: column.type)]
    return (words + ordered.map { text(of: $0.element) }).joined(separator: " ")
  }

  private func text(of constraint: SQLColumnConstraint) -> String {
    var omitted: [Range<Int>] = []
    switch constraint.kind {
    case .primaryKey(_, let onConflict, _):
      omitted += omission(onConflict, in: constraint.tokens)
      // `PRIMARY KEY ASC`; a constraint's name before it may be `asc`, too.
      omitted += constraint.tokens.dropFirst(2)
        .filter { source.tokens[$0].isWord("asc") && source.tokens[$0 - 1].isWord("key") }.map { $0..<($0 + 1) }
    case .notNull(let onConflict), .unique(let onConflict), .check(_, let onConflict):
      omitted += omission(onConflict, in: constraint.tokens)
    case .references(let clause): omitted += omission(clause)
    case .null, .defaultValue, .collate, .generated, .deferral, .nothing: break
    }
    return text(of: constraint.tokens, without: omitted)
  }

  private func text(of constraint: SQLTableConstraint) -> String {
    let omitted =
      switch constraint.kind {
      case .primaryKey(_, _, let onConflict), .unique(_, let onConflict), .check(_, let onConflict):
        omission(onConflict, in: constraint.tokens)
      case .foreignKey(_, let clause): omission(clause)
      case .nothing: [Range<Int>]()
      }
    return text(of: constraint.tokens, without: omitted)
  }

  /// Returns the tokens of the `ON CONFLICT ABORT` clause to leave out; empty if there is none.
  ///
  /// The first `ON CONFLICT ABORT` in the constraint is always this clause: no expression can contain these keywords.
  private func omission(_ onConflict: SQLConflictResolution?, in tokens: Range<Int>) -> [Range<Int>] {
    guard onConflict == .abort else { return [] }
    let clause = ["on", "conflict", "abort"]
    let first = tokens.dropLast(2).first { first in
      clause.indices.allSatisfy { source.tokens[first + $0].isWord(clause[$0]) }
    }
    return first.map { [$0..<($0 + clause.count)] } ?? []
  }

  /// Returns the tokens of a foreign key's parent columns to leave out, with their parentheses; empty unless these
  /// columns are the parent's primary key.
  private func omission(_ clause: SQLForeignKeyClause) -> [Range<Int>] {
    guard let first = clause.columns.first, let last = clause.columns.last else { return [] }
    let folded = clause.table.folded
    guard let key = folded == table.name.name.folded ? table.primaryKey : primaryKey(folded),
      clause.columns.map(\.folded) == (key.isEmpty ? ["rowid"] : key),
      source.token(first.token - 1)?.isOperator("(") == true, source.token(last.token + 1)?.isOperator(")") == true
    else { return [] }
    return [(first.token - 1)..<(last.token + 2)]
  }

  private func text(of tokens: Range<Int>, without omitted: [Range<Int>]) -> String {
    guard !omitted.isEmpty else { return source.text(of: tokens) }
    return tokens.filter { token in !omitted.contains { $0.contains(token) } }.map { source.tokens[$0].text }
      .joined(separator: " ")
  }

  /// Returns whether the column is an alias for the rowid, which cannot be NULL.
  private func isRowID(_ column: SQLColumnSyntax) -> Bool {
    guard column.type.count == 1, source.tokens[column.type.lowerBound].spells("integer") else { return false }
    for constraint in column.constraints {
      if case .primaryKey(let isDescending, _, _) = constraint.kind { return !isDescending }
    }
    return table.primaryKey == [column.name.folded]
  }
}

extension SQLConflictResolution? {
  /// Whether the `ON CONFLICT` clause is absent or names the default.
  fileprivate var isDefault: Bool { self == nil || self == .abort }
}

extension SQLColumnConstraint.Kind {
  /// The position of the constraint in the canonical order of a column's constraints.
  ///
  /// `DEFERRABLE` must follow the `REFERENCES` clause to which it applies.
  fileprivate var place: Int {
    switch self {
    case .primaryKey: 0
    case .notNull, .null: 1
    case .unique: 2
    case .check: 3
    case .defaultValue: 4
    case .collate: 5
    case .references, .deferral: 6
    case .generated: 7
    case .nothing: 8
    }
  }
}
