internal import SQLSyntax

/// A count of those values of a table's columns, other than NULL and the empty text, that are nowhere else.
struct ValueCount {
  /// Columns that are meant to have the values.
  private struct Place {
    let table: ValueKeeper.Table
    let columns: [String]
    /// Whether one row may have the value for several ones.
    let isLinked: Bool
  }

  private typealias Expression = (text: String, unless: String?, inverses: [String])

  private let db: Database
  private let table: String
  /// The table, in a FROM clause.
  private let source: String
  /// A condition for the rows, with AND before it; empty for all rows.
  private var condition = ""

  /// The number of names of rows that are kept in memory for a column.
  static let mostNames = 100_000

  /// Creates a count of the values in all rows.
  init(_ db: Database, _ table: ValueKeeper.Table) { (self.db, self.table, source) = (db, table.name, table.sql) }

  /// Returns the columns that name a row: the rowid or, in a table without one, the primary key; empty if columns hide the rowid.
  ///
  /// - Parameter columns: The columns by which a statement finds rows that it replaces with others, empty for all: if these
  ///   contain a primary or unique key, it is the name. Nil for a statement that keeps the rows.
  func key(replacing columns: [String]? = nil) throws -> [String] {
    guard let rowID = try db.rowIDName(of: table) else { return [] }
    let key = try db.keyColumns(of: table)
    if let columns {
      let unique = try db.connection.indexes(on: table).filter { $0.isUnique && !$0.isPartial }
      let keys = [key] + unique.map { index in index.columns.map { $0.name ?? "" } }
      let found = keys.first { key in
        !key.isEmpty && key.allSatisfy { !$0.isEmpty && (columns.isEmpty || columns.contains($0.asciiLowercased)) }
      }
      if let found { return found }
    }
    return try key.isEmpty || hasRows("FROM \(source) WHERE \(rowID) = 0") != nil ? [rowID] : key
  }

  /// Returns a count of the values in rows with some names; nil if there is no key.
  func among(_ names: Set<String>, _ key: [String]) -> ValueCount? {
    guard !key.isEmpty else { return nil }
    var some = self
    let columns = key.map { "\(table.quotedIdentifier).\($0.quotedIdentifier)" }.joined(separator: ", ")
    some.condition =
      " AND (\(columns)) IN (\(key.count == 1 ? "" : "VALUES ")\(names.joined(separator: ", ")))"
    return some
  }

  private func value(_ column: String) -> String {
    "\(table.quotedIdentifier).\(column.quotedIdentifier) COLLATE BINARY"
  }

  /// Whether a query with the given clauses returns rows; nil if it fails.
  func hasRows(_ clauses: String) throws -> Bool? {
    try ifPossible { try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 \(clauses))") ?? false }
  }

  /// Returns the names of the rows that a query returns, by a key; nil if there are many, or if there is no key.
  func names(_ query: SQLRowQuery, by key: [String]) throws -> Set<String>? {
    guard !key.isEmpty else { return nil }
    let sql =
      query.text("'(' || \(quoted(key, in: query.name.quotedIdentifier)) || ')'") + " LIMIT \(Self.mostNames + 1)"
    guard let found = try ifPossible({ try String.fetchAll(db, sql: sql) }) else { return nil }
    return found.count > Self.mostNames ? nil : Set(found)
  }

  /// Returns the names of the rows that a query returns and in which each of some columns has a value, by a key; nil if they are
  /// many cells, or if there is no key.
  func names(_ query: SQLRowQuery, by key: [String], withValuesIn columns: [String]) throws -> [Set<String>]? {
    guard !key.isEmpty else { return nil }
    let most = Self.mostNames / max(1, columns.count)
    let name = query.name.quotedIdentifier
    let results =
      ["'(' || \(quoted(key, in: name)) || ')'"] + columns.map { "\(name).\($0.quotedIdentifier) COLLATE BINARY <> ''" }
    let sql = query.text(results.joined(separator: ", ")) + " LIMIT \(most + 1)"
    guard let rows = try ifPossible({ try Row.fetchAll(db, sql: sql) }), rows.count <= most else { return nil }
    return try columns.indices.map { column in
      Set(try rows.filter { try $0[column + 1] as Bool? == true }.map { try $0[0] as String })
    }
  }

