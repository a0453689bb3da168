internal import Migrator
internal import SQLSyntax

/// A record of the rows and values that the statements of a migration remove from tables with sample rows.
struct LossCourse {
  private let db: Database
  private let before: ValueCensus
  private let filled: Set<String>
  private let oldViolations: Set<[String]>
  /// The affinity of the first column of each table's primary key.
  private var keyAffinities: [String: ColumnAffinity] = [:]
  /// The ordinary tables, by names in ASCII lower case.
  private var names: TableNames
  /// For each value, the number of cells from which DELETE and UPDATE statements removed the value.
  ///
  /// Only cells in the tables that the statements name are counted: removing a value from these is intended, and not a
  /// loss.
  private var intended: [String: Int] = [:]
  private var deletedCounts: [String: Int] = [:]
  /// The index of the last statement that removed rows from each table.
  private var culprits: [String: Int] = [:]
  private let keepers: ValueKeepers
  private var counts: [String: Int] = [:]
  /// The rows that a DELETE or UPDATE may change, before it, and a condition for them.
  private var target: (rows: ValueCensus, condition: String)?
  /// The table of a series of statements that replace rows, and its rows before the first of these.
  private var replacing: (table: String, rows: ValueCensus)?
  private var replacementCount = 0
  /// The number of such series that are compared; in later ones, each value that is replaced counts as lost.
  private static let mostReplacements = 50
  /// Whether a statement changes only rows that it names; nil until that is read.
  private var hasOnlyOwnEffects: Bool?
  private var found: [RehearsedLoss] = []

  /// Records the state before a migration.
  ///
  /// - Parameters:
  ///   - tables: The ordinary tables.
  ///   - filled: The names of those of these tables that have sample rows, in ASCII lower case.
  ///   - keepers: The places to which the migration copies values.
  init(_ db: Database, _ tables: [String], filled: Set<String>, _ keepers: ValueKeepers) throws {
    (self.db, self.keepers) = (db, keepers)
    self.filled = filled
    names = TableNames(tables.map(\.asciiLowercased))
    before = try ValueCensus(db, tables)
    for table in tables { keyAffinities[table.asciiLowercased] = try Self.keyAffinity(of: table, db) }
    oldViolations = try Self.violations(db)
  }

  /// Returns the name that a table had before the migration.
  func origin(of table: String) -> String { names.original(of: table) ?? table }

  // MARK: Statements

  /// Records the state before a statement.
  mutating func willRun(_ risk: RiskyStatement?) throws {
    (target, counts) = (nil, [:])
    if let replacing, risk?.kind != .replace || risk?.table != replacing.table { try endReplacing() }
    guard let risk else { return }
    let isAlone = try hasOnlyOwnEffects ?? readEffects()
    hasOnlyOwnEffects = isAlone
    if risk.kind == .replace, replacing == nil, replacementCount < Self.mostReplacements {
      replacing = (risk.table, try ValueCensus(db, [risk.table]))
      replacementCount += 1
    }
    if risk.kind == .delete || risk.kind == .update, let condition = try isAlone ? changedRows(risk) : "1" {
      target = (try ValueCensus(db, [risk.table], where: condition), condition)
    }
    if risk.kind != .update, !isAlone { counts = try rowCounts() }
  }

  /// Returns a condition for the rows that a DELETE or UPDATE may change; nil if there are none.
  private func changedRows(_ risk: RiskyStatement) throws -> String? {
    guard let query = risk.changedRowIDs(try db.connection.columns(in: risk.table) ?? []),
      // The table may be WITHOUT ROWID.
      let found = try DatabaseError.ifPossible({ try String.fetchOne(db, sql: query) })
    else { return "1" }
    return found.map { "rowid IN (\($0))" }
  }

  /// Returns whether no foreign key, trigger or conflict clause may remove further rows.
  private func readEffects() throws -> Bool {
    try !db.connection.enforcesForeignKeys()
      && ![nil, "temp"].contains { schema in
        try db.connection.schema(named: schema).objects.contains {
          $0.kind == .trigger || $0.sql?.holdsWord("replace") ?? false
        }
      }
  }

