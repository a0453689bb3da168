internal import CSQLite

/// Bytes that are kept out of swap space and core dumps where the system allows, and wiped when they are given up.
///
/// `@unchecked Sendable` is right because the bytes are written before the initializer returns, and never again.
package final class SecretBytes: @unchecked Sendable {
  /// The number of bytes.
  package let count: Int

  private let start: UnsafeMutableRawPointer

  /// Makes room for bytes and fills it; nil when there is no memory.
  ///
  /// - Parameter fill: Gets the bytes, all zero.
  package init?(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    guard let start = csqlite_secret_allocate(count) else { return nil }
    self.start = start
    self.count = count
    fill(UnsafeMutableRawBufferPointer(start: start, count: count))
  }

  deinit { csqlite_secret_free(start, count) }

  /// Calls a closure with the bytes, which are valid during the call only.
  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: start, count: count))
  }
}
