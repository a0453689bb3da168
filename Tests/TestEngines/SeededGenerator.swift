internal import Foundation

/// A generator of random numbers that can be repeated: SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Creates a generator with a seed.
  package init(seed: UInt64) { state = seed }

  /// Returns a generator with a new seed, which is printed; MIGRATOR_SEED=s repeats a seed.
  package static func announced(_ purpose: String) -> SeededGenerator {
    let given = ProcessInfo.processInfo.environment["MIGRATOR_SEED"].flatMap { UInt64($0) }
    let seed = given ?? .random(in: .min ... .max)
    print("seed of \(purpose): \(seed)")
    return SeededGenerator(seed: seed)
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
