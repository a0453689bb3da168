import Foundation
import TestEngines

/// The number of random schemas that the tests create, and the first seed.
///
/// MIGRATOR_SCHEMAS=n creates n, and MIGRATOR_SOAK=1 2,000; MIGRATOR_SEED=s begins with that seed, which is printed.
enum SchemaTrials {
  private static let environment = ProcessInfo.processInfo.environment

  static let firstSeed = SeededGenerator.seed(of: "random schemas")

  static func count(_ normal: Int) -> Int {
    if let count = environment["MIGRATOR_SCHEMAS"].flatMap(Int.init) { return count }
    return environment["MIGRATOR_SOAK"] == nil ? normal : 2_000
  }
}
