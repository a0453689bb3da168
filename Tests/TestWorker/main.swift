import Migrator
import TestEngines

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// A separate process for the tests that need one: they start it many times, kill it, or drop its privileges. Arguments:
// engine, path, task, and the arguments of the task.

var arguments = Array(CommandLine.arguments.dropFirst())

/// Ends the process with a message that the test prints.
nonisolated func fail(_ message: String) -> Never {
  print("failed: \(message)")
  exit(1)
}

@MainActor
func nextArgument(_ what: String) -> String {
  guard !arguments.isEmpty else { fail("missing argument: \(what)") }
  return arguments.removeFirst()
}

guard let engine = TestEngine(rawValue: nextArgument("engine")) else { fail("unknown engine") }
let path = nextArgument("path")
let task = nextArgument("task")

do {
  switch task {
  case "migrate", "migrate-grouped":
    guard let count = Int(nextArgument("count")), let rows = Int(nextArgument("rows")) else { fail("no number") }
    var migrator = NumberedMigrations.migrator(count: count, rows: rows)
    if task == "migrate-grouped" { migrator.commits = .grouped }
    try WorkerTask.migrate(engine, path, migrator, journalMode: JournalMode(rawValue: nextArgument("journal mode")))
  case "migrate-borrowed":
    guard let count = Int(nextArgument("count")), let rows = Int(nextArgument("rows")) else { fail("no number") }
    try WorkerTask.migrateBorrowed(engine, path, NumberedMigrations.migrator(count: count, rows: rows))
  case "migrate-without-memory":
    let (fault, numbers) = (nextArgument("fault"), nextArgument("numbers").split(separator: ",").compactMap { Int($0) })
    try WorkerTask.migrate(engine, path, fault, at: numbers, isInterrupted: !arguments.isEmpty)
  case "run-tool-without-memory":
    let (command, fault) = (nextArgument("command"), nextArgument("fault"))
    let numbers = nextArgument("numbers").split(separator: ",").compactMap { Int($0) }
    try WorkerTask.runTool(engine, path, command, fault, at: numbers, isInterrupted: !arguments.isEmpty)
  case "read-without-memory":
    try WorkerTask.read(engine, path, nextArgument("fault"))
  case "try-writing":
    try WorkerTask.tryWriting(engine, path)
  case "migrate-beside-others":
    guard let rival = RivalMigrator(arguments: arguments) else { fail("no migrator") }
    try WorkerTask.migrate(engine, path, beside: rival)
  case "migrate-unprivileged":
    try WorkerTask.migrateUnprivileged(engine, path, count: 1, rows: 1)
  case "search-memory":
    let form = nextArgument("form")
    try WorkerTask.searchMemory(engine, path, form: form, isProvided: nextArgument("provided") == "provided")
  case "leave-traces":
    try WorkerTask.leaveTraces(engine, path, journalMode: JournalMode(rawValue: nextArgument("journal mode")))
  case "exit-while-writing":
    guard let threads = Int(nextArgument("threads")), let time = UInt32(nextArgument("microseconds")) else {
      fail("no number")
    }
    try WorkerTask.exitWhileWriting(engine, path, threads: threads, microseconds: time)
  case "rewrite":
    try WorkerTask.rewrite(engine, path, named: nextArgument("change"))
  case "app":
    try WorkerTask.runApp(migrations: path, arguments)
  case "erase":
    try WorkerTask.erase(engine, path, named: nextArgument("mode"))
  case "restore":
    try WorkerTask.restore(engine, path, from: nextArgument("backup"))
  case "back-up":
    try WorkerTask.backUp(engine, path)
  case "back-up-once":
    let dbQueue = try DatabaseQueue(engine.backend(path: path, key: .raw))
    try dbQueue.backup(to: path + "-copy")
    try dbQueue.close()
  case "back-up-limited":
    try WorkerTask.backUpLimited(engine, path, to: nextArgument("copy"))
  case "rebuild":
    try WorkerTask.rebuild(engine, path, killedAfter: Int(nextArgument("statement")))
  case "alter":
    let table = nextArgument("table")
    try WorkerTask.alter(engine, path, table: table, change: nextArgument("change"))
  case "rebuild-attached":
    try WorkerTask.rebuild(engine, path, isAttached: true, killedAfter: Int(nextArgument("statement")))
  case "convert":
    try WorkerTask.convert(engine, path, nextArgument("conversion"), options: arguments)
  case "access":
    let (name, form) = (nextArgument("conversion"), nextArgument("before or after"))
    try WorkerTask.access(
      engine, path, name, isConverted: form == "after", patience: Int(nextArgument("seconds")) ?? 0,
      sql: (nextArgument("sql"), nextArgument("sql")))
  default:
    fail("unknown task \(task)")
  }
  print("done")
} catch {
  fail("\(error)")
}
