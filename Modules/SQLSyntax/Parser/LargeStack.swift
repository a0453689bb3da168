#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A thread with a large stack, for parsing deeply nested statements.
///
/// A thread's default stack size differs between systems: 8 MiB with glibc, 512 KiB with Dispatch on Apple systems, 128
/// KiB with musl. A program that runs with a sanitizer needs several times more stack.
enum LargeStack {
  typealias Outcome = Result<SQLTree.Statement, SQLSyntaxError>

  /// The stack size in bytes; only the part that is used takes memory.
  private static let size = 64 << 20

  /// Runs work on the thread and waits for it to finish; returns nil if the system cannot create the thread.
  static func run(_ work: @escaping () -> Outcome) -> Outcome? {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    guard pthread_attr_init(attributes) == 0 else { return nil }
    defer { pthread_attr_destroy(attributes) }
    guard pthread_attr_setstacksize(attributes, size) == 0 else { return nil }
    #if canImport(Darwin) || canImport(Musl)
      var thread: pthread_t?
    #else
      var thread: pthread_t = 0
    #endif
    let job = Job(work)
    let code = pthread_create(
      &thread, attributes,
      { argument in
        // The C declaration of the argument is optional on some systems only.
        let pointer: UnsafeMutableRawPointer? = argument
        pointer.map { Unmanaged<Job>.fromOpaque($0).takeUnretainedValue() }?.run()
        return nil
      }, Unmanaged.passUnretained(job).toOpaque())
    let started: pthread_t? = thread
    guard code == 0, let started else { return nil }
    pthread_join(started, nil)
    return withExtendedLifetime(job) { job.outcome }
  }

  /// Work for the thread, and its outcome.
  ///
  /// The new thread writes the outcome; the creating thread reads it after joining the new one.
  private final class Job {
    private let work: () -> Outcome
    private(set) var outcome: Outcome?

    init(_ work: @escaping () -> Outcome) { self.work = work }

    func run() { outcome = work() }
  }
}
