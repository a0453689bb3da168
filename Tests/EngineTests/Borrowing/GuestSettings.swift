import Foundation
import Migrator
import TestEngines

/// The settings and hooks of an application on its connection, before it lends the connection and afterwards.
///
/// `@unchecked Sendable` is right because one thread uses it at a time.
final class GuestSettings: @unchecked Sendable {
  /// The number of calls of each hook.
  final class Calls {
    var counts: [String: Int] = [:]
    /// The call of the authorizer that is denied, once, and the call of the progress handler that interrupts, once.
    var deniedCall = 0
    var interruptedCall = 0
    var authorizations = 0
    var progress = 0

    func note(_ hook: String) { counts[hook, default: 0] += 1 }
  }

  let connection: AppConnection
  let calls = Calls()
  private let prepared: OpaquePointer
  private let attachedPath: String

  /// Pragmas with values that are not the defaults; what an engine does not know it ignores.
  static let pragmas = [
    "foreign_keys": "1", "recursive_triggers": "1", "secure_delete": "1", "cell_size_check": "1",
    "automatic_index": "0", "legacy_alter_table": "1", "reverse_unordered_selects": "1", "trusted_schema": "0",
    "read_uncommitted": "1", "fullfsync": "1", "checkpoint_fullfsync": "1", "cache_size": "-1234", "cache_spill": "77",
    "synchronous": "1", "temp_store": "2", "journal_size_limit": "123456", "mmap_size": "65536", "threads": "1",
    "max_page_count": "100000", "analysis_limit": "99", "full_column_names": "0", "short_column_names": "1",
    "query_only": "0", "writable_schema": "0", "ignore_check_constraints": "0", "defer_foreign_keys": "0",
    "locking_mode": "normal",
  ]

  /// Opens a connection to a file and sets all there is to set.
  init(_ engine: TestEngine, path: String) throws {
    connection = try AppConnection(engine, path: path)
    attachedPath = path + "-attached"
    _ = try connection.rows("PRAGMA journal_mode = WAL")
    for (pragma, value) in Self.pragmas { try connection.execute("PRAGMA \(pragma) = \(value)") }
    try connection.execute("ATTACH '\(attachedPath)' AS other")
    try connection.execute("CREATE TABLE IF NOT EXISTS app (x)\nCREATE TABLE IF NOT EXISTS other.app (x)")
    try connection.execute("CREATE TEMP TABLE cart (x)\nINSERT INTO temp.cart VALUES ('apple')")
    prepared = try connection.prepare("SELECT ? || count(*) FROM temp.cart")
    typealias Bind = @convention(c) (OpaquePointer, Int32, Int64) -> Int32
    _ = connection.function("sqlite3_bind_int64", as: Bind.self)(prepared, 1, 42)
    for limit in 0..<10 { _ = self.limit(Int32(limit), Self.limits[limit]) }
    try setFunctions()
    setHooks()
    try connection.execute("INSERT INTO app (rowid, x) VALUES (4711, 1)")
    calls.counts = [:]
  }

  /// Values for the engine's limits that are low, and high enough for migrations (https://www.sqlite.org/c3ref/c_limit_attached.html).
  private static let limits: [Int32] = [900_000, 90_000, 900, 90, 90, 200_000, 90, 5, 9_000, 900]

  private func limit(_ number: Int32, _ value: Int32) -> Int32 {
    typealias Limit = @convention(c) (OpaquePointer, Int32, Int32) -> Int32
    return connection.function("sqlite3_limit", as: Limit.self)(connection.pointer, number, value)
  }

  func close() -> Int32 {
    connection.finalize(prepared)
    return connection.close()
  }

  // MARK: Hooks

