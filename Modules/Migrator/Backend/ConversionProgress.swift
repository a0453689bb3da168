/// How far the conversion of a database is: its encryption, its decryption, or the change of its key or format.
public struct ConversionProgress: Sendable, Hashable {
  /// The work of a conversion, in this order.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// It waits until no one else uses the database; nothing is counted.
    case waiting
    /// It fills the copy; pages are counted.
    case copying
    /// It compares the copy with the original; rows are counted.
    case verifying
    /// It puts the copy in the original's place, too short to be cancelled; nothing is counted.
    case finishing

    /// The name of what is counted, in the plural; nil when nothing is.
    public var unit: String? {
      switch self {
      case .copying: "pages"
      case .verifying: "rows"
      case .waiting, .finishing: nil
      }
    }
  }

  /// The work at this moment.
  public let phase: Phase
  /// How many pages or rows of the phase are done, up to ``totalUnitCount``.
  public let completedUnitCount: Int64
  /// How many pages or rows the phase has, as far as is known; at least one.
  public let totalUnitCount: Int64

  /// Creates a value; counts out of range are brought into it.
  public init(phase: Phase, completedUnitCount: Int64, totalUnitCount: Int64) {
    self.phase = phase
    self.totalUnitCount = max(totalUnitCount, 1)
    self.completedUnitCount = min(completedUnitCount, self.totalUnitCount)
  }
}

/// The end of a conversion that did not fail.
public enum ConversionOutcome: Sendable, Hashable {
  /// The database is converted; `original` is the path under which the original was kept, nil when it was removed.
  case converted(original: String?)
  /// The database already was as asked for, as after a conversion that was killed at its very end; nothing was done.
  case alreadyConverted
}
