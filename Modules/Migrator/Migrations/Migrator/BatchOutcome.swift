/// What a batch of a migration has come to.
public struct BatchOutcome: Sendable {
  /// Where the next batch begins; nil when all is done.
  let cursor: DatabaseValue?

  /// How much of the whole is done, from 0 to 1, as far as the migration can tell.
  let fraction: Double?

  /// All is done: the migration is applied.
  public static let done = BatchOutcome(cursor: nil, fraction: 1)

  /// There is more to do.
  ///
  /// - Parameters:
  ///   - cursor: Is given to the next batch, also to that of a later run or of another process: the key of the last
  ///     row that was handled, for example.
  ///   - fraction: How much of the whole is done, from 0 to 1; nil when that is not known.
  public static func next(from cursor: some DatabaseValueConvertible, fraction: Double? = nil) -> BatchOutcome {
    BatchOutcome(cursor: cursor.databaseValue, fraction: fraction)
  }
}
