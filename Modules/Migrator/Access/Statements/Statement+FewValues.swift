extension Statement {
  // The compiler runs a loop over values of any number and types, and copies each of them; these it writes out instead,
  // which takes half the time.

  /// Runs the statement to its end with one value, as `execute(values:)` does with any number.
  @inlinable
  public func execute<A: DatabaseValueConvertible>(values a: A) throws {
    try begin()
    var count = 0
    try bind(a.databaseValue, counting: &count)
    try finish(binding: count)
  }

  /// Runs the statement to its end with two values, as `execute(values:)` does with any number.
  @inlinable
  public func execute<A: DatabaseValueConvertible, B: DatabaseValueConvertible>(values a: A, _ b: B) throws {
    try begin()
    var count = 0
    try bind(a.databaseValue, counting: &count)
    try bind(b.databaseValue, counting: &count)
    try finish(binding: count)
  }

  /// Runs the statement to its end with three values, as `execute(values:)` does with any number.
  @inlinable
  public func execute<
    A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible
  >(values a: A, _ b: B, _ c: C) throws {
    try begin()
    var count = 0
    try bind(a.databaseValue, counting: &count)
    try bind(b.databaseValue, counting: &count)
    try bind(c.databaseValue, counting: &count)
    try finish(binding: count)
  }

  /// Runs the statement to its end with four values, as `execute(values:)` does with any number.
  @inlinable
  public func execute<
    A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible
  >(values a: A, _ b: B, _ c: C, _ d: D) throws {
    try begin()
    var count = 0
    try bind(a.databaseValue, counting: &count)
    try bind(b.databaseValue, counting: &count)
    try bind(c.databaseValue, counting: &count)
    try bind(d.databaseValue, counting: &count)
    try finish(binding: count)
  }

  /// Runs the statement to its end with five values, as `execute(values:)` does with any number.
  @inlinable
  public func execute<
    A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible,
    E: DatabaseValueConvertible
  >(values a: A, _ b: B, _ c: C, _ d: D, _ e: E) throws {
    try begin()
    var count = 0
    try bind(a.databaseValue, counting: &count)
    try bind(b.databaseValue, counting: &count)
    try bind(c.databaseValue, counting: &count)
    try bind(d.databaseValue, counting: &count)
    try bind(e.databaseValue, counting: &count)
    try finish(binding: count)
  }
}
