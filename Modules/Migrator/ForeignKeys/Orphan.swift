internal import SQLSyntax

/// A dangling row, identified by its foreign key and the key's values, not by its rowid; names are in ASCII lowercase.
struct Orphan: Hashable {
  var origin: String
  var destination: String
  var columns: [String]
  /// The values of the foreign key; empty if they could not be read.
  var values: [DatabaseValue]

  /// The part of an orphan that remains the same if a table is rebuilt with other names and column types.
  struct Likeness: Hashable {
    fileprivate var columnCount: Int
    fileprivate var values: [DatabaseValue]
  }

  /// The number of columns, and the values in a form that is the same for a number and for text that contains the
  /// number.
  ///
  /// If a column's type changes, its values are converted (https://www.sqlite.org/datatype3.html#type_affinity).
  var likeness: Likeness { Likeness(columnCount: columns.count, values: values.map(Self.withoutType)) }

  private static func withoutType(_ value: DatabaseValue) -> DatabaseValue {
    switch value {
    case .real(let number): Int64(exactly: number).map { .integer($0) } ?? value
    case .text(let text):
      Int64(text).map { .integer($0) } ?? Double(text).flatMap { $0.isFinite ? withoutType(.real($0)) : nil } ?? value
    case .null, .integer, .blob: value
    }
  }
}

/// Dangling rows, counted by their foreign key and its values rather than by rowid.
///
/// A migration may rebuild a table and renumber its rows, so rowids do not identify rows. The values of the key remain.
struct OrphanCount {
  private var counts: [Orphan: Int] = [:]
  /// The remaining orphans of tables whose definition changed, keyed by likeness; nil before the first use.
  private var moved: [Orphan.Likeness: [Orphan]]?
  private(set) var total = 0

  mutating func add(_ orphan: Orphan) {
    counts[orphan, default: 0] += 1
    total += 1
  }

  mutating func remove(_ orphan: Orphan) -> Bool {
    guard let count = counts[orphan] else { return false }
    counts[orphan] = count == 1 ? nil : count - 1
    total -= 1
    return true
  }

  /// Removes one orphan that is in one of `tables` and has the same likeness as `orphan`; returns false if there is
  /// none.
  ///
  /// All calls must pass the same tables.
  ///
  /// If a table or column is renamed, or its declaration changes, the names in its orphans or the types of their values
  /// change.
  mutating func removeMoved(_ orphan: Orphan, from tables: Set<String>) -> Bool {
    guard tables.contains(orphan.origin) else { return false }
    var moved = self.moved ?? index(tables)
    let likeness = orphan.likeness
    let found = moved[likeness]?.popLast()
    self.moved = moved
    return found.map { remove($0) } ?? false
  }

  private func index(_ tables: Set<String>) -> [Orphan.Likeness: [Orphan]] {
    var index: [Orphan.Likeness: [Orphan]] = [:]
    for (orphan, count) in counts where tables.contains(orphan.origin) {
      index[orphan.likeness, default: []] += Array(repeating: orphan, count: count)
    }
    return index
  }
}

/// A reader of the violations of one table, together with the values of their foreign keys.
struct OrphanReader {
  private let db: Database
  private let table: String
  private let keys: [Int: ForeignKeyDescription]

  init(_ table: String, in db: Database) throws {
    (self.db, self.table) = (db, table)
    keys = Dictionary(
      try db.connection.foreignKeys(on: table).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Calls a closure with `first` and each violation that `next` returns; those without rowids come last.
  func forEach(
    _ first: ForeignKeyViolation, _ next: () throws -> ForeignKeyViolation?,
    _ body: (ForeignKeyViolation, Orphan) throws -> Void
  ) throws {
    var byRowID: [Int: (any DatabaseStatement)?] = [:]
    var withoutRowID: [ForeignKeyViolation: Int] = [:]
    var current = Optional(first)
    while let violation = current {
      if let rowID = violation.originRowID {
        let id = violation.foreignKeyId
        let query = try byRowID[id] ?? rowIDQuery(for: id)
        byRowID[id] = .some(query)
        try body(violation, orphan(violation, query.map { try values(of: $0, rowID: rowID) } ?? []))
      } else {
        withoutRowID[violation, default: 0] += 1
      }
      current = try next()
    }
    for (violation, count) in withoutRowID {
      for values in try valuesWithoutRowID(violation, count: count) { try body(violation, orphan(violation, values)) }
    }
  }

  private func orphan(_ violation: ForeignKeyViolation, _ values: [DatabaseValue]) -> Orphan {
    Orphan(
      origin: table.asciiLowercased, destination: violation.destinationTable.asciiLowercased,
      columns: keys[violation.foreignKeyId]?.originColumns.map(\.asciiLowercased) ?? [], values: values)
  }

  /// Returns a query for the values of a foreign key in the row with a given rowid; nil if columns hide the rowid.
  ///
  /// The query is prepared directly on the connection, so that the watch does not mistake it for a statement of the
  /// migration.
  private func rowIDQuery(for id: Int) throws -> (any DatabaseStatement)? {
    guard let key = keys[id], let rowID = try db.rowIDName(of: table) else { return nil }
    let columns = key.originColumns.map(\.quotedIdentifier).joined(separator: ", ")
    return try db.connection.prepare(
      "SELECT \(columns) FROM main.\(table.quotedIdentifier) WHERE \(rowID) = ?", utf8Offset: 0
    ).statement
  }

  private func values(of query: any DatabaseStatement, rowID: Int64) throws -> [DatabaseValue] {
    defer { query.reset() }
    try query.bind(.integer(rowID), at: 0)
    return try query.step() ? (0..<query.columnCount).map { DatabaseValue(query.value(at: $0)) } : []
  }

  /// Returns the foreign key values of the violations in a table without rowids.
  ///
  /// The engine counts these violations, but does not identify their rows.
  ///
  /// - Returns: One list for each violation; the lists are empty if the rows found are not exactly those that the
  ///   engine counted.
  private func valuesWithoutRowID(_ violation: ForeignKeyViolation, count: Int) throws -> [[DatabaseValue]] {
    let unknown = Array(repeating: [DatabaseValue](), count: count)
    guard let key = keys[violation.foreignKeyId], let sql = try orphanQuery(key),
      let query = try db.connection.prepare(sql, utf8Offset: 0).statement
    else { return unknown }
    defer { query.reset() }
    var found: [[DatabaseValue]] = []
    while try query.step() {
      guard found.count < count else { return unknown }
      found.append((0..<query.columnCount).map { DatabaseValue(query.value(at: $0)) })
    }
    return found.count == count ? found : unknown
  }

  private func orphanQuery(_ key: ForeignKeyDescription) throws -> String? {
    let columns = key.originColumns.map { "c.\($0.quotedIdentifier)" }
    let notNull = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let rows = "SELECT \(columns.joined(separator: ", ")) FROM main.\(table.quotedIdentifier) AS c WHERE \(notNull)"
    guard try db.tableExists(key.destinationTable, in: "main") else { return rows }
    let names = key.destinationColumns.isEmpty ? try db.keyColumns(of: key.destinationTable) : key.destinationColumns
    guard names.count == columns.count else { return nil }
    // The parent's value comes first, and the plus removes the child's type: the parent's type and collation apply.
    let comparisons = zip(names, columns).map { "p.\($0.quotedIdentifier) = +\($1)" }.joined(separator: " AND ")
    return rows
      + " AND NOT EXISTS (SELECT 1 FROM main.\(key.destinationTable.quotedIdentifier) AS p WHERE \(comparisons))"
  }
}
