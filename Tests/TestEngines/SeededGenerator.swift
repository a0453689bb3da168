internal import Foundation

/// A generator of random numbers that can be repeated: SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Creates a generator with a seed.
  package init(seed: UInt64) { state = seed }

  /// Returns a generator with the seed for `purpose`.
  package static func announced(_ purpose: String) -> SeededGenerator { SeededGenerator(seed: seed(of: purpose)) }

  /// Prints and returns the seed for `purpose`.
  ///
  /// It is a new one in the long form of the tests. In the short form it is always the same, so that only a change of the
  /// sources makes a test fail that has passed before. MIGRATOR_SEED=s repeats a seed.
  package static func seed(of purpose: String) -> UInt64 {
    let environment = ProcessInfo.processInfo.environment
    let isLong = environment["MIGRATOR_SOAK"] != nil
    let given = environment["MIGRATOR_SEED"].flatMap { UInt64($0) }
    let seed = given ?? (isLong ? .random(in: 0 ... .max / 2) : 20_261_123)
    print("\(purpose): MIGRATOR_SEED=\(seed)")
    return seed
  }

  /// Returns the next number.
  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