  private func quoted(_ key: [String], in name: String) -> String {
    key.map { "quote(\(name).\($0.quotedIdentifier))" }.joined(separator: " || ', ' || ")
  }

  /// Returns the names of the rows in which a column has a value, by a key; nil if there are many, or if there is no key.
  func names(with column: String, by key: [String]) throws -> Set<String>? {
    let clauses = "FROM \(source) WHERE \(hasValue([column]))"
    guard try hasRows("\(clauses) LIMIT 1 OFFSET \(Self.mostNames)") == false else { return nil }
    return try names(SQLRowQuery(table, clauses), by: key)
  }

  /// Returns the number of rows in which a column is empty; nil if they cannot be counted.
  func emptyCount(of column: String) throws -> Int? {
    let sql = "SELECT count(*) FROM \(source) WHERE (\(value(column)) <> '') IS NOT 1\(condition)"
    return try ifPossible { try Int.fetchOne(db, sql: sql) } ?? nil
  }

  /// Returns the largest rowid; nil if rows have none.
  func lastRowID() throws -> Int64? {
    try ifPossible { try Int64.fetchOne(db, sql: "SELECT max(rowid) FROM \(source)") } ?? nil
  }

  /// Returns the number of rows; nil if they cannot be counted.
  func rowCount() throws -> Int? {
    try ifPossible { try Int.fetchOne(db, sql: "SELECT count(*) FROM \(source) WHERE 1\(condition)") } ?? nil
  }

  /// Whether all values of a column are in another one, if all rows of its table are.
  func isCopied(_ column: ColumnDescription, _ keepers: [ValueKeeper]) throws -> Bool {
    try keepers.contains { keeper in
      switch keeper {
      case .rows(let place, let other, _), .column(let place, let other, isWhole: true, _, _):
        let chosen = try columns(place, of: other, like: column.name)
        guard !chosen.isEmpty, try !chosen.contains(where: { try changesValues(of: column, $0) }) else { return false }
        if case .rows = keeper { return true }
        return try ifPossible { try hasAllRows(other) } ?? false
      case .column, .expression: return false
      }
    }
  }

  /// Whether a new column changes values of another one by its type, or may.
  private func changesValues(of column: ColumnDescription, _ new: ColumnDescription) throws -> Bool {
    let (new, old) = (new.affinity, column.affinity)
    if new == .blob || new == old || new != .real && new.isNumeric && old.isNumeric { return false }
    let change = """
      \(new == .real ? "typeof(v) = 'integer' AND CAST(v AS REAL)" : "typeof(v) = 'real' AND CAST(CAST(v AS TEXT) AS REAL)") <> v \
      OR typeof(v) = 'text' AND +v = CAST(v AS NUMERIC) AND typeof(\(Self.number("v"))) = 'text'
      """
    if try hasRows("FROM (SELECT \(value(column.name)) AS v FROM \(source)) WHERE \(change)") != false { return true }
    return try new.isNumeric && ifPossible { try mergedCount(of: column.name) } != 0
  }

  /// Returns how many values fewer there are when texts become numbers: '1.1' and '1.10' are one.
  private func mergedCount(of column: String) throws -> Int {
    let texts = "SELECT \(value(column)) AS v FROM \(source) WHERE typeof(\(value(column))) = 'text' LIMIT -1"
    let sql =
      "SELECT count(DISTINCT v) - count(DISTINCT CAST(v AS NUMERIC)) FROM (\(texts)) WHERE +v = CAST(v AS NUMERIC)"
    return try Int.fetchOne(db, sql: sql) ?? 0
  }

