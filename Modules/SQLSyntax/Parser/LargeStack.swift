#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A thread with a stack for statements that are nested deeply.
///
/// The stacks that a program's threads have differ much: 8 MiB in a thread of glibc, 512 KiB in one of Dispatch on
/// Apple systems, 128 KiB in one of musl; and a program that runs under a sanitizer needs several times more of them.
enum LargeStack {
  typealias Outcome = Result<SQLTree.Statement, SQLSyntaxError>

  /// The bytes of its stack, of which only those that are used take memory.
  private static let size = 64 << 20

  /// Runs work there, and waits for it; nil when the system has no such thread to give.
  static func run(_ work: @escaping () -> Outcome) -> Outcome? {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    guard pthread_attr_init(attributes) == 0 else { return nil }
    defer { pthread_attr_destroy(attributes) }
    guard pthread_attr_setstacksize(attributes, size) == 0 else { return nil }
    #if canImport(Glibc)
      var thread: pthread_t = 0
    #else
      var thread: pthread_t?
    #endif
    let job = Job(work)
    let code = pthread_create(
      &thread, attributes,
      { argument in
        // Some systems give an optional, others do not.
        let pointer: UnsafeMutableRawPointer? = argument
        pointer.map { Unmanaged<Job>.fromOpaque($0).takeUnretainedValue() }?.run()
        return nil
      }, Unmanaged.passUnretained(job).toOpaque())
    let started: pthread_t? = thread
    guard code == 0, let started else { return nil }
    pthread_join(started, nil)
    return withExtendedLifetime(job) { job.outcome }
  }

  /// Work and its outcome, which one thread writes before another, which waited for its end, reads it.
  private final class Job {
    private let work: () -> Outcome
    private(set) var outcome: Outcome?

    init(_ work: @escaping () -> Outcome) { self.work = work }

    func run() { outcome = work() }
  }
}
