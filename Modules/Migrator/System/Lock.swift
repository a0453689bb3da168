#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A value that only one thread can use at a time.
///
/// Works like `Synchronization.Mutex`, which on Linux calls the kernel directly: thread sanitizers cannot see that, and
/// report a race for each value that the mutex guards. The lock is not recursive, and must not be held across a
/// callback or an `await`.
///
/// `@unchecked Sendable` is correct because the value is accessed only under the lock and is transferred in and out as
/// `sending`.
package final class Lock<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  /// Creates a lock around a value.
  package init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    // Some systems fail here when they run out of memory; a default mutex needs none.
    let code = pthread_mutex_init(mutex, nil)
    precondition(code == 0, "The system could not create a mutex.")
  }

  deinit {
    // These calls fail only if a thread holds the lock, and none does.
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  /// Calls `body` with the value, after waiting for other threads to release it.
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}

/// The identity of a thread, for comparison.
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
