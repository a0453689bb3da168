import DqliteBackend
import Foundation
import Migrator
import TestCluster
import TestEngines
import Testing

@Suite("The tool on a cluster")
struct DqliteToolTests {
  private let cluster: TestCluster
  private let folder: TemporaryFolder
  private let database: String

  init() async throws {
    cluster = try await TestCluster(latency: TestCluster.calmLatency)
    folder = try TemporaryFolder()
    database = "dqlite:\(cluster.addresses.joined(separator: ","))/app"
    let migrations = folder.file("migrations")
    try FileManager.default.createDirectory(atPath: migrations, withIntermediateDirectories: true)
    try "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"
      .write(toFile: "\(migrations)/0001_authors.sql", atomically: true, encoding: .utf8)
    try "INSERT INTO author (name) VALUES ('Mary');\n"
      .write(toFile: "\(migrations)/0002_rows.sql", atomically: true, encoding: .utf8)
  }

  private func start(_ arguments: [String], output: String) throws -> ToolProcess {
    try ToolProcess(arguments, in: folder.path, output: folder.file(output))
  }

  /// Runs the tool, and returns its output.
  @discardableResult
  private func tool(_ arguments: String..., code: Int32 = 0) throws -> String {
    let process = try start(arguments + ["--database", database], output: "output")
    #expect(process.wait() == code, "\(arguments): \(process.output)")
    return process.output
  }

  @Test("Every command that concerns no file works on a cluster")
  func commands() throws {
    #expect(try tool("status").contains("0001_authors"))
    let plan = try tool("plan")
    #expect(plan.contains("0001_authors") && plan.contains("author"), "\(plan)")
    try tool("check")
    try tool("lint")
    try tool("migrate")
    #expect(try tool("migrate").contains("Nothing to do"))
    try tool("status", "--check")
    #expect(try tool("dump").contains("CREATE TABLE author"))
    try tool("diff", "--check")
    #expect(try tool("diagram").contains("author"))
    try tool("verify")
    try tool("check")
    try tool("rebuild", "--force", "--force-foreign", "--yes")
    try tool("erase", "--yes")
    try tool("migrate")
    let queue = try DatabaseQueue(Dqlite(addresses: cluster.addresses, database: "app"))
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM author") } == 1)
    try queue.write { db in try db.execute(sql: "DROP TABLE migrator_history") }
    try tool("baseline", "--yes")
    try tool("status", "--check")
  }

  @Test("A history of another tool is adopted")
  func adopt() throws {
    let queue = try DatabaseQueue(Dqlite(addresses: cluster.addresses, database: "app"))
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
          CREATE TABLE schema_migrations (version TEXT PRIMARY KEY); INSERT INTO schema_migrations VALUES ('0001')
          """)
    }
    try tool("adopt")
    #expect(try tool("migrate").contains("0002_rows"))
  }

  @Test("Commands that work on files refuse a cluster with the reason")
  func files() throws {
    for command in ["encrypt", "decrypt", "rekey", "upgrade-cipher"] {
      #expect(try tool(command, code: 2).contains("is on a server, and `\(command)` works on files"))
    }
    try tool("migrate")
    #expect(try tool("rebuild", "--keep-data", "--yes", code: 5).contains("is on a server"))
  }

  @Test("Many databases of a cluster are migrated with one command")
  func fleet() throws {
    let address = "dqlite:\(cluster.addresses.joined(separator: ","))"
    try (1...5).map { "\(address)/tenant\($0)\n" }.joined()
      .write(toFile: folder.file("list"), atomically: true, encoding: .utf8)
    let process = try start(["migrate", "--databases-from", "list"], output: "fleet")
    #expect(process.wait() == 0, "\(process.output)")
    for number in 1...5 {
      let queue = try DatabaseQueue(Dqlite(addresses: cluster.addresses, database: "tenant\(number)"))
      #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM author") } == 1)
    }
  }

  @Test(
    "An address without a database or a port is refused with a remedy",
    arguments: [
      ("dqlite:127.0.0.1:1", "dqlite:HOST:PORT"), ("dqlite:127.0.0.1:1/", "dqlite:HOST:PORT"),
      ("dqlite:127.0.0.1/app", "host:port"),
    ])
  func addresses(address: String, remedy: String) throws {
    let process = try start(["status", "--database", address], output: "address")
    #expect(process.wait() == 3)
    #expect(process.output.contains(remedy), "\(process.output)")
  }

  @Test("Of many processes at once whose leader is killed, each migration is applied by one")
  func processes() throws {
    let count = TestTier.pick(40, full: 202)
    for number in 3...count {
      let name = folder.file("migrations/\(String("000\(number)".suffix(4)))_row.sql")
      try "INSERT INTO author (name) VALUES ('\(number)');\n".write(toFile: name, atomically: true, encoding: .utf8)
    }
    let queue = try DatabaseQueue(Dqlite(addresses: cluster.addresses, database: "app"))
    let leader = try cluster.leader()
    let processes = try (1...TestTier.pick(10, full: 20)).map {
      try start(["migrate", "--database", database], output: "process\($0)")
    }
    try TestCluster.wait { try rows(in: "migrator_history", queue) >= 3 }
    leader.kill()
    #expect(processes.contains { $0.isRunning })
    for process in processes {
      // A process whose lock timeout has passed, or which has lost the leader too often, may fail.
      let code = try #require(process.wait(), "\(process.output)")
      #expect([0, 3, 4].contains(code), "\(process.output)")
    }
    try tool("migrate")
    try queue.close()
    let again = try DatabaseQueue(Dqlite(addresses: cluster.addresses, database: "app"))
    // The first migration creates the table.
    #expect(try rows(in: "author", again) == count - 1)
    #expect(try rows(in: "migrator_history", again) == count)
  }

  /// Returns the number of rows in a table; zero if it does not exist.
  private func rows(in table: String, _ queue: DatabaseQueue) throws -> Int {
    try queue.read { db in
      try db.tableExists(table) ? Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0 : 0
    }
  }
}
