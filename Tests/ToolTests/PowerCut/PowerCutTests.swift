import Foundation
import TestEngines
import Testing

/// Cuts the power at each change of a file that a command makes: the changes are recorded, and replayed up to a moment as
/// the images that a disk may then have.
///
/// A run examines about 12, 60 or 10,000 images per engine, by its tier. MIGRATOR_IMAGES=n examines n, and
/// MIGRATOR_SEED=s starts with the seed that a failure printed.
@Suite("A power failure", .disabled(if: Sanitizer.isPresent, "a sanitizer replaces the recorded calls"))
struct PowerCutTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let imageCount =
    environment["MIGRATOR_IMAGES"].flatMap(Int.init) ?? TestTier.pick(12, full: 60, soak: 10_000)

  @Test(
    "At any moment of any command, the database is old, new or between two migrations, and the command can run again",
    arguments: TestEngine.allCases)
  func images(engine: TestEngine) throws {
    let seed = SeededGenerator.seed(of: "power failures of \(engine)")
    var random = SeededGenerator(seed: seed)
    let trials = PowerCutCommand.all(for: engine).flatMap { command in
      // The tool creates no database in WAL mode.
      (command == .create ? [false] : [false, true]).map { (command, $0) }
    }
    // The everyday run tries each command on one of two engines.
    let order = TestEngine.allCases.firstIndex(of: engine) ?? 0
    var counts = (images: 0, calls: 0)
    for (number, (command, hasLog)) in trials.enumerated() where TestTier.isFull || number % 2 == order % 2 {
      let count = (Self.imageCount + trials.count - 1) / trials.count
      let trial = try PowerCutTrial(engine, command, hasLog: hasLog)
      counts.images += try examine(trial, count, &random)
      counts.calls += trial.changes.count
      // The power fails a second time, while the command runs again; in the everyday run, in every third trial.
      for _ in 0..<(TestTier.isFull || number.isMultiple(of: 3) ? max(1, count / 50) : 0) {
        let image = try TemporaryFolder(isInMemory: true)
        let moment = Int.random(in: 0...trial.changes.count, using: &random)
        try trial.disk(after: moment).writeImage(.random(&random), into: image, &random)
        let second = try PowerCutTrial(again: trial, on: image)
        counts.images += try examine(second, min(20, max(5, count / 5)), &random)
        counts.calls += second.changes.count
      }
    }
    print("power failures of \(engine): \(counts.images) images of \(counts.calls) calls")
  }

  @Test("A new database without its first page is rolled back, and not treated as encrypted")
  func lostFirstPage() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
    try transcript.write("CREATE TABLE a (x);\n", to: "migrations/1_a.sql")
    try transcript.folder.write(Data(count: 8192), to: "app.db")
    // A journal of a database that had no pages (https://www.sqlite.org/fileformat2.html#the_rollback_journal).
    let numbers: [UInt32] = [0xd9d5_05f9, 0x20a1_63d7, 0, 0, 0, 512, 4096]
    let header = numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
    try transcript.folder.write(header + Data(count: 512 - header.count), to: "app.db-journal")
    let outcome = try transcript.run("migrator migrate")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(try transcript.folder.names() == ["app.db", "migrations"])
  }

  /// Examines images of random moments, and one of the end at which nothing survives that was not synced; stops after
  /// three defects.
  ///
  /// - Returns: The number of images.
  private func examine(_ trial: PowerCutTrial, _ count: Int, _ random: inout SeededGenerator) throws -> Int {
    let end = trial.changes.count
    var defects = 0
    for number in 1...count {
      let isLast = number == count
      let moment = isLast ? end : Int.random(in: 0...end, using: &random)
      let survivors = isLast ? RecordedDisk.Survivors(contents: .none, names: .none) : .random(&random)
      let looksFirst = isLast || Bool.random(using: &random)
      let image = try TemporaryFolder(isInMemory: true)
      try trial.disk(after: moment).writeImage(survivors, into: image, &random)
      let names = try image.names()
      guard let defect = try trial.defect(of: image, isAtEnd: moment == end, looksFirst: looksFirst) else { continue }
      Issue.record(
        """
        \(trial.command), log \(trial.hasLog): \(defect)
        after call \(moment) of \(end), \(survivors), \(names), looks first: \(looksFirst)
        \(trial.changes[max(0, moment - 12)..<moment].map(\.description).joined(separator: "\n"))
        """)
      defects += 1
      guard defects < 3 else { return number }
    }
    return count
  }
}
