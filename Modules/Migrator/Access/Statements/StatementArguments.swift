/// The values for a statement's parameters: by position, by name, or both.
///
/// An array literal gives values to the parameters in their order, `[1, "Arthur", nil]`; a dictionary literal gives
/// them by name, without the prefix that the statement uses, `["id": 1, "name": "Arthur"]`.
public struct StatementArguments: Sendable, Hashable {
  /// The values for parameters without a name, and for those whose name is not in ``named``, in order.
  public var positional: [DatabaseValue]

  /// The values by name.
  public var named: [String: DatabaseValue]

  /// Creates arguments without a value.
  public init() {
    positional = []
    named = [:]
  }

  /// Creates positional arguments.
  @inlinable
  public init(_ values: some Sequence<(any DatabaseValueConvertible)?>) {
    positional = values.map { $0?.databaseValue ?? .null }
    named = [:]
  }

  /// Creates named arguments.
  public init(_ values: [String: (any DatabaseValueConvertible)?]) {
    positional = []
    named = values.mapValues { $0?.databaseValue ?? .null }
  }

  /// Creates positional arguments from stored values.
  package init(values: [DatabaseValue]) {
    positional = values
    named = [:]
  }

  /// Whether there is no value at all.
  package var isEmpty: Bool { positional.isEmpty && named.isEmpty }
}

extension StatementArguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Creates positional arguments.
  @inlinable
  public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) { self.init(elements) }

  /// Creates named arguments.
  ///
  /// When a name occurs twice, its last value counts.
  public init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
    positional = []
    named = Dictionary(elements.map { ($0, $1?.databaseValue ?? .null) }, uniquingKeysWith: { $1 })
  }
}
