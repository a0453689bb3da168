#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A value that one thread uses at a time.
///
/// Does what `Synchronization.Mutex` does. On Linux that one calls the kernel by itself, which no thread sanitizer can
/// see, so that each value that it guards is reported as a race; POSIX's lock is one that sanitizers know. It is not
/// recursive, and must not be held across a callback or an `await`.
///
/// `@unchecked Sendable` is right because the value is reached under the lock only, and neither comes in nor goes out
/// while anybody else has a part of it (`sending`).
package final class Lock<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  /// Takes a value over.
  package init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    // Fails for want of memory on some systems; a lock of the default kind needs none.
    let code = pthread_mutex_init(mutex, nil)
    precondition(code == 0, "The system has no lock left.")
  }

  deinit {
    // Nobody holds the lock any more, which is the only way in which these fail.
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  /// Uses the value, after waiting for other threads that do.
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}

/// The thread that runs now, as a number to compare with.
struct ThreadIdentity: Hashable, Sendable {
  private let number: UInt

  static var current: ThreadIdentity {
    #if canImport(Darwin) || canImport(Musl)
      ThreadIdentity(number: UInt(bitPattern: pthread_self()))
    #else
      ThreadIdentity(number: UInt(pthread_self()))
    #endif
  }
}
