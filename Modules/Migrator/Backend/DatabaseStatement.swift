#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A prepared statement.
///
/// It belongs to its connection and shares the rule of one user at a time.
public protocol DatabaseStatement: AnyObject {
  /// The statement's own text, without what stood before or behind it in its script.
  var sql: String { get }
  /// A claim that running the statement changes nothing in the database.
  var isReadOnly: Bool { get }
  /// The names of the result's columns, in order, as the engine gives them; empty when it yields no rows.
  var columnNames: [String] { get }
  /// The number of the result's columns.
  var columnCount: Int { get }
  /// The number of parameters.
  var parameterCount: Int { get }

  /// The name of a parameter without its prefix (`:`, `@`, `$`), nil when it has none.
  ///
  /// - Parameter index: 0 ..< ``parameterCount``.
  func parameterName(at index: Int) -> String?

  /// Sets a parameter. Values stay bound until they are set again or cleared.
  ///
  /// - Parameters:
  ///   - value: What the parameter stands for from now on.
  ///   - index: 0 ..< ``parameterCount``.
  func bind(_ value: DatabaseValue, at index: Int) throws(DatabaseError)

  /// Sets all parameters to NULL.
  func clearBindings()

  /// Runs the statement up to its next row, and tells the row's values.
  ///
  /// All in one call, since a call over the border for each value would cost more than the value.
  ///
  /// - Parameter row: Room for as many of the row's values as are wanted, the first column first; none when it is empty,
  ///   and what is behind the last column becomes NULL. The values are those that were stored, without a conversion, and
  ///   what they refer to stays until the statement runs on or is reset.
  /// - Returns: True when there is a row, false when the statement is done; then `row` is left as it was.
  func step(into row: UnsafeMutableBufferPointer<ColumnValue>) throws(DatabaseError) -> Bool

  /// Tells the values of the current row once more, as ``step(into:)`` does.
  ///
  /// - Parameter row: Room for as many of the row's values as are wanted.
  func readRow(into row: UnsafeMutableBufferPointer<ColumnValue>)

  /// Makes the statement ready to run again, and gives up what it holds of the database. Bound values stay.
  func reset()

  /// The kind of the value in a column of the current row.
  func valueKind(at column: Int) -> DatabaseValue.Kind

  /// The current row's value as an integer, converted by the engine when it is of another kind.
  func integer(at column: Int) -> Int64

  /// The current row's value as a floating-point number, converted by the engine when it is of another kind.
  func real(at column: Int) -> Double

  /// The current row's value as text. NUL characters are kept; bytes that are not UTF-8 become U+FFFD.
  func text(at column: Int) -> String

  /// Calls `body` with the bytes of the current row's value, which are valid during the call only.
  func withBytes<Result>(at column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

extension DatabaseStatement {
  /// Runs the statement up to its next row, whose values can be asked for one by one.
  ///
  /// - Returns: True when a row can be read, false when the statement is done.
  @inlinable
  public func step() throws(DatabaseError) -> Bool {
    try step(into: UnsafeMutableBufferPointer(start: nil, count: 0))
  }
}

extension DatabaseValue {
  /// Reads the value in a column of a statement's current row.
  package init(_ statement: any DatabaseStatement, column: Int) {
    switch statement.valueKind(at: column) {
    case .null: self = .null
    case .integer: self = .integer(statement.integer(at: column))
    case .real: self = .real(statement.real(at: column))
    case .text: self = .text(statement.text(at: column))
    case .blob: self = .blob(statement.withBytes(at: column) { Data($0) })
    }
  }
}
