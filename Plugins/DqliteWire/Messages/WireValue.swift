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
