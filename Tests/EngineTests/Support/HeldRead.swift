import Dispatch
import Migrator

/// A read that lasts until it is released.
final class HeldRead: Sendable {
  private let started = DispatchSemaphore(value: 0)
  private let released = DispatchSemaphore(value: 0)

  /// Starts to read, and returns when the read is running.
  init(_ reader: any DatabaseReader) {
    reader.asyncRead { [started, released] _ in
      started.signal()
      released.wait()
    }
    started.wait()
  }

  /// Ends the read.
  func release() { released.signal() }
}
