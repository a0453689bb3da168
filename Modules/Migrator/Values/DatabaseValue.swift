#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A value as it is stored in a column.
public enum DatabaseValue: Sendable, Hashable {
  /// NULL, the absence of a value.
  case null
  /// A signed 64-bit integer.
  case integer(Int64)
  /// A 64-bit floating-point number.
  case real(Double)
  /// Unicode text; it may contain NUL characters.
  case text(String)
  /// Bytes.
  case blob(Data)

  /// The kind of a value, without the value.
  public enum Kind: Sendable, Equatable {
    /// NULL, the absence of a value.
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

/// A value in a column of a statement's current row, in the engine's memory: text and bytes are not copied.
///
/// The addresses are valid until the statement's next step or reset.
public enum ColumnValue {
  /// NULL, the absence of a value.
  case null
  /// A signed 64-bit integer.
  case integer(Int64)
  /// A 64-bit floating-point number.
  case real(Double)
  /// The UTF-8 bytes of text, without a trailing NUL; invalid bytes are read as U+FFFD.
  case text(UnsafeBufferPointer<UInt8>)
  /// Bytes.
  case blob(UnsafeRawBufferPointer)

  /// The value's kind.
  public var kind: DatabaseValue.Kind {
    switch self {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }
}

extension DatabaseValue {
  /// Copies a value from a statement's row.
  public init(_ value: ColumnValue) {
    switch value {
    case .null: self = .null
    case .integer(let integer): self = .integer(integer)
    case .real(let real): self = .real(real)
    case .text(let bytes): self = .text(String(decoding: bytes, as: UTF8.self))
    case .blob(let bytes): self = .blob(Data(bytes))
    }
  }
}
