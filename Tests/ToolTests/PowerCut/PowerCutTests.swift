import Foundation
import TestEngines
import Testing

/// Cuts the power at each change of a file that a command makes: the changes are recorded, and replayed up to a moment as
/// the images that a disk may then have.
///
/// The normal suite examines about 300 images per engine, MIGRATOR_SOAK=1 more than 10,000. MIGRATOR_SEED=s starts with
/// that seed, which a failure prints.
@Suite("A power failure", .disabled(if: Sanitizer.isPresent, "a sanitizer replaces the recorded calls"))
struct PowerCutTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let imageCount = environment["MIGRATOR_SOAK"] == nil ? 20 : 720

  @Test(
    "At any moment of any command, the database is old, new or between two migrations, and the command can run again",
    arguments: TestEngine.allCases)
  func images(engine: TestEngine) throws {
    let seed = Self.environment["MIGRATOR_SEED"].flatMap(UInt64.init) ?? .random(in: 0...UInt64.max)
    print("power failures of \(engine) have MIGRATOR_SEED=\(seed)")
    var random = SeededGenerator(seed: seed)
    var counts = (images: 0, calls: 0)
    for command in PowerCutCommand.all(for: engine) {
      for hasLog in [false, true] {
        let trial = try PowerCutTrial(engine, command, hasLog: hasLog)
        try examine(trial, &random)
        counts.images += Self.imageCount
        counts.calls += trial.changes.count
      }
    }
    print("power failures of \(engine): \(counts.images) images of \(counts.calls) calls")
  }

  private func examine(_ trial: PowerCutTrial, _ random: inout SeededGenerator) throws {
    let end = trial.changes.count
    let moments = (0..<Self.imageCount).map { $0 < 4 ? end : Int.random(in: 0...end, using: &random) }.sorted()
    var disk = try #require(trial.disk)
    var done = 0
    for (index, moment) in moments.enumerated() {
      for change in trial.changes[done..<moment] { disk.make(change) }
      done = moment
      let survivors = RecordedDisk.Survivors.allCases[index % 4]
      let image = try TemporaryFolder()
      let last = moment > 0 ? trial.changes[moment - 1] : nil
      try disk.writeImage(survivors, last: last, into: image, &random)
      let names = try image.names()
      let defect = try trial.defect(of: image, isAtEnd: moment == end, looksFirst: index % 8 < 4)
      #expect(
        defect == nil,
        "\(trial.command), log \(trial.hasLog), after call \(moment) of \(end), surviving: \(survivors), \(names)")
    }
  }
}