  /// Records the effect of a statement.
  mutating func didRun(_ statement: SQLStatement, _ risk: RiskyStatement?, _ index: Int) throws {
    if let risk, risk.kind == .dropTable, names.remaining[risk.table] != nil,
      let original = names.original(of: risk.table, isQualified: risk.isQualified)
    {
      culprits[original] = index
    }
    names.follow(SQLStatementSummary(of: statement.text))
    if !statement.writesData { hasOnlyOwnEffects = nil }
    guard let risk else { return }
    if let target { try noteIntended(since: target.rows, target.condition, risk, index) }
    if risk.kind == .replace { culprits[origin(of: risk.table)] = index }
    for (table, count) in try counts.isEmpty ? [:] : rowCounts() where count < counts[table] ?? 0 {
      culprits[origin(of: table)] = index
    }
  }

  private mutating func noteIntended(
    since target: ValueCensus, _ condition: String, _ risk: RiskyStatement, _ index: Int
  ) throws {
    let now = try ValueCensus(db, [risk.table], where: condition)
    noteRemoved(since: target, now) { _ in true }
    let removed = (target.rows[risk.table]?.count ?? 0) - (now.rows[risk.table]?.count ?? 0)
    guard removed > 0 else { return }
    deletedCounts[origin(of: risk.table), default: 0] += removed
    if risk.kind == .delete, names.remaining[risk.table] != nil { culprits[origin(of: risk.table)] = index }
  }

  /// Notes the values that a series of REPLACE statements has overwritten: those of columns that have no fewer values now.
  private mutating func endReplacing() throws {
    guard let (table, rows) = replacing else { return }
    replacing = nil
    let now = try ValueCensus(db, [table])
    noteRemoved(since: rows, now) { place in
      let count = { (census: ValueCensus) in census.counts[place]?.values.reduce(0, +) ?? 0 }
      return count(now) >= count(rows)
    }
  }

  private mutating func noteRemoved(
    since target: ValueCensus, _ now: ValueCensus, in isIntended: (ValueCensus.Place) -> Bool
  ) {
    for (place, values) in target.counts where isIntended(place) {
      for (value, count) in values {
        let removed = count - (now.counts[place]?[value] ?? 0)
        if removed > 0 { intended[value, default: 0] += removed }
      }
    }
  }

