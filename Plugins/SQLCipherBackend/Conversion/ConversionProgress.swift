/// How far a conversion is.
public struct ConversionProgress: Sendable, Hashable {
  /// What a conversion does, in this order.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// It waits until nobody else uses the database; nothing is counted.
    case waiting
    /// It fills the copy; pages are counted.
    case copying
    /// It compares the copy with the original; rows are counted.
    case verifying
    /// It puts the copy in the original's place, too short to be cancelled; nothing is counted.
    case finishing
  }

  /// What is done at this moment.
  public let phase: Phase

  /// How many pages or rows of the phase are done, up to ``totalUnitCount``.
  public let completedUnitCount: Int64

  /// How many pages or rows the phase has, as far as is known; at least one.
  public let totalUnitCount: Int64
}
