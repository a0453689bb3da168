import Migrator
import SQLSyntax
import SQLiteDialect
import SQLiteEngine
import TestEngines

/// Statistics of a number of histories.
struct HistoryCounts {
  var histories = 0
  var migrations = 0
  var clean = 0
  var violations = 0
  var withViolations = 0
  var withMismatch = 0
  var failed = 0
  var probes: [ForeignKeyProbe.Answer: Int] = [:]
  var falseSuspicions = 0
  /// The results that differ from those of the full check, with the steps that led to them.
  var differences: [String] = []
}

extension HistoryCounts: CustomStringConvertible {
  var description: String {
    """
    \(histories) histories, \(migrations) migrations (\(clean) of clean databases), \(withViolations) of them with \
    violations (\(violations)), \(withMismatch) with mismatches, \(failed) failed; probes: \(probes[.clean, default: 0]) \
    clean, \(probes[.suspicious, default: 0]) suspicious (\(falseSuspicions) without a violation), \
    \(probes[.unknown, default: 0]) unknown; \(differences.count) differences
    """
  }
}

/// Runs random histories and compares the watch's results with those of the full check.
struct HistoryCheck {
  let engine: TestEngine
  var blindness: Blindness?
  /// Whether the connection is lent, so that its recorder explains statements.
  var isLent = false

  func run(_ seeds: some Sequence<UInt64>, until deadline: ContinuousClock.Instant? = nil) throws -> HistoryCounts {
    var counts = HistoryCounts()
    for seed in seeds {
      if let deadline, ContinuousClock.now > deadline { break }
      try run(seed, &counts)
    }
    return counts
  }

  private func run(_ seed: UInt64, _ counts: inout HistoryCounts) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let base: any DatabaseBackend =
      isLent ? LentBackend(engine.inMemoryBackend, of: engine) : engine.inMemoryBackend
    let backend = BlindedBackend(base: base, blindness: blindness)
    try DatabaseQueue(backend, configuration: configuration).writeWithoutTransaction { db in
      let history = RandomHistory(db, seed: seed)
      history.makeDatabase()
      if history.words.chance(55) { try clean(db) }
      history.synchronize()
      counts.histories += 1
      var graph: ForeignKeyGraph?
      for _ in 0..<(1 + history.words.below(3)) {
        let problems = try migrate(history, db, &graph, &counts)
        if !problems.isEmpty {
          counts.differences.append(
            "seed \(seed) on \(engine):\n\(problems.joined(separator: "\n"))\n\(history.log.joined(separator: "\n"))")
          return
        }
      }
    }
  }

  /// Runs one migration, and returns the faults in its result.
  private func migrate(
    _ history: RandomHistory, _ db: Database, _ graph: inout ForeignKeyGraph?, _ counts: inout HistoryCounts
  ) throws -> [String] {
    let before = try FullCheck(db)
    try db.connection.begin(.immediate)
    let watch = try ForeignKeyWatch(db, following: graph)
    defer { watch.stop() }
    db.inspector = WatchInspector(watch)
    try history.migrate(isClean: before.isClean)
    db.inspector = nil
    let after = try FullCheck(db)
    let verdict: ForeignKeyWatch.Verdict?
    do {
      verdict = try watch.finish()
    } catch let error as DatabaseError where error.condition == .statement {
      verdict = nil
    }

    counts.migrations += 1
    if before.isClean { counts.clean += 1 }
    if !after.violations.isEmpty { counts.withViolations += 1 }
    counts.violations += after.violations.count
    if !after.mismatched.isEmpty { counts.withMismatch += 1 }
    var problems = problems(verdict, before, after, history)
    problems += try after.wrongProbes(db, &counts)
    if verdict?.newCount == 0 {
      try db.connection.commit()
      graph = watch.graph
    } else {
      counts.failed += 1
      try db.connection.rollback()
      // As a run does after a rollback.
      graph = nil
      history.synchronize()
    }
    return problems
  }

  private func problems(
    _ verdict: ForeignKeyWatch.Verdict?, _ before: FullCheck, _ after: FullCheck, _ history: RandomHistory
  ) -> [String] {
    guard let verdict else {
      // An old mismatch is no reason to fail; the watch cannot know which mismatch a renamed table had.
      let isOld = !history.changesDefinitions && after.mismatched.isSubset(of: before.mismatched)
      return after.mismatched.isEmpty || isOld ? ["failed by a mismatch that is not new"] : []
    }
    if before.isClean {
      if !after.mismatched.isEmpty { return ["a new mismatch was not found: \(after.mismatched)"] }
      let isSame = Set(verdict.new) == Set(after.violations) && verdict.newCount == after.violations.count
      return isSame && verdict.oldCount == 0
        ? [] : ["found \(verdict), where the full check finds \(after.violations)"]
    }
    if after.mismatched.count > before.mismatched.count { return ["a new mismatch was not found: \(after.mismatched)"] }
    let largest = after.largestGrowth(since: before)
    let smallest = max(0, after.violations.count - before.violations.count)
    // With a mismatch, the violations are unknown.
    let isKnown = before.mismatched.isEmpty && after.mismatched.isEmpty
    let isExact = !history.changesDefinitions && isKnown && before.withoutRowID == 0 && after.withoutRowID == 0
    var problems: [String] = []
    if verdict.newCount > largest { problems.append("fails by \(verdict) where at most \(largest) are new") }
    if isKnown, verdict.newCount < smallest { problems.append("finds \(verdict) where \(smallest) or more are new") }
    if isExact, verdict.newCount != largest { problems.append("finds \(verdict) where \(largest) are new") }
    return problems
  }

  /// Removes tables with mismatches, and rows with violations.
  private func clean(_ db: Database) throws {
    for _ in 0..<40 {
      let check = try FullCheck(db)
      // Triggers may add more rows than are removed.
      if check.isClean || check.violations.count > 100 { return }
      for table in check.mismatched { try? db.execute(sql: "DROP TABLE main.\(table.quotedIdentifier)") }
      for violation in check.violations {
        let table = violation.originTable.quotedIdentifier
        let names = Set(try db.columns(in: violation.originTable).map(\.name.asciiLowercased))
        let rowID = ["rowid", "_rowid_", "oid"].first { !names.contains($0) } ?? "rowid"
        let condition = violation.originRowID.map { " WHERE \(rowID) = \($0)" } ?? ""
        try? db.execute(sql: "DELETE FROM main.\(table)\(condition)")
      }
    }
  }
}