  /// Returns the number of rows that are not among those that replace them, by all columns that are copied as they are; 0 if
  /// the number of rows shows that, or if the rows cannot be compared.
  func missingRowCount(_ described: [ColumnDescription], _ keepers: [String: [ValueKeeper]]) throws -> Int {
    var pairs: [(old: String, new: String)] = []
    var other = ValueKeeper.Table("", isTemporary: false)
    for column in described {
      for case .rows(let place, let table, isWhole: false) in (keepers[column.name.asciiLowercased] ?? []).prefix(1) {
        // Instead of NULL, a column may store its default (https://www.sqlite.org/lang_conflict.html) or the number of the row.
        guard let new = try columns(place, of: table, like: column.name).first, try !changesValues(of: column, new),
          try !(new.isNotNull || new.primaryKeyIndex > 0)
            || hasRows("FROM \(source) WHERE \(value(column.name)) IS NULL") == false
        else { continue }
        pairs.append((column.name, new.name))
        other = table
      }
    }
    let place = Place(table: other, columns: pairs.map(\.new), isLinked: true)
    guard try !pairs.isEmpty && !hasSameRows(pairs.map(\.old), place) else { return 0 }
    return try ifPossible { try missingCount(of: pairs.map(\.old), [place]) } ?? 0
  }

  /// Returns the number of values of a column that none of the keepers has, or fewer; nil if they cannot be counted.
  func lostCount(of column: String, _ keepers: [ValueKeeper]) throws -> Int? {
    let rows = "FROM \(source) WHERE \(hasValue([column]))"
    let count = {
      try ifPossible { try Int.fetchOne(db, sql: "SELECT count(*) \(rows) AND trim(\(value(column))) <> ''") ?? 0 }
    }
    if keepers.isEmpty { return try count() }
    let hasValues = try hasRows(rows)
    guard hasValues == true else { return hasValues.map { _ in 0 } }
    var expressions: [Expression] = []
    var places: [Place] = []
    var areNumeric = true
    for keeper in keepers {
      switch keeper {
      case .expression(let text, let unless, let inverses): expressions.append((text, unless, inverses))
      case .column(let place, let other, _, _, _), .rows(let place, let other, _):
        let chosen = try columns(place, of: other, like: column)
        let isLinked = if case .column(_, _, _, false, _) = keeper { false } else { true }
        places += chosen.map { Place(table: other, columns: [$0.name], isLinked: isLinked) }
        areNumeric = areNumeric && chosen.allSatisfy(\.affinity.isNumeric)
      }
    }
    if try places.contains(where: { try hasSameRows([column], $0) }) { return 0 }
    var found: [Int] = []
    if !expressions.isEmpty {
      // The conditions compute the expressions with values of other rows, which may fail.
      let count =
        try ifPossible { try undeterminedCount(of: column, expressions) }
        ?? ifPossible { try undeterminedCount(of: column, expressions.map { ($0.text, nil, []) }) }
      found += [count].compactMap(\.self)
    }
    guard found != [0] else { return 0 }
    if !places.isEmpty {
      let key = try db.keyColumns(of: table)
      let rows = try keyedPlaces(column, key, keepers)
      let missing = try ifPossible {
        try max(
          rows.map { try missingCount(of: [column] + key, $0, withValuesIn: [column]) }
            ?? missingCount(of: [column], places),
          areNumeric ? mergedCount(of: column) : 0)
      }
      found += [missing].compactMap(\.self)
    }
    // Without an answer to any question, the values may all be kept.
    guard found.isEmpty, expressions.isEmpty, places.isEmpty else { return found.min() }
    return try count()
  }

  /// Returns the columns of copies that have the values of a column and, beside them, of the primary key; nil if one of the copies
  /// lacks the key.
  private func keyedPlaces(_ column: String, _ key: [String], _ keepers: [ValueKeeper]) throws -> [Place]? {
    var places: [Place] = []
    for keeper in keepers {
      if case .expression = keeper { continue }
      guard case .column(let place, let other, _, _, let beside) = keeper, !key.isEmpty else { return nil }
      guard let value = try columns(place, of: other, like: column).first else { continue }
      let names = try key.compactMap { name in
        try beside[name.asciiLowercased].flatMap { try columns($0, of: other, like: name).first?.name }
      }
      guard names.count == key.count else { return nil }
      places.append(Place(table: other, columns: [value.name] + names, isLinked: true))
    }
    return places.isEmpty ? nil : places
  }