  private func rowCounts() throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for table in names.remaining.keys {
      // The statement may have removed it.
      guard try db.connection.columns(in: table) != nil else { continue }
      counts[table] = try Int.fetchOne(db, sql: "SELECT count(*) FROM main.\(table.quotedIdentifier)")
    }
    return counts
  }

  // MARK: Foreign keys

  /// Records the rows that refer to deleted rows, after a migration that ran with foreign keys off.
  mutating func noteViolations() throws {
    for pair in try Self.violations(db).subtracting(oldViolations).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard deletedCounts[pair[1]] != nil, let culprit = culprits[pair[1]] else { continue }
      found.append(RehearsedLoss(kind: .references(child: pair[0]), table: pair[1], statement: culprit))
    }
  }

  /// Returns the tables whose rows refer to missing rows, each with the table to which they refer.
  private static func violations(_ db: Database) throws -> Set<[String]> {
    var found: Set<[String]> = []
    let next = try db.connection.foreignKeyViolations(in: nil)
    while let violation = try next() {
      found.insert([violation.originTable.asciiLowercased, violation.destinationTable.asciiLowercased])
    }
    return found
  }

  // MARK: The outcome

  /// Returns the rows and values that the migration lost.
  ///
  /// Call this after the migration has run.
  mutating func losses() throws -> RehearsedLosses {
    try endReplacing()
    let after = try ValueCensus(db, db.connection.schema().objects.filter(\.isOrdinaryTable).map(\.name))
    var result = RehearsedLosses(losses: found)
    for table in filled.sorted() {
      guard let columns = before.columns[table], before.rows[table]?.isEmpty == false else { continue }
      // Whether an older table that has taken the name holds the rows, its sample rows do not show.
      if let origin = names.original(of: table), before.rows[origin] != nil, origin != table { continue }
      let name = names.remaining.first { $0.value == table }?.key ?? table
      noteMoves(of: table, columns, name, after, &result)
      guard let culprit = culprits[table], let left = after.rows[name] else { continue }
      let remaining = columns.intersection(after.columns[name] ?? [])
      result.losses += try kinds(of: table, name, remaining, left.count, after).map {
        RehearsedLoss(kind: $0, table: table, statement: culprit)
      }
    }
    return result
  }

  /// Notes the columns of a table whose values have moved, and whether all its rows have.
  private func noteMoves(
    of table: String, _ columns: Set<String>, _ name: String, _ after: ValueCensus, _ result: inout RehearsedLosses
  ) {
    let rows = before.rows[table] ?? []
    let moved = columns.filter { column in
      let values = rows.compactMap { $0[column] }
      let place = ValueCensus.Place(table: table, column: column)
      return !values.isEmpty && values.allSatisfy { isFound($0, place, after) }
    }
    guard let left = after.rows[name] else {
      if moved == columns { result.movedTables.insert(table) }
      return
    }
    let remaining = columns.intersection(after.columns[name] ?? [])
    let same = Set(left.map { $0.filter { remaining.contains($0.key) } })
    if !remaining.isEmpty, rows.allSatisfy({ same.contains($0.filter { remaining.contains($0.key) }) }) {
      result.movedTables.insert(table)
    }
    for column in columns where moved.contains(column) || keepers.computes(column, of: table) {
      result.movedColumns.insert(ValueCensus.Place(table: table, column: column))
    }
  }

  /// Returns the kinds of what a table has lost: rows or, if it has them all, keys and values of the remaining columns.
  ///
  /// - Parameter count: The number of rows that are left.
  private func kinds(
    of table: String, _ name: String, _ remaining: Set<String>, _ count: Int, _ after: ValueCensus
  ) throws -> [RehearsedLoss.Kind] {
    let rows = before.rows[table] ?? []
    let isLost = { (column: String, value: String) in
      self.isLost(value, ValueCensus.Place(table: table, column: column), after)
    }
    let gone = rows.filter { row in row.allSatisfy { isLost($0.key, $0.value) } }
    let missing = min(gone.count, rows.count - count - (deletedCounts[table] ?? 0))
    if missing > 0 { return [.rows(missing, of: rows.count)] }
    var kinds: [RehearsedLoss.Kind] = []
    var lost: [String] = []
    for column in remaining.sorted() {
      // If all sample rows are deleted, only the statements show which columns a rebuild leaves out.
      let isLeftOut = deletedCounts[table] == rows.count && keepers.leavesOut(column, of: table)
      guard isLeftOut || rows.contains(where: { $0[column].map { isLost(column, $0) } ?? false }),
        !keepers.computes(column, of: table)
      else { continue }
      if try db.primaryKey(of: name) != [column] {
        lost.append(column)
      } else if try isReferredTo(table), try keyAffinities[table] == Self.keyAffinity(of: name, db) {
        // New keys matter only where a row refers to them; if they have another type, the references change with them.
        kinds.append(.keys(column: column))
      }
    }
    return lost.isEmpty ? kinds : kinds + [.values(columns: lost)]
  }

  /// Returns the affinity of the first column of a primary key; nil if there is none.
  private static func keyAffinity(of table: String, _ db: Database) throws -> ColumnAffinity? {
    try db.connection.columns(in: table)?.first { $0.primaryKeyIndex == 1 }?.affinity
  }

  /// Returns whether a foreign key refers to a table.
  private func isReferredTo(_ table: String) throws -> Bool {
    try db.connection.schema().objects.filter(\.isOrdinaryTable).contains { other in
      try db.connection.foreignKeys(on: other.name).contains { $0.destinationTable.asciiLowercased == table }
    }
  }

  /// Whether a value is lost: fewer cells of the column contain it than before, no statement was meant to remove it,
  /// and no other column has received it.
  private func isLost(_ value: String, _ place: ValueCensus.Place, _ after: ValueCensus) -> Bool {
    let missing = (before.counts[place]?[value] ?? 0) - (after.counts[place]?[value] ?? 0)
    guard missing > intended[value] ?? 0 else { return false }
    let others = before.places[value] ?? []
    // Rows that are equal in all columns may be merged into one.
    if (after.counts[place]?[value] ?? 0) > 0, isOfEqualRows(value, place) { return false }
    return after.places[value]?.isSubset(of: others) ?? true
  }

  /// Whether a value is found in a column that did not have it before, or that still is the same.
  private func isFound(_ value: String, _ place: ValueCensus.Place, _ after: ValueCensus) -> Bool {
    guard let places = after.places[value] else { return false }
    return places.contains(place) || !places.isSubset(of: before.places[value] ?? [])
  }

  private func isOfEqualRows(_ value: String, _ place: ValueCensus.Place) -> Bool {
    let rows = before.rows[place.table]?.filter { $0[place.column] == value } ?? []
    return rows.allSatisfy { $0 == rows.first }
  }
}
