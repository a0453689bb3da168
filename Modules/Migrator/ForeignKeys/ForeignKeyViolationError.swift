/// Rows refer to rows that do not exist.
///
/// Carries all of them, up to ``capacity``.
public struct ForeignKeyViolationError: Error, Sendable {
  /// The number of violations that an error carries at most, which bounds the memory that a failure takes.
  public static let capacity = 100_000

  /// The violations, in the order in which the engine found them; at least one, and at most ``capacity``.
  public let violations: [ForeignKeyViolation]

  /// The number of violations that were found, those that are not carried included.
  public let violationCount: Int

  /// The tables, columns and rowids of the first ten violations, without values.
  public let places: [String]

  /// The first violation as an error of the engine.
  public let databaseError: DatabaseError

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - violations: At least one violation.
  ///   - count: The number of violations that were found; nil for that of `violations`.
  ///   - db: The database in the state in which they were found.
  init(_ violations: [ForeignKeyViolation], count: Int? = nil, db: Database) throws {
    guard let first = violations.first else { preconditionFailure("An error needs a violation.") }
    self.violations = Array(violations.prefix(Self.capacity))
    violationCount = count ?? violations.count
    // An error must come of this, even where the schema cannot be read any more.
    places = violations.prefix(10).map { violation in (try? violation.placeDescription(db)) ?? violation.description }
    databaseError = first.databaseError(db)
  }

  /// Creates an error of the violations that a cursor gives; nil when it gives none.
  init?(_ violations: ForeignKeyViolationCursor, db: Database) throws {
    var found: [ForeignKeyViolation] = []
    var count = 0
    while let violation = try violations.next() {
      count += 1
      if found.count < Self.capacity { found.append(violation) }
    }
    guard count > 0 else { return nil }
    try self.init(found, count: count, db: db)
  }
}

extension ForeignKeyViolationError: CustomStringConvertible {
  /// The first violation in full, and the places of up to nine more.
  public var description: String {
    guard violationCount > 1 else { return databaseError.description }
    let listed = places.dropFirst().map { "\n  \($0)" }.joined()
    let rest = violationCount > places.count ? "\n  and \(violationCount - places.count) more" : ""
    return "\(databaseError)\n\(violationCount - 1) more:\(listed)\(rest)"
  }
}
