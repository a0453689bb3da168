/// The progress of a database conversion: encryption, decryption, or a change of key or format.
public struct ConversionProgress: Sendable, Equatable {
  /// The phases of a conversion, in this order.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// Waiting until no other connection uses the database; nothing is counted.
    case waiting
    /// Filling the copy; pages are counted.
    case copying
    /// Comparing the copy with the original; rows are counted.
    case verifying
    /// Replacing the original with the copy; nothing is counted, and the phase is too brief to be canceled.
    case finishing

    /// The unit that is counted, in the plural; nil if nothing is counted.
    package var unit: String? {
      switch self {
      case .copying: "pages"
      case .verifying: "rows"
      case .waiting, .finishing: nil
      }
    }
  }

  /// The current phase.
  public let phase: Phase
  /// The number of pages or rows completed in this phase, at most ``totalUnitCount``.
  public let completedUnitCount: Int64
  /// The total number of pages or rows in this phase, as far as it is known; at least one.
  public let totalUnitCount: Int64

  /// Creates a progress value; clamps counts that are out of range.
  package init(phase: Phase, completedUnitCount: Int64, totalUnitCount: Int64) {
    self.phase = phase
    self.totalUnitCount = max(totalUnitCount, 1)
    self.completedUnitCount = min(completedUnitCount, self.totalUnitCount)
  }
}

/// The outcome of a conversion that did not fail.
public enum ConversionOutcome: Sendable, Equatable {
  /// The database is converted.
  ///
  /// `original` is the path of the retained original; nil if the original was removed.
  case converted(original: String?)
  /// The database already had the requested form, for example because an earlier conversion was killed just before it
  /// returned; nothing was done.
  case alreadyConverted
}
