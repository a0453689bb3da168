internal import SQLSyntax

/// SQL text with interpolated values: `"UPDATE player SET name = \(name) WHERE id = \(id)"`.
///
/// Interpolated values become parameters; they are never inserted into the text.
public struct SQL: Sendable, Equatable, ExpressibleByStringInterpolation {
  /// The text, with a `?` in place of each value.
  public private(set) var sql: String
  /// The values, in the order of their parameters.
  public private(set) var arguments: StatementArguments

  /// Creates SQL from text and the values for its parameters.
  public init(sql: String, arguments: StatementArguments = []) {
    self.sql = sql
    self.arguments = arguments
  }

  /// Creates SQL from a literal without interpolated values.
  public init(stringLiteral value: String) { self.init(sql: value) }

  /// Creates SQL from a literal with interpolated values.
  public init(stringInterpolation: StringInterpolation) {
    self.init(sql: stringInterpolation.sql, arguments: StatementArguments(values: stringInterpolation.values))
  }

  /// The parts of a literal with interpolated values.
  public struct StringInterpolation: StringInterpolationProtocol {
    var sql = ""
    var values: [DatabaseValue] = []

    /// Creates an empty interpolation.
    public init(literalCapacity: Int, interpolationCount: Int) { sql.reserveCapacity(literalCapacity) }

    /// Adds text.
    public mutating func appendLiteral(_ literal: String) { sql += literal }

    /// Adds a value as a parameter.
    public mutating func appendInterpolation(_ value: (some DatabaseValueConvertible)?) {
      sql += "?"
      values.append(value?.databaseValue ?? .null)
    }

    /// Adds SQL with its positional values.
    public mutating func appendInterpolation(_ other: SQL) {
      sql += other.sql
      values += other.arguments.positional
    }

    /// Adds text unchanged: never pass user input.
    public mutating func appendInterpolation(sql text: String) { sql += text }

    /// Adds a name as a quoted identifier.
    public mutating func appendInterpolation(identifier name: String) { sql += name.quotedIdentifier }
  }
}

/// The values for a statement's parameters: by position, by name, or both.
///
/// An array literal passes values in the order of the parameters, `[1, "Arthur", nil]`; a dictionary literal passes
/// them by name, without the prefix that the statement uses, `["id": 1, "name": "Arthur"]`.
public struct StatementArguments: Sendable, Equatable, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// The values for parameters without a name, and for those whose name is not in ``named``, in order.
  public var positional: [DatabaseValue] = []
  /// The values by name.
  public var named: [String: DatabaseValue] = [:]

  /// Creates empty arguments.
  public init() {}

  /// Creates positional arguments.
  @inlinable
  public init(_ values: some Sequence<(any DatabaseValueConvertible)?>) {
    positional = values.map { $0?.databaseValue ?? .null }
  }

  /// Creates named arguments.
  public init(_ values: [String: (any DatabaseValueConvertible)?]) {
    named = values.mapValues { $0?.databaseValue ?? .null }
  }

  /// Creates positional arguments from stored values.
  package init(values: [DatabaseValue]) { positional = values }

  /// Creates positional arguments.
  @inlinable
  public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) { self.init(elements) }

  /// Creates named arguments; if a name occurs twice, its last value is used.
  public init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
    named = Dictionary(elements.map { ($0, $1?.databaseValue ?? .null) }, uniquingKeysWith: { $1 })
  }
}
