/// What became of a file that was to be converted.
public enum ConversionOutcome: Sendable, Hashable {
  /// It is converted; `original` is the path under which the original was kept, nil when it was removed.
  case converted(original: String?)
  /// It already was what it was to become, as after a conversion that was killed at its very end; nothing was done.
  case alreadyConverted
}
