internal import Migrator
internal import SQLSyntax

/// The primary key and the complete indexes of a table, by which rows are found and kept apart.
struct TableKeys {
  private struct Column: Hashable {
    /// The name, in ASCII lower case; empty for an expression.
    let name: String
    /// The collation, in ASCII lower case.
    let collation: String
  }

  private struct Key {
    let columns: [Column]
    let isUnique: Bool
  }

  private let keys: [Key]
  /// The first columns of keys and indexes, also of those that leave out NULL.
  private let leading: Set<String>

  init(of table: String, _ db: Database) throws {
    let indexes = try db.connection.indexes(on: table)
    var keys = indexes.filter { !$0.isPartial }.map { index in
      Key(
        columns: index.columns.map {
          Column(name: $0.name?.asciiLowercased ?? "", collation: $0.collation.asciiLowercased)
        }, isUnique: index.isUnique)
    }
    // A primary key that is the rowid has no index.
    let rowID = try db.primaryKey(of: table)
    if !rowID.isEmpty, !indexes.contains(where: { $0.origin == .primaryKey }) {
      keys.append(Key(columns: rowID.map { Column(name: $0, collation: "binary") }, isUnique: true))
    }
    self.keys = keys
    let withoutNull = try indexes.filter { try $0.isPartial && Self.hasAllValues($0, db) }
    leading = Set(
      keys.compactMap(\.columns.first?.name) + withoutNull.compactMap { $0.columns.first?.name?.asciiLowercased })
  }

  /// Whether a partial index leaves out only rows in which its first column is NULL: these refer to no row.
  private static func hasAllValues(_ index: IndexDescription, _ db: Database) throws -> Bool {
    guard let column = index.columns.first?.name?.asciiLowercased,
      let sql = try db.connection.schema().object(.index, named: index.name)?.sql
    else { return false }
    let tokens = SQLSource(sql).tokens.map(\.folded)
    return [["where", column, "is", "not", "null"], ["where", column, "notnull"]].contains {
      Array(tokens.suffix($0.count)) == $0
    }
  }

  /// Returns whether rows with given values in the columns are found without a scan of the table: an index begins with one of
  /// them.
  func serve(_ columns: [String]) -> Bool {
    columns.contains { leading.contains($0.asciiLowercased) }
  }

  /// Returns whether a key does what an index of an earlier definition of the table did.
  ///
  /// - Parameter newNames: The new names of columns, by their old names; all are in ASCII lower case.
  func cover(_ index: SQLCreateIndex, of table: SQLCreateTable?, _ newNames: [String: String]) -> Bool {
    let columns = index.columns.compactMap { column in
      column.column.map { name in
        Column(
          name: newNames[name.folded] ?? name.folded,
          collation: column.collation?.folded ?? table?.column(named: name.folded)?.collation ?? "binary")
      }
    }
    guard columns.count == index.columns.count else { return false }
    guard index.isUnique else { return keys.contains { $0.columns.starts(with: columns) } }
    guard index.condition == nil else { return false }
    return keys.contains { $0.isUnique && Set($0.columns).isSubset(of: columns) }
  }
}

extension SQLColumnSyntax {
  /// The collation in its definition, in ASCII lower case; nil if there is none.
  fileprivate var collation: String? {
    for constraint in constraints { if case .collate(let name) = constraint.kind { return name.folded } }
    return nil
  }
}

extension Database {
  /// Whether an UPDATE sets numbers that are not smaller than before in the only row of a table without a key, such as one that
  /// records a version: it needs no condition.
  package func recordsVersion(_ sql: String) throws -> Bool {
    guard let syntax = try? SQLTree(parsing: sql), case .data(.update(let update)) = syntax.statement,
      try primaryKey(of: update.table.name.value).isEmpty,
      try !connection.indexes(on: update.table.name.value).contains(where: \.isUnique)
    else { return false }
    let conditions = update.assignments.compactMap { assignment -> String? in
      guard assignment.columns.count == 1, assignment.value.tokens.count == 1,
        syntax.source.token(assignment.value.tokens.lowerBound)?.kind == .number
      else { return nil }
      return "\(assignment.columns[0].value.quotedIdentifier) <= \(syntax.source.text(of: assignment.value.tokens))"
    }
    guard conditions.count == update.assignments.count else { return false }
    let sql =
      "SELECT count(*) = 1 AND min(\(conditions.joined(separator: " AND "))) FROM main.\(update.table.name.value.quotedIdentifier)"
    return try DatabaseError.ifPossible { try Bool.fetchOne(self, sql: sql) } == true
  }
}
