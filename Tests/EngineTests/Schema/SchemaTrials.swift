import Foundation

/// The number of random schemas that the tests create, and the first seed.
///
/// MIGRATOR_SCHEMAS=n creates n, and MIGRATOR_SOAK=1 2,000; MIGRATOR_SEED=s begins with that seed, which is printed.
enum SchemaTrials {
  private static let environment = ProcessInfo.processInfo.environment

  static let firstSeed: UInt64 = {
    let seed = environment["MIGRATOR_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max / 2)
    print("random schemas begin with MIGRATOR_SEED=\(seed)")
    return seed
  }()

  static func count(_ normal: Int) -> Int {
    if let count = environment["MIGRATOR_SCHEMAS"].flatMap(Int.init) { return count }
    return environment["MIGRATOR_SOAK"] == nil ? normal : 2_000
  }
}
