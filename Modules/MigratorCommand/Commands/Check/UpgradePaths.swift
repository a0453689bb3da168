internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

/// The check that databases of all earlier versions end up with the same schema and rows.
struct UpgradePaths {
  /// The maximum number of migrations after which an upgrade path stops.
  private static let limit = 60
  /// The maximum number of additional runs that show which values differ from run to run: with fewer, a single random
  /// Boolean value would often not be recognized.
  private static let repetitionLimit = 8
  /// Statements that give `last_insert_rowid()` and `changes()` the values that they have on a new connection.
  private static let connectionReset = """
    CREATE TEMP TABLE migrator_reset (id INTEGER PRIMARY KEY); INSERT INTO temp.migrator_reset VALUES (0);
    DELETE FROM temp.migrator_reset WHERE 0; DROP TABLE temp.migrator_reset;
    """

  let context: CommandContext
  let source: MigrationSource
  let scratch: ScratchDatabase
  /// The differences between runs on the same path, as from `random()` or the time.
  private var variance: Set<RowSums.Part> = []
  private var repetitionCount = 0

  init(context: CommandContext, source: MigrationSource, scratch: ScratchDatabase) {
    (self.context, self.source, self.scratch) = (context, source, scratch)
  }

  private struct End {
    let schema: SchemaSnapshot
    let rows: RowSums
  }

  /// Compares the schema and the rows after a single run of all migrations with those after a separate run for each
  /// migration.
  ///
  /// If they differ, also tries paths that stop only once, to find the stops that cause the difference.
  mutating func outcome() throws(ToolFailure) -> ToolCheck.Outcome {
    let identifiers = source.migrator.migrations
    let wanted: End
    do throws(ToolFailure) {
      wanted = try end(stoppingAt: [])
    } catch {
      return .failed([try message(error, path: "an empty database cannot be migrated to the end")])
    }
    // A stop at the last migration would be the same as the direct path.
    let violating = source.migrationsLeavingViolations
    let stops = Self.chosen(identifiers.dropLast().filter { !violating.contains($0) })
    // A path that stops at all of them is a path through all states. Only if it differs, each one is tried alone.
    let together = try findings(stoppingAt: stops, "a database that was migrated in many runs", wanted)
    if !together.isEmpty {
      var alone: [String] = []
      for stop in stops { alone += try findings(stoppingAt: [stop], "a database at \(stop)", wanted) }
      return .failed(alone.isEmpty ? together : alone)
    }
    let tried = stops.count + 1
    let all = identifiers.count
    return .passed(
      "\(counted(tried, "path"))\(tried < all ? " of \(all)" : "") \(tried == 1 ? "ends" : "end") in the same schema "
        + "and rows")
  }

  /// Returns the differences between the wanted end of a path and its end, or the reason why the path fails; empty if
  /// there are none.
  private mutating func findings(
    stoppingAt stops: [String], _ start: String, _ wanted: End
  ) throws(ToolFailure) -> [String] {
    guard !stops.isEmpty else { return [] }
    do throws(ToolFailure) {
      let end = try end(stoppingAt: stops)
      let difference = SchemaDifferenceReport(SchemaDifference(from: wanted.schema, to: end.schema))
      guard difference.isEmpty else {
        return ["\(start) ends in a different schema"]
          + difference.lines(style: Style(usesColor: false)).map { "  " + $0 }
      }
      let parts = try withoutVariance(end.rows.difference(from: wanted.rows), wanted.rows)
      guard !parts.isEmpty else { return [] }
      return ["\(start) ends with different rows"] + end.rows.lines(about: parts, wanted.rows).map { "  " + $0 }
    } catch {
      return [try message(error, path: "\(start) cannot be migrated to the end")]
    }
  }

  /// Returns the differences that do not also exist between runs on the same path.
  private mutating func withoutVariance(
    _ parts: Set<RowSums.Part>, _ wanted: RowSums
  ) throws(ToolFailure) -> Set<RowSums.Part> {
    var parts = parts.subtracting(variance)
    while !parts.isEmpty, repetitionCount < Self.repetitionLimit {
      repetitionCount += 1
      variance.formUnion(try end(stoppingAt: []).rows.difference(from: wanted))
      parts.subtract(variance)
    }
    return parts
  }

