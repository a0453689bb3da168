internal import Migrator

/// Bytes that nobody else may see: a key on its way from the user to the engine.
///
/// The bytes are overwritten when the last reference goes away. They appear in no description.
public final class ToolSecret: @unchecked Sendable {
  // Unchecked: the memory is written in the initializer and in deinit only, and read in between; the memo has its lock.

  /// The most bytes that are read as a key: more is a wrong file rather than a key.
  package static let maximumSizeInBytes = 4096

  private let memory: UnsafeMutableRawBufferPointer

  private let memo = Lock<(any Sendable)?>(nil)

  /// Moves the bytes out of an array, which is overwritten and left empty.
  package init(consuming bytes: inout [UInt8]) {
    memory = .allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    bytes.withUnsafeMutableBytes { SystemCalls.wipe($0) }
    bytes = []
  }

  deinit {
    SystemCalls.wipe(memory)
    memory.deallocate()
  }

  /// What a backend has made of the bytes, made once: a passphrase takes long to become a key.
  public func once<Value: Sendable>(_ make: () -> Value) -> Value {
    memo.withLock { memo in
      if let value = memo as? Value { return value }
      let value = make()
      memo = value
      return value
    }
  }

  /// The number of bytes.
  public var count: Int { memory.count }

  /// Calls the body with the bytes, which are valid during the call only.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(memory))
  }
}

extension ToolSecret: CustomStringConvertible, CustomReflectable {
  /// The size, never the bytes.
  public var description: String { "\(count) secret bytes" }

  /// Nothing, so that `dump` shows nothing either.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
