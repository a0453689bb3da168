import Migrator
import MigratorCommand
import SQLCipherCommand
import SQLiteCommand
import TestEngines

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension WorkerTask {
  /// Migrates a new database for each number, while the engine's allocation of that number fails, and examines it.
  ///
  /// Prints each number before its trial, the faults that were found, and at the end the number of trials in which the run
  /// was complete.
  ///
  /// - Parameters:
  ///   - fault: The kind of failure, `MEMORY` or `STARVED`; see faults.c.
  ///   - numbers: The allocations, counted from 1 in each trial; nothing fails at 0, and their number is printed.
  ///   - isInterrupted: Whether the engine crashed in the first trial, whose database is only examined.
  static func migrate(
    _ engine: TestEngine, _ path: String, _ fault: String, at numbers: [Int], isInterrupted: Bool
  ) throws {
    guard let countAgain = dlsym(nil, "migrator_faults_count_again") else { fail("the library of faults is missing") }
    let count = unsafeBitCast(countAgain, to: (@convention(c) () -> Int).self)
    var states: [[String]] = []
    var completeCount = 0
    for (index, number) in numbers.enumerated() {
      say("at \(number)")
      limitTrial()
      var isComplete = false
      if index > 0 || !isInterrupted {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
        setenv("MIGRATOR_FAULTS_\(fault)", "\(number)", 1)
        _ = count()
        let error = migrationError(engine, path)
        if number == 0 { say("allocations \(count())") }
        unsetenv("MIGRATOR_FAULTS_\(fault)")
        if let error, !error.contains("out of memory") { say("allocation \(number): \(error)") }
        isComplete = error == nil
        if isComplete { completeCount += 1 }
      }
      // After the first trial, since this uses the engine: the first allocations of a process are those of its start.
      if states.isEmpty { states = try VariedMigrations.states(engine) }
      let dbQueue = try engine.queue(path: path)
      let (applied, defect) = try dbQueue.read { db in try VariedMigrations.defect(db, states: states) }
      if let defect { say("allocation \(number): \(defect)") }
      if isComplete, applied != states.count - 1 { say("allocation \(number): \(applied) migrations, and no error") }
      try VariedMigrations.migrator.migrate(dbQueue)
      let completed = try dbQueue.read { db in try VariedMigrations.defect(db, states: states) }
      if completed.count != states.count - 1 { say("allocation \(number): the next run applied \(completed.count)") }
      if let defect = completed.text { say("allocation \(number), after the next run: \(defect)") }
      try dbQueue.close()
    }
    say("complete \(completeCount)")
  }

  /// Reads a row while each allocation of the reading fails in turn, and prints each value that is wrong without an error.
  ///
  /// The texts of a database in UTF-16 are converted when they are read, which takes memory. Prints the number of
  /// allocations at the end.
  static func read(_ engine: TestEngine, _ path: String, _ fault: String) throws {
    guard let countAgain = dlsym(nil, "migrator_faults_count_again") else { fail("the library of faults is missing") }
    let count = unsafeBitCast(countAgain, to: (@convention(c) () -> Int).self)
    let dbQueue = try engine.queue(path: path)
    let texts = [String(repeating: "text ", count: 60), String(repeating: "höher ", count: 300)]
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a, b)")
      try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [texts[0], texts[1]])
    }
    let read = { (db: Database) throws in
      try ["a", "b"].compactMap { try String.fetchOne(db, sql: "SELECT \($0) FROM t") }
    }
    var (number, failures) = (0, 0)
    while true {
      number += 1
      setenv("MIGRATOR_FAULTS_\(fault)", "\(number)", 1)
      _ = count()
      do {
        let values = try dbQueue.read { db in try read(db) }
        if values != texts { say("allocation \(number): \(values)") }
      } catch {
        failures += 1
        if !"\(error)".contains("out of memory") { say("allocation \(number): \(error)") }
      }
      unsetenv("MIGRATOR_FAULTS_\(fault)")
      let used = count()
      // The failure must not outlast the lack of memory.
      guard try dbQueue.read({ db in try read(db) }) == texts else { fail("other values") }
      if used < number { break }
    }
    let encoding = try dbQueue.read { db in try String.fetchOne(db, sql: "PRAGMA encoding") } ?? ""
    guard encoding.hasPrefix("UTF-16") else { fail("the encoding is \(encoding)") }
    try dbQueue.close()
    say("failures \(failures)")
  }

  private static func migrationError(_ engine: TestEngine, _ path: String) -> String? {
    do {
      let dbQueue = try engine.queue(path: path)
      try VariedMigrations.migrator.migrate(dbQueue)
      try dbQueue.close()
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Runs a command of the tool for each number, while the engine's allocation of that number fails, and examines the
  /// exit code, the output and the database.
  ///
  /// Prints what ``migrate(_:_:_:at:isInterrupted:)`` prints.
  static func runTool(
    _ engine: TestEngine, _ path: String, _ command: String, _ fault: String, at numbers: [Int], isInterrupted: Bool
  ) throws {
    guard let countAgain = dlsym(nil, "migrator_faults_count_again") else { fail("the library of faults is missing") }
    let count = unsafeBitCast(countAgain, to: (@convention(c) () -> Int).self)
    let isMigration = command == "migrate"
    if numbers == [0], !isMigration {
      let dbQueue = try engine.queue(path: path)
      try VariedMigrations.migrator.migrate(dbQueue, upTo: command == "plan" ? "rename" : "removals")
      try dbQueue.close()
    }
    var (states, expected): ([[String]], String) = ([], "")
    var completeCount = 0
    for (index, number) in numbers.enumerated() {
      say("at \(number)")
      limitTrial()
      var outcome: (code: Int32, output: String)?
      if index > 0 || !isInterrupted {
        if isMigration { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) } }
        setenv("MIGRATOR_FAULTS_\(fault)", "\(number)", 1)
        _ = count()
        outcome = toolOutcome(engine, path, command)
        if number == 0 { say("allocations \(count())") }
        unsetenv("MIGRATOR_FAULTS_\(fault)")
      }
      // After the first trial, since this uses the engine: the first allocations of a process are those of its start.
      if states.isEmpty { states = try VariedMigrations.states(engine) }
      let all = states.count - 1
      let (applied, defect) = try readDefect(engine, path, states)
      let again = toolOutcome(engine, path, command)
      let final = try readDefect(engine, path, states)
      if expected.isEmpty { expected = again.output }
      let isUnchanged = isMigration || applied == (command == "plan" ? 3 : all)
      if defect ?? final.text != nil || !isUnchanged || final.count != (isMigration ? all : applied) || again.code != 0
      {
        say("allocation \(number): \(applied) \(defect ?? ""), again: \(again), \(final)".replacing("\n", with: " "))
      }
      guard let outcome else { continue }
      completeCount += outcome.code == 0 ? 1 : 0
      let isComplete = isMigration ? applied == all : outcome.output == expected
      if outcome.code == 0 ? !isComplete : !outcome.output.contains("out of memory") {
        say("allocation \(number): exit code \(outcome.code), \(applied) migrations, \(outcome.output)")
      }
    }
    say("complete \(completeCount)")
  }

  /// Ends the process in a minute unless another trial begins: SQLite 3.15 may lock a freed mutex of its full-text search.
  private static func limitTrial() {
    // The thread that started this process may have blocked the signal, which a child process inherits (signal(7)).
    var mask = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, SIGALRM)
    pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    alarm(60)
  }

  private static func readDefect(
    _ engine: TestEngine, _ path: String, _ states: [[String]]
  ) throws -> (count: Int, text: String?) {
    let dbQueue = try engine.queue(path: path)
    let result = try dbQueue.read { db in try VariedMigrations.defect(db, states: states) }
    try dbQueue.close()
    return result
  }

  /// Runs the tool of an app with the migrations, and returns its exit code and what it prints, on one line and without
  /// durations.
  private static func toolOutcome(
    _ engine: TestEngine, _ path: String, _ command: String
  ) -> (code: Int32, output: String) {
    let key = engine.isEncrypted ? ["--key-env", "K", "--raw-key"] : []
    let tool = MigratorTool(migrator: VariedMigrations.migrator, backends: [.sqlite, .sqlCipher])
    fflush(nil)
    let (output, errors) = (dup(1), dup(2))
    let descriptor = open(path + ".output", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    dup2(descriptor, 1)
    dup2(descriptor, 2)
    let code = tool.run(arguments: [command, "--database", path] + key)
    fflush(nil)
    dup2(output, 1)
    dup2(errors, 2)
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    let size = pread(descriptor, &bytes, bytes.count, 0)
    for descriptor in [output, errors, descriptor] { close(descriptor) }
    let lines = String(decoding: bytes.prefix(max(0, size)), as: UTF8.self).split(separator: "\n")
    return (code, lines.joined(separator: " | ").replacing(/[0-9.]+ (µs|us|ms|s)\b/, with: "DURATION"))
  }

  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
