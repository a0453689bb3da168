import Migrator
import TestEngines
import Testing

/// On a borrowed connection, the touched tables are found by EXPLAIN; if that fails, all foreign keys are checked.
@Suite("Foreign key checks on borrowed connections")
struct BorrowedCheckTests {
  /// Counts the calls of a progress handler, one for every ten instructions of the engine's virtual machine.
  ///
  /// `@unchecked Sendable` is right because one thread uses it.
  private final class Owner: @unchecked Sendable {
    let connection: AppConnection
    private(set) var calls = 0

    init(_ engine: TestEngine, rows: Int) throws {
      connection = try AppConnection(engine, path: engine.temporaryPath())
      let count = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows)) SELECT i"
      try connection.execute(
        """
        PRAGMA foreign_keys = 1
        CREATE TABLE parent (id INTEGER PRIMARY KEY)
        CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent)
        CREATE TABLE log (text)
        INSERT INTO parent \(count) FROM n
        INSERT INTO child \(count), i FROM n
        """)
      typealias Progress = @convention(c) (UnsafeMutableRawPointer?) -> Int32
      typealias SetProgress = @convention(c) (OpaquePointer, Int32, Progress, UnsafeMutableRawPointer?) -> Void
      connection.function("sqlite3_progress_handler", as: SetProgress.self)(
        connection.pointer, 10,
        { context in
          context.map { Unmanaged<Owner>.fromOpaque($0).takeUnretainedValue().calls += 1 }
          return 0
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  /// Returns the number of calls during ten small migrations beside rows that refer to other tables.
  private func calls(_ engine: TestEngine, rows: Int, usingOwner: Bool = false) throws -> Int {
    let owner = try Owner(engine, rows: rows)
    var migrator = DatabaseMigrator()
    for number in 0..<10 {
      migrator.registerMigration("\(number)") { db in
        try db.create(table: "team_\(number)") { t in t.autoIncrementedPrimaryKey("id") }
        try db.create(table: "player_\(number)") { t in
          t.autoIncrementedPrimaryKey("id")
          t.belongsTo("team_\(number)")
        }
        try db.execute(sql: "INSERT INTO team_\(number) VALUES (1); INSERT INTO player_\(number) VALUES (1, 1)")
        try db.alter(table: "player_0") { t in t.add(column: "column_\(number)") }
        try db.execute(sql: "UPDATE player_0 SET column_\(number) = 'x'")
        if usingOwner { try owner.connection.execute("INSERT INTO log VALUES ('by the owner')") }
      }
    }
    try migrator.migrate(owner.connection.borrowed())
    return owner.calls
  }

  @Test(
    "The work of small migrations does not grow with the rows of other tables, unless the owner changes rows, too",
    arguments: TestEngine.allCases)
  func work(engine: TestEngine) throws {
    let (few, many) = (try calls(engine, rows: 10), try calls(engine, rows: 20_000))
    #expect(few > 100)
    // One check of the rows takes several thousand calls.
    #expect(many - few < 200, "\(few) calls beside 10 rows, \(many) beside 20000")
    let checked = try calls(engine, rows: 20_000, usingOwner: true)
    #expect(checked > many + 10 * 2000, "\(checked) calls with the full check, \(many) without")
  }
}
