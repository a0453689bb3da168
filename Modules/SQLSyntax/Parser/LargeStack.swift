#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Runs work that calls itself deeply on a thread with a stack for it.
///
/// The stacks that a program's threads have differ much: 8 MiB in a thread of glibc, 512 KiB in one of Dispatch on Apple
/// systems, 128 KiB in one of musl; and a program that runs under a sanitizer needs several times more of them.
enum LargeStack {
  /// The bytes of its stack, of which only those that are used take memory.
  private static let size = 64 << 20

  /// Runs work there, and waits for it.
  ///
  /// - Returns: What the work returns; nil when the system has no such thread to give.
  static func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) -> Result? {
    let job = Job(work)
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    guard pthread_attr_init(attributes) == 0 else { return nil }
    defer { pthread_attr_destroy(attributes) }
    guard pthread_attr_setstacksize(attributes, size) == 0, let thread = start(job, attributes) else { return nil }
    pthread_join(thread, nil)
    return job.result
  }

  private static func start(_ job: AnyJob, _ attributes: UnsafePointer<pthread_attr_t>) -> pthread_t? {
    let argument = Unmanaged.passRetained(job)
    #if canImport(Glibc)
      var thread: pthread_t = 0
    #else
      var thread: pthread_t?
    #endif
    let code = pthread_create(&thread, attributes, run(job:), argument.toOpaque())
    guard code == 0 else {
      argument.release()
      return nil
    }
    return thread
  }
}

#if canImport(Glibc)
  private typealias ThreadArgument = UnsafeMutableRawPointer?
#else
  private typealias ThreadArgument = UnsafeMutableRawPointer
#endif

/// What the thread begins with; takes over the job that it is given.
private func run(job: ThreadArgument) -> UnsafeMutableRawPointer? {
  let pointer: UnsafeMutableRawPointer? = job
  pointer.map { Unmanaged<AnyJob>.fromOpaque($0).takeRetainedValue() }?.run()
  return nil
}

/// Work whatever it results in, as a C function can be given it.
private class AnyJob {
  func run() {}
}

/// Work and what came of it, which one thread writes before another, which waited for its end, reads it.
private final class Job<Result: Sendable>: AnyJob {
  private let work: @Sendable () -> Result
  private(set) var result: Result?

  init(_ work: @escaping @Sendable () -> Result) { self.work = work }

  override func run() { result = work() }
}
