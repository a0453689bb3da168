import Migrator
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
      // SQLite 3.15 may lock a freed mutex of its full-text search; the signal then ends the wait.
      alarm(60)
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

  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