  private func end(stoppingAt stops: [String]) throws(ToolFailure) -> End {
    let report = context.failures(of: source, path: "the scratch database")
    return try scratch.withQueue(failure: report.failure) { queue in
      for stop in stops {
        try source.migrator.run(queue, upTo: stop, mayErase: false)
        try queue.writeWithoutTransaction { db in try db.execute(sql: Self.connectionReset) }
      }
      try source.migrator.run(queue, mayErase: false)
      return try queue.read { db in
        let schema = try db.connection.schema().leavingOut(source.migrator.ownTables)
        return End(schema: schema, rows: try RowSums(db, schema))
      }
    }
  }

  private func message(_ failure: ToolFailure, path: String) throws(ToolFailure) -> String {
    guard failure.exitCode != .interrupted else { throw failure }
    let place = failure.place.map { "\($0): " } ?? ""
    return "\(path): \(place)\(([failure.what] + failure.why).joined(separator: ": "))"
  }

  /// Returns all stops, or as many of them as `limit` allows, evenly distributed and including the last one.
  private static func chosen(_ stops: [String]) -> [String] {
    guard stops.count > limit else { return stops }
    return (1...limit).map { stops[$0 * stops.count / limit - 1] }
  }
}

/// The rows of the tables of a database as sums of hashes, which do not depend on the order of the rows.
///
/// The hashes can be compared only within the process.
private struct RowSums {
  /// An aspect of the rows of a table.
  enum Part: Hashable {
    case count(table: String)
    case column(String, table: String)
    /// The combination of the values of all columns.
    case rows(table: String)
  }

  private var tables: [(name: String, columns: [String])] = []
  private var sums: [Part: Int] = [:]

  init(_ db: Database, _ schema: SchemaSnapshot) throws {
    for table in schema.objects where table.kind == .table && !table.isShadow {
      do {
        try add(table.name, db)
      } catch let error as DatabaseError where table.isVirtual && error.condition == .statement {
        // The module cannot return rows.
        continue
      }
    }
  }

  private mutating func add(_ table: String, _ db: Database) throws {
    let statement = try db.makeStatement(sql: "SELECT * FROM main.\(table.quotedIdentifier)")
    let columns = statement.columnNames
    let cursor = try Row.fetchCursor(statement)
    var (count, all) = (0, 0)
    var columnSums = columns.map { _ in 0 }
    while let row = try cursor.next() {
      count += 1
      let values = row.databaseValues
      all &+= values.hashValue
      for (index, value) in values.enumerated() { columnSums[index] &+= value.hashValue }
    }
    tables.append((table, columns))
    sums[.count(table: table)] = count
    sums[.rows(table: table)] = all
    for (column, sum) in zip(columns, columnSums) { sums[.column(column, table: table)] = sum }
  }

  /// Returns the parts that differ; of a table with another number of rows, all parts.
  func difference(from other: RowSums) -> Set<Part> {
    var parts: Set<Part> = []
    for (table, columns) in tables {
      let (count, rows) = (Part.count(table: table), Part.rows(table: table))
      let all = [count, rows] + columns.map { Part.column($0, table: table) }
      if sums[count] != other.sums[count] {
        parts.formUnion(all)
      } else {
        let differing = all.filter { sums[$0] != other.sums[$0] }
        if !differing.isEmpty { parts.formUnion(differing + [rows]) }
      }
    }
    return parts
  }

  /// Returns a line for each table of these parts, with the most significant of its parts.
  func lines(about parts: Set<Part>, _ wanted: RowSums) -> [String] {
    tables.compactMap { table, columns in
      let count = Part.count(table: table)
      if parts.contains(count) {
        return "table \"\(table)\" has \(counted(sums[count] ?? 0, "row")) instead of \(wanted.sums[count] ?? 0)"
      }
      let names = columns.filter { parts.contains(.column($0, table: table)) }.map { "\"\($0)\"" }
      if !names.isEmpty { return "table \"\(table)\" has other values in \(listed(names))" }
      return parts.contains(.rows(table: table)) ? "table \"\(table)\" has other rows" : nil
    }
  }
}
