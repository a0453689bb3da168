#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A value as databases store it.
public enum DatabaseValue: Sendable, Hashable {
  /// The absence of a value.
  case null
  /// A signed integer of 64 bits.
  case integer(Int64)
  /// A floating-point number of 64 bits.
  case real(Double)
  /// Unicode text; it may hold NUL characters.
  case text(String)
  /// Bytes.
  case blob(Data)

  /// The kind of a value, without the value.
  public enum Kind: Sendable, Hashable {
    /// The absence of a value.
    case null
    /// A signed integer.
    case integer
    /// A floating-point number.
    case real
    /// Text.
    case text
    /// Bytes.
    case blob
  }

  /// The value's kind.
  public var kind: Kind {
    switch self {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }

  /// Whether this is NULL.
  public var isNull: Bool { self == .null }
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
