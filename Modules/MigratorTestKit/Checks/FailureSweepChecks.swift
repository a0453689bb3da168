internal import Migrator
internal import SQLSyntax

extension BackendContract {
  static let failureSweepChecks: [BackendCheck] = [
    BackendCheck(
      250, "If any call fails or finds a lock once, or fails with all later ones, the database matches its ledger."
    ) { backend in
      try sweep(.once, .inputOutput, on: backend)
      try sweep(.fromThenOn, .full, on: backend)
      try sweep(.once, .busy, on: backend)
    },
    BackendCheck(
      253, "If any call fails during an erase and rebuild, the database is old, or new up to some migration."
    ) {
      backend in
      let old = try backend.newBackend()
      try makeOld(old)
      let oldState = try old.withQueue { try DatabaseState($0) }
      var migrator = SampleMigrations.all
      migrator.eraseDatabaseOnSchemaChange = true
      try sweep(.once, .inputOutput, on: backend, migrator, from: oldState, makeOld)
    },
  ]

  /// Creates a database in which one applied migration has since changed, and another is no longer registered.
  @Sendable private static func makeOld(_ database: any DatabaseBackend) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("authors") { db in
      try db.execute(
        sql: """
          CREATE TABLE author(x PRIMARY KEY); INSERT INTO author VALUES (1); CREATE TABLE old(x REFERENCES author);
          CREATE VIEW v AS SELECT * FROM old
          """)
    }
    migrator.registerMigration("forgotten") { _ in }
    let old = migrator
    try database.withQueue { try old.migrate($0) }
  }

  /// Runs migrations repeatedly: the first call fails in the first run, the second call in the second run, and so on,
  /// or only every ``BackendUnderTest/failureStep``th call.
  private static func sweep(
    _ extent: FailingBackend.Extent, _ condition: DatabaseError.Condition, on backend: BackendUnderTest,
    _ migrator: DatabaseMigrator = SampleMigrations.all, from start: DatabaseState? = nil,
    _ prepare: (any DatabaseBackend) throws -> Void = { _ in }
  ) throws {
    let states = try states(of: migrator, on: backend.newBackend())
    let end = states[states.count - 1]
    let error = DatabaseError(condition, engine: "MigratorTestKit", message: "an injected failure")
    for number in stride(from: 1, through: 5000, by: backend.failureStep) {
      let database = try backend.newBackend()
      try prepare(database)
      let failing = FailingBackend(database, failingCall: number, extent, with: error)
      var isDone = false
      do {
        try failing.withQueue { try migrator.migrate($0) }
        isDone = true
      } catch  where failing.failedCall != nil {
        // Other checks cover the error that the run reports; this check covers the state in which the database is left.
      }
      guard let call = failing.failedCall else { return }
      let place = "after call \(number), \(call), which failed as \(condition)"
      try database.withQueue { queue in
        let state = try DatabaseState(queue)
        if isDone {
          try expect("the ledger of a run that did not fail, \(place)", state.applied, is: end.applied)
        }
        if state != start {
          let boundary = states.first { $0.applied == state.applied }
          try expect(boundary != nil, "the ledger contains \(state.applied), \(place)")
          try expect("the database with ledger \(state.applied), \(place)", state.content, is: boundary?.content ?? [])
        }
        try migrator.migrate(queue)
        try expect("the database after a second run, \(place)", DatabaseState(queue), is: end)
      }
    }
    throw BackendCheckFailure(seen: "a run makes more than 5000 calls")
  }

  /// Returns the state of an empty database, and its state after each migration.
  private static func states(
    of migrator: DatabaseMigrator, on database: any DatabaseBackend
  ) throws -> [DatabaseState] {
    try database.withQueue { queue in
      var states = [try DatabaseState(queue)]
      for identifier in migrator.migrations {
        try migrator.migrate(queue, upTo: identifier)
        states.append(try DatabaseState(queue))
      }
      return states
    }
  }
}

/// The content of a database: the identifiers in its ledger, and everything else.
private struct DatabaseState: Equatable {
  let applied: Set<String>
  let content: [String]

  init(_ queue: DatabaseQueue) throws {
    (applied, content) = try queue.read { db in
      let ledger = SampleMigrations.all.ledgerTable
      var content: [String] = []
      for object in try db.schema().objects where object.tableName != ledger {
        content.append("\(object.kind.rawValue) \(object.name): \(object.sql ?? "")")
        guard object.kind == .table else { continue }
        for row in try Row.fetchAll(db, sql: "SELECT * FROM \(object.name.quotedIdentifier)") {
          content.append("\(object.name): \(row.databaseValues)")
        }
      }
      return (try SampleMigrations.all.appliedIdentifiers(db), content.sorted())
    }
  }
}
