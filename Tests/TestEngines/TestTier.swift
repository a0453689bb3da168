internal import Foundation

/// The number of cases that tests on many cases try: the ways of `Tools/test`, `Tools/test --full` and `Tools/soak`.
///
/// Every class of fault has cases in each tier; `Tests/README.md` describes the tiers.
package enum TestTier: Sendable, Comparable {
  /// A handful of fixed cases of each kind, for the everyday run.
  case quick
  /// Hundreds of fixed cases; set by MIGRATOR_FULL=1.
  case full
  /// Thousands of new random cases; set by MIGRATOR_SOAK=1.
  case soak

  /// The tier of this process.
  package static let current: TestTier = {
    let environment = ProcessInfo.processInfo.environment
    if environment["MIGRATOR_SOAK"] != nil { return .soak }
    return environment["MIGRATOR_FULL"] == nil ? .quick : .full
  }()

  /// Whether this run is more than the everyday one.
  package static var isFull: Bool { current >= .full }

  /// Returns the value for the current tier.
  package static func pick<Value>(_ quick: Value, full: Value, soak: Value? = nil) -> Value {
    switch current {
    case .quick: quick
    case .full: full
    case .soak: soak ?? full
    }
  }

  /// Returns the pairs of two lists to test: all of them, or in the everyday run each element at least once.
  ///
  /// The everyday run leaves out combinations: a fault of one engine in one way may be found by `Tools/test --full` only.
  package static func pairs<One: Sendable, Other: Sendable>(_ ones: [One], _ others: [Other]) -> [(One, Other)] {
    guard !isFull else { return ones.flatMap { one in others.map { (one, $0) } } }
    return (0..<max(ones.count, others.count)).map { (ones[$0 % ones.count], others[$0 % others.count]) }
  }
}