  private typealias Context = UnsafeMutableRawPointer?

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(calls).toOpaque() }

  private static func calls(_ context: Context) -> Calls? {
    context.map { Unmanaged<Calls>.fromOpaque($0).takeUnretainedValue() }
  }

  private func setFunctions() throws {
    typealias Body = @convention(c) (OpaquePointer?, Int32, OpaquePointer?) -> Void
    typealias Create =
      @convention(c) (
        OpaquePointer, UnsafePointer<CChar>, Int32, Int32, Context, Body, OpaquePointer?, OpaquePointer?
      ) -> Int32
    let create = connection.function("sqlite3_create_function", as: Create.self)
    let code = create(
      connection.pointer, "app_function", 0, 1, context,
      { _, _, _ in GuestSettings.functionCalls.withLock { $0 += 1 } }, nil, nil)
    guard code == 0 else { throw AppConnection.Failure(code: code, description: "sqlite3_create_function") }
  }

  /// The number of calls of functions of applications, by all tests.
  private static let functionCalls = Lock(0)

  private func setHooks() {
    let (pointer, context) = (connection.pointer, context)
    typealias Text = UnsafePointer<CChar>?
    typealias Commit = @convention(c) (Context) -> Int32
    typealias SetCommit = @convention(c) (OpaquePointer, Commit, Context) -> Context
    _ = connection.function("sqlite3_commit_hook", as: SetCommit.self)(
      pointer,
      { context in
        GuestSettings.calls(context)?.note("commit")
        return 0
      }, context)
    typealias Rollback = @convention(c) (Context) -> Void
    typealias SetRollback = @convention(c) (OpaquePointer, Rollback, Context) -> Context
    _ = connection.function("sqlite3_rollback_hook", as: SetRollback.self)(
      pointer, { GuestSettings.calls($0)?.note("rollback") }, context)
    typealias Update = @convention(c) (Context, Int32, Text, Text, Int64) -> Void
    typealias SetUpdate = @convention(c) (OpaquePointer, Update, Context) -> Context
    _ = connection.function("sqlite3_update_hook", as: SetUpdate.self)(
      pointer, { context, _, _, _, _ in GuestSettings.calls(context)?.note("update") }, context)
    typealias Log = @convention(c) (Context, OpaquePointer?, Text, Int32) -> Int32
    typealias SetLog = @convention(c) (OpaquePointer, Log, Context) -> Context
    _ = connection.function("sqlite3_wal_hook", as: SetLog.self)(
      pointer,
      { context, _, _, _ in
        GuestSettings.calls(context)?.note("log")
        return 0
      }, context)

    typealias Busy = @convention(c) (Context, Int32) -> Int32
    typealias SetBusy = @convention(c) (OpaquePointer, Busy, Context) -> Int32
    _ = connection.function("sqlite3_busy_handler", as: SetBusy.self)(
      pointer,
      { context, _ in
        GuestSettings.calls(context)?.note("busy")
        return 0
      }, context)
    typealias Authorize = @convention(c) (Context, Int32, Text, Text, Text, Text) -> Int32
    typealias SetAuthorize = @convention(c) (OpaquePointer, Authorize, Context) -> Int32
    _ = connection.function("sqlite3_set_authorizer", as: SetAuthorize.self)(
      pointer,
      { context, _, _, _, _, _ in
        guard let calls = GuestSettings.calls(context) else { return 0 }
        calls.note("authorizer")
        calls.authorizations += 1
        return calls.authorizations == calls.deniedCall ? 1 : 0
      }, context)
    typealias Progress = @convention(c) (Context) -> Int32
    typealias SetProgress = @convention(c) (OpaquePointer, Int32, Progress, Context) -> Void
    connection.function("sqlite3_progress_handler", as: SetProgress.self)(
      pointer, 5,
      { context in
        guard let calls = GuestSettings.calls(context) else { return 0 }
        calls.note("progress")
        calls.progress += 1
        return calls.progress == calls.interruptedCall ? 1 : 0
      }, context)
    typealias Needed = @convention(c) (Context, OpaquePointer?, Int32, Text) -> Void
    typealias SetNeeded = @convention(c) (OpaquePointer, Context, Needed) -> Int32
    _ = connection.function("sqlite3_collation_needed", as: SetNeeded.self)(
      pointer, context, { context, _, _, _ in GuestSettings.calls(context)?.note("collation") })
    if connection.hasFunction("sqlite3_trace_v2") {
      typealias Trace = @convention(c) (UInt32, Context, Context, Context) -> Int32
      typealias SetTrace = @convention(c) (OpaquePointer, UInt32, Trace, Context) -> Int32
      _ = connection.function("sqlite3_trace_v2", as: SetTrace.self)(
        pointer, 1,
        { _, context, _, _ in
          GuestSettings.calls(context)?.note("trace")
          return 0
        }, context)
    }
  }

  // MARK: Reading

  /// All that can be read back, by its name.
  func state() throws -> [String: String] {
    var state: [String: String] = ["transaction": "\(!connection.isIdle)"]
    for pragma in Self.pragmas.keys { state[pragma] = try connection.rows("PRAGMA \(pragma)").first }
    state["temporary objects"] = try connection.rows("SELECT name FROM sqlite_temp_master").joined(separator: " ")
    state["temporary rows"] = try connection.rows("SELECT x FROM temp.cart").joined(separator: " ")
    state["attached"] = try connection.rows("SELECT count(*) FROM other.app").joined()
    state["databases"] = "\(try connection.rows("PRAGMA database_list").count)"
    state["like"] = try connection.rows("SELECT 'a' LIKE 'A'").joined()
    for limit in 0..<10 { state["limit \(limit)"] = "\(self.limit(Int32(limit), -1))" }
    for option: Int32 in 1002...1020 { state["option \(option)"] = self.option(option) }
    state["prepared"] = connection.step(prepared) == 100 ? connection.text(prepared) : "not a row"
    connection.reset(prepared)
    state["statements"] = "\(statementCount)"
    if connection.hasFunction("sqlite3_set_last_insert_rowid") {
      typealias RowID = @convention(c) (OpaquePointer) -> Int64
      state["rowid"] = "\(connection.function("sqlite3_last_insert_rowid", as: RowID.self)(connection.pointer))"
    }
    state["extended codes"] = "\(codeOfViolation)"
    return state
  }

  /// An option that is a flag (https://www.sqlite.org/c3ref/c_dbconfig_defensive.html), as the engine reports it.
  private func option(_ number: Int32) -> String {
    // A variadic function, which takes these arguments as others do where the tests run.
    typealias Configure = @convention(c) (OpaquePointer, Int32, Int32, UnsafeMutablePointer<Int32>) -> Int32
    var value: Int32 = -1
    let code = connection.function("sqlite3_db_config", as: Configure.self)(connection.pointer, number, -1, &value)
    return "\(code) \(value)"
  }

  /// The statements of the connection that are not finalized.
  private var statementCount: Int {
    typealias Next = @convention(c) (OpaquePointer, OpaquePointer?) -> OpaquePointer?
    let next = connection.function("sqlite3_next_stmt", as: Next.self)
    var (count, statement) = (0, next(connection.pointer, nil))
    while let current = statement {
      count += 1
      statement = next(connection.pointer, current)
    }
    return count
  }

  /// The result of a statement that violates a primary key: 19, or 1555 where extended codes are on.
  private var codeOfViolation: Int32 {
    guard let statement = try? connection.prepare("INSERT INTO app (rowid) VALUES (4711)") else { return -1 }
    defer { connection.finalize(statement) }
    return connection.step(statement)
  }

  /// The hooks that a few ordinary statements do not call, though they should.
  func silentHooks() throws -> [String] {
    calls.counts = [:]
    (calls.deniedCall, calls.interruptedCall) = (0, 0)
    let functionCalls = Self.functionCalls.value
    try connection.execute("BEGIN IMMEDIATE\nINSERT INTO app VALUES (app_function())\nROLLBACK")
    if Self.functionCalls.value > functionCalls { calls.note("function") }
    try connection.execute("INSERT INTO app VALUES (1)\nDELETE FROM app WHERE rowid <> 4711")
    _ = try? connection.rows("SELECT 'a' = 'b' COLLATE unknown")
    let writer = try AppConnection(connection.engine, path: path)
    try writer.execute("BEGIN IMMEDIATE")
    _ = try? connection.execute("BEGIN IMMEDIATE")
    try writer.execute("ROLLBACK")
    typealias SetRowID = @convention(c) (OpaquePointer, Int64) -> Void
    if connection.hasFunction("sqlite3_set_last_insert_rowid") {
      connection.function("sqlite3_set_last_insert_rowid", as: SetRowID.self)(connection.pointer, 4711)
    }
    var expected = [
      "function", "commit", "rollback", "update", "log", "busy", "authorizer", "progress", "collation",
    ]
    if connection.hasFunction("sqlite3_trace_v2") { expected.append("trace") }
    return expected.filter { calls.counts[$0] == nil }
  }

  private var path: String { String(attachedPath.dropLast("-attached".count)) }
}
