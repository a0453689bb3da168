internal import SQLSyntax

/// A count of those values of a column, other than NULL and the empty text, that are nowhere else.
struct ValueCount {
  private let db: Database
  private let table: String
  /// The table, in a FROM clause.
  private let source: String
  private let column: String

  init(_ db: Database, _ table: String, isOld: Bool, _ column: String) {
    (self.db, self.table, self.column) = (db, table, column)
    source = (isOld ? "main." : "") + table.quotedIdentifier
  }

  /// Returns the numbers of the values of several columns, from one pass over the rows; nil if they cannot be counted together.
  static func totals(
    of columns: [String], _ db: Database, _ table: String, isOld: Bool
  ) throws -> [String: Int]? {
    guard columns.count > 1 else { return nil }
    let counts = columns.map { ValueCount(db, table, isOld: isOld, $0) }
    let list = counts.map { "count(nullif(\($0.value), ''))" }.joined(separator: ", ")
    return try counts[0].ifPossible {
      guard let row = try Row.fetchOne(db, sql: "SELECT \(list) FROM \(counts[0].source)") else { return [:] }
      var totals: [String: Int] = [:]
      for (index, column) in columns.enumerated() { totals[column] = try row[index] }
      return totals
    }
  }

  private var value: String { "\(table.quotedIdentifier).\(column.quotedIdentifier) COLLATE BINARY" }

  /// Returns the number of values that none of the keepers has, or fewer; nil if they cannot be counted.
  ///
  /// - Parameter total: The number of all values; nil to count them.
  func lostCount(_ keepers: [ValueKeeper], total: Int?) throws -> Int? {
    let sql = "SELECT count(*) FROM \(source) WHERE \(value) <> ''"
    let total = try total ?? ifPossible { try Int.fetchOne(db, sql: sql) ?? 0 }
    guard let total, total > 0 else { return total }
    var found: [Int] = []
    let expressions = keepers.compactMap { if case .expression(let text) = $0 { text } else { nil } }
    if !expressions.isEmpty { found += [try ifPossible { try undeterminedCount(expressions) }].compactMap(\.self) }
    guard found != [0] else { return 0 }
    var places: [String] = []
    for case .column(let place, let other, let isWhole) in keepers {
      if isWhole, try ifPossible({ try hasAllRows(other) }) ?? false { return 0 }
      places += try ifPossible { try columns(place, of: other) } ?? []
    }
    if !places.isEmpty { found += [try ifPossible { try missingCount(places) }].compactMap(\.self) }
    // Without an answer to any question, the values may all be kept.
    return found.min() ?? (expressions.isEmpty && places.isEmpty ? total : nil)
  }

  /// Returns the result of a query; nil if the connection lacks a collation or a function, or if it takes too long.
  ///
  /// An error for lack of space may have rolled back the transaction (https://www.sqlite.org/lang_transaction.html).
  private func ifPossible<Value>(_ query: () throws -> Value) throws -> Value? {
    let wasInside = db.isInsideTransaction
    do {
      return try query()
    } catch let error as DatabaseError where !error.concernsEverything && db.isInsideTransaction == wasInside {
      return nil
    }
  }

  private func hasAllRows(_ other: String) throws -> Bool {
    let sql = "SELECT (SELECT count(*) FROM \(other.quotedIdentifier)) >= (SELECT count(*) FROM \(source))"
    return try Bool.fetchOne(db, sql: sql) ?? false
  }

  /// Returns queries of the values in a place.
  private func columns(_ place: ValueKeeper.Place, of other: String) throws -> [String] {
    let names = try db.valueColumns(in: other, isOld: false).map(\.name)
    let chosen: [String] =
      switch place {
      case .named(let name): names.filter { $0.isSameName(as: name) }
      case .position(let position): names.indices.contains(position) ? [names[position]] : []
      case .same: names.contains { $0.isSameName(as: column) } ? names.filter { $0.isSameName(as: column) } : names
      case .any: names
      }
    return chosen.map { "SELECT \($0.quotedIdentifier), 1 FROM \(other.quotedIdentifier)" }
  }

  /// Returns the number of values that are in none of the given columns.
  ///
  /// Sorts the values: searching a million of them in a temporary index takes ten times as long. Numbers are equal to the
  /// same numbers as text, since a column may have another type.
  private func missingCount(_ places: [String]) throws -> Int {
    let own = "SELECT \(value) AS x, 0 AS k FROM \(source) WHERE \(value) <> ''"
    let values = ([own] + places).joined(separator: " UNION ALL ")
    return try Int.fetchOne(
      db,
      sql: """
        SELECT CAST(total(c) AS INTEGER) FROM (
          SELECT sum(1 - k) AS c
          FROM (SELECT CASE WHEN +x = CAST(x AS NUMERIC) THEN CAST(x AS NUMERIC) ELSE x END AS x, k FROM (\(values)))
          GROUP BY x COLLATE BINARY HAVING max(k) = 0)
        """) ?? 0
  }

  /// Returns how many values expressions over the same row do not determine: those where all of these are NULL or empty,
  /// and those of rows that differ in the column alone.
  private func undeterminedCount(_ expressions: [String]) throws -> Int {
    let names = expressions.map { "(\($0)) COLLATE BINARY" }
    let isEmpty = names.map { "ifnull(\($0), '') = ''" }.joined(separator: " AND ")
    let rows = "FROM \(source) WHERE \(value) <> ''"
    // One pass without sorting shows an expression that has not changed any value. The sign + prevents conversions
    // (https://www.sqlite.org/datatype3.html#affinity_of_comparison_operands).
    for name in names {
      let sql = "SELECT EXISTS (SELECT 1 \(rows) AND +\(name) IS NOT +\(value))"
      guard try Bool.fetchOne(db, sql: sql) ?? false else { return 0 }
    }
    return try Int.fetchOne(
      db,
      sql: """
        SELECT CAST((SELECT count(*) \(rows) AND \(isEmpty))
          + (SELECT total(d - 1) FROM (SELECT count(DISTINCT \(value)) AS d \(rows) AND NOT (\(isEmpty))
            GROUP BY \(names.joined(separator: ", ")))) AS INTEGER)
        """) ?? 0
  }
}

extension Database {
  /// Returns the columns that a table stores.
  ///
  /// - Parameter isOld: Whether the table is one of the main schema, even if a temporary one hides it.
  func valueColumns(in table: String, isOld: Bool) throws -> [ColumnDescription] {
    let hidden = try isOld ? nil : connection.columns(in: table, inSchema: "temp")
    return try (hidden ?? connection.columns(in: table) ?? []).filter { !$0.isGenerated && !$0.isHidden }
  }
}
