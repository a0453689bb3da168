internal import CSQLiteLoader

/// Bytes that the system keeps out of swap space and core dumps if it can, and that are wiped when they are released.
///
/// `@unchecked Sendable` is correct because the bytes are written before the initializer returns, and not afterwards.
package final class SecretBytes: @unchecked Sendable {
  /// The number of bytes.
  package let count: Int

  private let start: UnsafeMutableRawPointer

  /// Allocates bytes, which contain zeros, and fills them; nil when memory allocation fails.
  package init?(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    guard let start = csqlite_secret_allocate(count) else { return nil }
    self.start = start
    self.count = count
    fill(UnsafeMutableRawBufferPointer(start: start, count: count))
  }

  deinit { csqlite_secret_free(start, count) }

  /// Calls a closure with the bytes, which are valid only during the call.
  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Returns whether other bytes are equal, in a time that does not depend on where the first difference is.
  package func isEqual(to other: SecretBytes) -> Bool {
    guard count == other.count else { return false }
    let left = UnsafeRawBufferPointer(start: start, count: count)
    let right = UnsafeRawBufferPointer(start: other.start, count: count)
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Returns the first `count` bytes; nil when there are fewer, or when memory allocation fails.
  package func prefix(_ count: Int) -> SecretBytes? {
    guard count <= self.count else { return nil }
    return SecretBytes(count: count) { $0.copyMemory(from: UnsafeRawBufferPointer(start: start, count: count)) }
  }
}
