#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Work that another thread does while this one goes on.
///
/// A thread of its own, and none of Dispatch's: to start those takes a short command longer than the work itself.
final class SideThread {
  private let body: Body
  private var thread: pthread_t?
  private var isWaitedFor = false

  /// Begins the work, at the latest when somebody waits for it; where nobody does, this waits at its own end.
  init(_ work: @escaping @Sendable () -> Void) {
    body = Body(work)
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    let argument = Unmanaged.passRetained(body)
    let failure = pthread_create(
      &thread, nil,
      { argument in
        // Optional on some systems only.
        let pointer: UnsafeMutableRawPointer? = argument
        if let pointer { Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().work() }
        return nil
      }, argument.toOpaque())
    if failure == 0 {
      self.thread = thread
    } else {
      // The thread that would have taken it does not exist.
      argument.release()
    }
  }

  /// Waits until the work is done, and does it where no thread could be had.
  func wait() {
    guard !isWaitedFor else { return }
    isWaitedFor = true
    if let thread { pthread_join(thread, nil) } else { body.work() }
  }

  // Nobody wants the outcome any more, but the process must not end, or go on to something else, in the middle of it.
  deinit {
    if let thread, !isWaitedFor { pthread_join(thread, nil) }
  }

  private final class Body: Sendable {
    let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
}
