internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

/// A migration that runs on a scratch database with sample rows, to find the rows and values that it loses.
///
/// Reports nothing if no sample rows can be inserted, or if the migration fails on them for a reason other than equal
/// values in a unique index. The sample rows alone may cause such a failure, and on real rows the failure would not go
/// unnoticed.
struct LossRehearsal {
  /// The maximum number of tables that are created only because they refer to a table of the migration.
  private static let mostChildren = 50
  /// The duration of the longest statement: sample rows are few, but may refer to each other in a circle, which a
  /// recursive query follows without end.
  private static let longestStatement = Duration.seconds(2)
  /// The maximum number of rows to copy from a table into which earlier migrations have inserted rows.
  private static let mostCopiedRows = 500

  private let file: MigrationFile
  private let source: Database
  private let objects: [SchemaObject]
  private let statements: [RiskyStatement?]

  /// Creates the rehearsal of a migration; nil if none of its statements can lose rows, or if one opens another file.
  ///
  /// - Parameters:
  ///   - source: The database in the state before the migration.
  ///   - schema: The schema of `source`.
  ///   - graph: The names that the objects of all migrations mention.
  init?(_ file: MigrationFile, source: Database, schema: SchemaSnapshot, _ graph: NameGraph) {
    statements = file.statements.map { RiskyStatement($0).flatMap { $0.isAttached ? nil : $0 } }
    guard statements.contains(where: { $0.map { $0.kind != .update } ?? false }) else { return nil }
    let names = Set(schema.objects.filter { $0.kind == .table }.map(\.name.asciiLowercased))
      .union(file.statements.compactMap(\.newTableName))
    let isRisky = statements.contains { $0.map { $0.kind != .update && names.contains($0.table) } ?? false }
    guard isRisky, !file.statements.contains(where: { SQLStatementSummary(of: $0.text).accessesOtherFile }) else {
      return nil
    }
    (self.file, self.source) = (file, source)
    objects = graph.neighborhood(of: file, in: schema, mostChildren: Self.mostChildren)
  }

  /// Runs the migration on sample rows, and returns its losses.
  ///
  /// If the migration fails, runs it again on less demanding rows.
  func perform(isInterrupted: () -> Bool) throws -> RehearsedLosses {
    var found = RehearsedLosses()
    for kinds in SampleRows.varieties {
      guard !isInterrupted() else { throw CancellationError() }
      let (result, isEndless) = try source.withScratch(label: "sample rows") { scratch in
        try scratch.writeWithoutTransaction { db in (try rehearse(on: db, kinds, &found), db.hasExceededLimit) }
      }
      if isEndless { return found }
      guard let result else { continue }
      found.losses += result.losses
      (found.movedTables, found.movedColumns) = (result.movedTables, result.movedColumns)
      return found
    }
    return found
  }

  /// Runs the migration on a scratch database with sample rows of given kinds.
  ///
  /// - Returns: The losses; nil if the migration fails on the rows.
  private func rehearse(
    on db: Database, _ kinds: [SampleRows.Kind], _ found: inout RehearsedLosses
  ) throws -> RehearsedLosses? {
    do {
      try db.connection.setEnforcesForeignKeys(false)
      let tables = objects.filter(\.isOrdinaryTable)
      try createObjects(db, tables)
      var samples = SampleRows(db, kinds)
      try samples.fill(tables)
      var course = try LossCourse(db, tables.map(\.name), filled: samples.filled, ValueKeepers(file))
      try db.connection.setEnforcesForeignKeys(source.connection.enforcesForeignKeys())
      db.limitStatements(to: Self.longestStatement)
      if try run(on: db, &course, &found) { return try course.losses() }
    } catch let error as DatabaseError where !error.concernsEverything {
      // An object of the schema, or the rows, or the migration does not fit the others.
    }
    return nil
  }

  private func createObjects(_ db: Database, _ tables: [SchemaObject]) throws {
    for table in tables { if let sql = table.sql { try db.execute(sql: sql) } }
    for table in objects where table.isVirtual { if let sql = table.sql { try db.execute(sql: sql) } }
    for table in tables {
      let count = try source.rowCount(of: table) ?? 0
      if 1...Self.mostCopiedRows ~= count { _ = try db.replaceRows(of: table.name, from: source) }
    }
    for kind in [SchemaObject.Kind.index, .view, .trigger] {
      for object in objects where object.kind == kind { if let sql = object.sql { try db.execute(sql: sql) } }
    }
  }

  // MARK: The migration

  /// Runs the statements of the migration.
  ///
  /// - Returns: False if a statement fails.
  private func run(on db: Database, _ course: inout LossCourse, _ found: inout RehearsedLosses) throws -> Bool {
    let isDone = try file.perform(on: db) { try runStatements(on: db, &course, &found) }
    if isDone, file.defersForeignKeys, file.violationsUntil == nil { try course.noteViolations() }
    return isDone
  }

  private func runStatements(
    on db: Database, _ course: inout LossCourse, _ found: inout RehearsedLosses
  ) throws -> Bool {
    var savepoints = SQLSavepoints<LossCourse>()
    for (index, statement) in file.statements.enumerated() {
      let risk = statements[index]
      try course.willRun(risk)
      do {
        try db.execute(sql: statement.textWithLowestLimit)
      } catch let error as DatabaseError where !error.concernsEverything {
        if case .constraint = error.condition, let risk, risk.kind == .uniqueIndex {
          let loss = RehearsedLoss(kind: .equalRows, table: course.origin(of: risk.table), statement: index)
          if !found.losses.contains(loss) { found.losses.append(loss) }
        }
        return false
      }
      try course.didRun(statement, risk, index)
      savepoints.follow(statement.kind, statement.text, &course)
    }
    return true
  }
}

extension MigrationFile {
  /// Whether foreign keys are off while the migration runs, and checked before it commits.
  var defersForeignKeys: Bool { runsInTransaction && foreignKeyMode == .deferred }

  /// Does the work of the migration as the migrator would: in a transaction, and with foreign keys off, unless the file
  /// requests otherwise.
  ///
  /// - Parameter work: Returns whether to commit.
  /// - Returns: The result of `work`.
  func perform(on db: Database, _ work: () throws -> Bool) throws -> Bool {
    var isDone = false
    guard runsInTransaction else {
      // The file may have begun a transaction before it failed.
      defer { if !isDone, db.isInsideTransaction { try? db.connection.rollback() } }
      isDone = try work()
      return isDone
    }
    func transaction() throws {
      try db.inTransaction(.immediate) {
        isDone = try work()
        return isDone ? .commit : .rollback
      }
    }
    if defersForeignKeys { try db.withoutForeignKeys(transaction) } else { try transaction() }
    return isDone
  }
}

extension SchemaObject {
  /// Whether the object is a table that is neither virtual nor part of a virtual table.
  var isOrdinaryTable: Bool { kind == .table && !isVirtual && !isShadow }
}

extension Database {
  /// Returns the names of the columns of a table's primary key, in key order and in ASCII lower case.
  func primaryKey(of table: String) throws -> [String] {
    try keyColumns(of: table).map(\.asciiLowercased)
  }
}
