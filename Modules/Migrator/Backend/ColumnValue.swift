#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A value in a column of a statement's current row, where the engine holds it: text and bytes are not copied.
///
/// The addresses are valid until the statement runs on or is reset, and no longer.
public enum ColumnValue {
  /// The absence of a value.
  case null
  /// A signed integer of 64 bits.
  case integer(Int64)
  /// A floating-point number of 64 bits.
  case real(Double)
  /// The UTF-8 of text, without a NUL at its end; bytes that are not UTF-8 count as U+FFFD.
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
  /// Copies a value out of a statement's row.
  package init(_ value: ColumnValue) {
    switch value {
    case .null: self = .null
    case .integer(let integer): self = .integer(integer)
    case .real(let real): self = .real(real)
    case .text(let bytes): self = .text(String(columnText: bytes))
    case .blob(let bytes): self = .blob(Data(bytes))
    }
  }
}

extension String {
  /// Copies text out of a statement's row.
  @inlinable
  package init(columnText bytes: UnsafeBufferPointer<UInt8>) {
    let count = bytes.count
    guard let start = bytes.baseAddress, count <= 15 else {
      self = String(decoding: bytes, as: UTF8.self)
      return
    }
    // The decoding initializer copies short texts byte by byte; this takes half its time. Two words that overlap are
    // all the bytes of 8 to 15.
    let source = UnsafeRawPointer(start)
    if count >= 8 {
      let first = source.loadUnaligned(as: UInt64.self)
      let last = source.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
      self.init(unsafeUninitializedCapacity: count) { buffer in
        let target = UnsafeMutableRawBufferPointer(buffer)
        // The first word at the end: it is read back as a whole, which waits for two writes otherwise.
        target.storeBytes(of: last, toByteOffset: count &- 8, as: UInt64.self)
        target.storeBytes(of: first, as: UInt64.self)
        return count
      }
    } else {
      self.init(unsafeUninitializedCapacity: count) { buffer in
        buffer.baseAddress?.update(from: start, count: count)
        return count
      }
    }
  }
}
