/// Rows refer to rows that do not exist.
///
/// Carries all of them.
public struct ForeignKeyViolationError: Error, Sendable {
  /// The violations, in the order in which the engine found them; at least one.
  public let violations: [ForeignKeyViolation]

  /// The first violation as an error of the engine.
  public let databaseError: DatabaseError

  /// Creates an error; `violations` must not be empty.
  init(_ violations: [ForeignKeyViolation], db: Database) throws {
    guard let first = violations.first else { preconditionFailure("An error needs a violation.") }
    self.violations = violations
    databaseError = first.databaseError(db)
  }
}

extension ForeignKeyViolationError: CustomStringConvertible {
  /// The first violation in full, and the places of up to nine more.
  public var description: String {
    let others = violations.dropFirst()
    guard !others.isEmpty else { return databaseError.description }
    let listed = others.prefix(9).map { "\n  \($0)" }.joined()
    let rest = others.count > 9 ? "\n  and \(others.count - 9) more" : ""
    return "\(databaseError)\n\(others.count) more:\(listed)\(rest)"
  }
}
