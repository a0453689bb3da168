/// A value bound to a parameter of a statement.
package enum WireValue: Hashable, Sendable {
  /// The absence of a value.
  case null
  /// A signed integer.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// Text without NUL: a node reads text up to the first NUL.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}

/// The kind of a value in a message.
enum WireKind: UInt8 {
  case integer = 1
  case real = 2
  case text = 3
  case blob = 4
  case null = 5
  /// An integer from a column that is declared as DATE, DATETIME or TIMESTAMP.
  case unixTime = 9
  /// Text from such a column.
  case isoTime = 10
  /// An integer from a column that is declared as BOOLEAN.
  case boolean = 11
}

extension WireValue {
  var kind: WireKind {
    switch self {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }
}

/// An error of the conversation with a node.
package enum WireError: Error, Hashable, Sendable {
  /// The node answered that the request failed, with an extended result code of SQLite or a code of dqlite.
  case failure(code: Int, message: String)
  /// No node could be reached, or no node leads the cluster; nothing was sent.
  case unreachable(String)
  /// The connection was lost after a request was sent, which may or may not have been carried out.
  case lost(String)
  /// The answer does not follow the protocol.
  case malformed(String)
  /// The node would send messages without rows forever, because the names of the result's columns fill a message.
  case namesTooLong
}