  /// Returns the result of a query; nil if it fails, such as for lack of a collation or a function.
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

  /// Whether a table has as many rows as this one, or is this one and no trigger can keep an UPDATE from its rows.
  ///
  /// A virtual table need not store what it receives, such as a full-text index without contents
  /// (https://www.sqlite.org/fts5.html#contentless_tables).
  private func hasAllRows(_ other: ValueKeeper.Table) throws -> Bool {
    let objects = try db.connection.schema().objects.filter { $0.tableName.isSameName(as: other.name) }
    if objects.contains(where: \.isVirtual) { return false }
    if other.sql == source { return !objects.contains { $0.kind == .trigger } }
    let sql = "SELECT (SELECT count(*) FROM \(other.sql)) >= (SELECT count(*) FROM \(source))"
    return try Bool.fetchOne(db, sql: sql) ?? false
  }

  /// Returns the columns of a place for the values of a column.
  private func columns(
    _ place: ValueKeeper.Place, of other: ValueKeeper.Table, like column: String
  ) throws -> [ColumnDescription] {
    if try !other.isTemporary && db.connection.schema().object(.table, named: other.name)?.countsRowsOfAnother ?? false
    {
      return []
    }
    let all = try ifPossible { try db.valueColumns(in: other) } ?? []
    switch place {
    case .named(let name): return all.filter { $0.name.isSameName(as: name) }
    case .position(let position): return all.indices.contains(position) ? [all[position]] : []
    case .same where all.contains { $0.name.isSameName(as: column) }:
      return all.filter { $0.name.isSameName(as: column) }
    case .same, .any: return all
    }
  }

  /// A condition for a row that has a value in one of some columns.
  private func hasValue(_ columns: [String]) -> String {
    "(\(columns.map { "\(value($0)) <> ''" }.joined(separator: " OR ")))\(condition)"
  }

  /// Whether the rows of a place with the same rowids have the values of some columns, as copies often do: sorting takes ten
  /// times as long.
  private func hasSameRows(_ columns: [String], _ place: Place) throws -> Bool {
    let differs = zip(columns, place.columns).map { "+place.\($1.quotedIdentifier) IS NOT +\(value($0))" }
    guard let own = try db.rowIDName(of: table), let other = try db.rowIDName(of: place.table.name) else {
      return false
    }
    let clauses = """
      FROM \(source) LEFT JOIN \(place.table.sql) AS place
        ON place.\(other) = \(table.quotedIdentifier).\(own)
      WHERE \(hasValue(columns)) AND (\(differs.joined(separator: " OR ")))
      """
    return try hasRows(clauses) == false
  }

  /// Returns the number of rows whose values in some columns are in no row of the given places, except rows that have no value
  /// in any of these columns, or of those that are named.
  private func missingCount(
    of columns: [String], _ places: [Place], withValuesIn valued: [String]? = nil
  ) throws -> Int {
    // Sorts the values: searching a million of them in a temporary index takes ten times as long.
    let names = columns.indices.map { "x\($0)" }
    let values = zip(columns, names).map { "\(value($0)) AS \($1)" }.joined(separator: ", ")
    let own = "SELECT \(values), 1 AS k FROM \(source) WHERE \(hasValue(valued ?? columns))"
    let others = places.map { place in
      let names = place.columns.map(\.quotedIdentifier).joined(separator: ", ")
      return "SELECT \(names), \(place.isLinked ? -1e300 : -1) FROM \(place.table.sql)"
    }
    return try Int.fetchOne(
      db,
      sql: """
        SELECT CAST(total(c) AS INTEGER) FROM (
          SELECT sum(k) AS c
          FROM (SELECT \(names.map { "\(Self.number($0)) AS \($0)" }.joined(separator: ", ")), k
            FROM (\(([own] + others).joined(separator: " UNION ALL "))))
          GROUP BY \(names.map { "\($0) COLLATE BINARY" }.joined(separator: ", ")) HAVING c > 0)
        """) ?? 0
  }

  /// Returns an expression for a value, or for the number that a text stands for, since a column may have another type: a
  /// number keeps no zeros or signs before the digits, nor more than 15 digits, unless it is an integer.
  fileprivate static func number(_ value: String) -> String {
    """
    CASE WHEN +\(value) = CAST(\(value) AS NUMERIC) AND (typeof(\(value)) <> 'text' OR CAST(CAST(\(value) AS NUMERIC) AS TEXT) = \(value) \
    OR length(\(value)) < 17 AND \(value) NOT GLOB '*[^0-9.-]*' AND ltrim(\(value), '-') NOT GLOB '0[0-9]*') \
    THEN CAST(\(value) AS NUMERIC) ELSE \(value) END
    """
  }

  /// Returns how many values expressions over the same row do not determine: those where all of these are NULL or empty, do
  /// not depend on the value, or are its number without zeros or signs; those of rows that differ in the column alone; or, if
  /// the expressions return parts of the values, those with another remainder than most.
  private func undeterminedCount(of column: String, _ expressions: [Expression]) throws -> Int {
    let stored = "\(source) WHERE \(hasValue([column]))"
    guard let suspects = try suspects(of: column, expressions) else { return 0 }
    // Of a column of 0 and 1, the value 0 may become NULL.
    if expressions.count == 1, try hasRows("FROM \(stored) AND \(value(column)) = 0") == true {
      let (flag, isEmpty) = (value(column), "ifnull((\(expressions[0].text)), '') = ''")
      let isOther = "\(flag) IS NULL OR +\(flag) NOT IN (0, 1) OR (\(flag) = 0) IS NOT (\(isEmpty))"
      if try hasRows("FROM \(stored) AND \(flag) = 1") == true,
        try hasRows("FROM \(source) WHERE (\(isOther))\(condition)") == false
      {
        return 0
      }
    }
    let results = expressions.enumerated().map {
      "(\($1.text)) AS e\($0), \($1.unless.map { "(\($0))" } ?? "0") AS u\($0)"
    }
    // LIMIT keeps a subquery from being merged into the query around it, which would compute each value several times
    // (https://www.sqlite.org/optoverview.html#subquery_flattening).
    let rows = { (condition: String) in
      "(SELECT \(value(column)) AS v, \(results.joined(separator: ", ")) FROM \(stored)\(condition) LIMIT -1)"
    }
    let count = { (groups: String) in
      try Int.fetchOne(db, sql: "SELECT CAST(total(c) AS INTEGER) FROM (\(groups))") ?? 0
    }
    let number = Self.number("v")
    // Conditions are in WHERE clauses, where SQLite stops at the first part that decides.
    let isLost = expressions.indices.map {
      """
      (ifnull(e\($0), '') = '' OR u\($0) OR typeof(e\($0)) <> 'text' AND +e\($0) = CAST(v AS NUMERIC) \
      AND +v = CAST(v AS NUMERIC) AND typeof(\(number)) = 'text')
      """
    }.joined(separator: " AND ")
    let isPart = isPart(value(column), expressions)
    let (remainders, shortest) = Self.remainders(expressions.count)
    let lost = try count("SELECT count(*) AS c FROM \(rows(suspects.lost)) WHERE \(isLost)")
    let others = try count(
      """
      SELECT count(*) AS c FROM (SELECT \(remainders) FROM \(rows(" AND \(isPart)")) WHERE NOT (\(isLost)) LIMIT -1)
      GROUP BY \(shortest) ORDER BY c DESC LIMIT -1 OFFSET 1
      """)
    // Parts with the same remainder determine the values, without sorting these; a number may stand for several texts.
    if lost + others == 0 {
      let numbers = expressions.map { " OR typeof((\($0.text))) IN ('integer', 'real')" }.joined()
      let sql = "SELECT EXISTS (SELECT 1 FROM \(stored) AND (NOT (\(isPart))\(numbers)))"
      guard try Bool.fetchOne(db, sql: sql) ?? false else { return 0 }
    }
    let ambiguous = try count(
      """
      SELECT count(DISTINCT v) - 1 AS c FROM \(rows(suspects.ambiguous)) WHERE NOT (\(isLost))
      GROUP BY \(Self.names(expressions.count).joined(separator: ", "))
      """)
    return lost + max(ambiguous, others)
  }

  /// Returns conditions for the rows whose values expressions may not determine, alone or because their results are those of
  /// several values; nil if an expression has not changed any value, or can be undone, which one pass without sorting shows.
  ///
  /// If that is true of most values, only the others' results may be those of several values.
  private func suspects(
    of column: String, _ expressions: [Expression]
  ) throws -> (lost: String, ambiguous: String)? {
    let few = 50_000
    var suspects = (lost: "", ambiguous: "")
    for expression in expressions {
      for inverse in expression.inverses + [expression.text] {
        let isOther = differs("(\(inverse))", from: value(column))
        // In most rows, only the first condition is computed.
        let differing = "FROM \(source) WHERE \(isOther) AND \(hasValue([column]))"
        let count = try ifPossible {
          try Int.fetchOne(db, sql: "SELECT count(*) FROM (SELECT 1 \(differing) LIMIT \(few))") ?? few
        }
        if count == 0 { return nil }
        guard expressions.count == 1, count ?? few < few else { continue }
        let results = "(\(expression.text)) COLLATE BINARY IN (SELECT \(expression.text) \(differing))"
        suspects = (" AND \(isOther)", " AND \(results)")
      }
    }
    return suspects
  }

  /// A condition for a row in which an expression returns a part of a value.
  private func isPart(_ value: String, _ expressions: [Expression]) -> String {
    // Of a number, only the digits before the point are a part: others may be those of another number.
    let lastStart = "CASE typeof(\(value)) WHEN 'text' THEN length(\(value)) ELSE 1 END"
    let parts = expressions.map { "instr(\(value), nullif((\($0.text)), '')) BETWEEN 1 AND \(lastStart)" }
    return "typeof(\(value)) IN ('text', 'real') AND (\(parts.joined(separator: " OR ")))"
  }

  /// The names of the results of expressions, e0 and so on.
  private static func names(_ count: Int) -> [String] { (0..<count).map { "e\($0) COLLATE BINARY" } }

  /// Returns the columns with the remainders of a value v from which the results of expressions are removed, in either order,
  /// and the shortest remainder.
  private static func remainders(_ count: Int) -> (columns: String, shortest: String) {
    let names = names(count)
    let isWhole = names.map { "+\($0) IS +v OR typeof(\($0)) <> 'text' AND +\($0) IS \(number("v"))" }
    // A part may contain another one, which is then removed after it. Spaces between parts are not missed.
    let columns = [names, names.reversed()].prefix(count).enumerated().map { index, names in
      let remainder = names.reduce("v") { "replace(\($0), ifnull(\($1), ''), '')" }
      return
        "CASE WHEN \(isWhole.joined(separator: " OR ")) THEN '' ELSE replace(\(remainder), ' ', '') END AS r\(index)"
    }
    let shortest = count == 1 ? "r0" : "CASE WHEN length(r0) < length(r1) THEN r0 ELSE r1 END"
    return (columns.joined(separator: ", "), shortest)
  }

  /// Returns a condition for a row in which an expression is neither a value nor the same integer as a text.
  private func differs(_ result: String, from value: String) -> String {
    // The sign + prevents conversions (https://www.sqlite.org/datatype3.html#affinity_of_comparison_operands).
    """
    (+\(result) IS NOT +\(value) \
    AND (typeof(\(value)) IN (typeof(\(result)), 'real') OR CAST(\(result) AS TEXT) IS NOT CAST(\(value) AS TEXT)))
    """
  }
}

extension ColumnAffinity {
  /// Whether a column with this affinity stores numbers instead of texts that look like them.
  fileprivate var isNumeric: Bool { [.integer, .numeric, .real].contains(self) }
}

extension Database {
  /// Returns the columns that a table stores.
  func valueColumns(in table: ValueKeeper.Table) throws -> [ColumnDescription] {
    try (connection.columns(in: table.name, inSchema: table.isTemporary ? "temp" : nil) ?? []).filter {
      !$0.isGenerated && !$0.isHidden
    }
  }
}
