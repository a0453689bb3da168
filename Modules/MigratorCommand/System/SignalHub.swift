internal import Dispatch
internal import Migrator
#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A hub that calls functions on a separate thread when signals arrive.
///
/// Dispatch's signal sources are unreliable: on Linux, a source never fires if it is created while another source for
/// the same signal is being destroyed. Here the signal handler only writes the signal's number to a pipe, which is
/// async-signal-safe (https://man7.org/linux/man-pages/man7/signal-safety.7.html), and a dispatch source reads the
/// pipe.
final class SignalHub: Sendable {
  typealias Handler = @Sendable (_ number: Int32) -> Void

  static let shared = SignalHub()

  /// The ends of the pipe; -1 without a pipe, and signals then keep their default behavior.
  ///
  /// Created before any handler is installed: from then on, reading this constant only compares a flag, which is
  /// async-signal-safe.
  private static let pipeEnds: (read: Int32, write: Int32) = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return (-1, -1) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    return (ends[0], ends[1])
  }()

  /// `@unchecked Sendable` is correct because a dispatch source, although not marked as Sendable, may be used from any
  /// thread.
  private struct State: @unchecked Sendable {
    var handlers: [(id: Int, numbers: Set<Int32>, handler: Handler)] = []
    var lastID = 0
    var previous: [Int32: sigaction] = [:]
    var source: (any DispatchSourceRead)?
  }

  private let state = Lock(State())
  private let queue = DispatchQueue(label: "migrator.signals")

  private init() {
    guard Self.pipeEnds.read >= 0 else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: Self.pipeEnds.read, queue: queue)
    source.setEventHandler { [self] in deliverArrived() }
    source.resume()
    state.withLock { $0.source = source }
  }

  /// Runs the body; calls `handler` if one of the signals arrives meanwhile.
  ///
  /// If calls are nested, only the innermost handler is called.
  func handling<Result, Failure: Error>(
    _ numbers: [Int32], by handler: @escaping Handler, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let id = state.withLock { state in
      state.lastID += 1
      for number in numbers where state.previous[number] == nil { state.previous[number] = Self.install(number) }
      state.handlers.append((id: state.lastID, numbers: Set(numbers), handler: handler))
      return state.lastID
    }
    defer {
      // A signal that came before the end of the body, perhaps causing it, is for this handler.
      queue.sync { deliverArrived() }
      state.withLock { state in
        state.handlers.removeAll { $0.id == id }
        for (number, var action) in state.previous
        where !state.handlers.contains(where: { $0.numbers.contains(number) }) {
          sigaction(number, &action, nil)
          state.previous[number] = nil
        }
      }
    }
    return try body()
  }

  /// Delivers the signals that the pipe contains; called on the queue.
  private func deliverArrived() {
    var number: UInt8 = 0
    while read(Self.pipeEnds.read, &number, 1) == 1 { deliver(Int32(number)) }
  }

  private func deliver(_ number: Int32) {
    let handler = state.withLock { state in state.handlers.last { $0.numbers.contains(number) }?.handler }
    if let handler { return handler(number) }
    // The signal arrived just after the work had ended, so it ends the process; SIGCONT ends none.
    if number != SIGCONT { _exit(128 + number) }
  }

  /// Runs the body; a signal ends the process immediately, since there is nothing to roll back.
  func leavingAtOnce<Result>(_ body: () -> Result) -> Result {
    handling([SIGINT, SIGTERM], by: { number in _exit(128 + number) }, body)
  }

  /// Ignores the signals for writes to a pipe that has no reader, and for writes beyond the file size limit.
  ///
  /// Such writes then fail with an error.
  static func ignoreSignalsOfWriting() {
    signal(SIGXFSZ, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
  }

  static func endProcess(_ code: Int32) -> Never { exit(code) }

  /// Installs the handler for a signal.
  ///
  /// - Returns: The signal's previous action.
  private static func install(_ number: Int32) -> sigaction {
    var action = sigaction()
    var previous = sigaction()
    let handler: @convention(c) (Int32) -> Void = { number in
      let saved = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(SignalHub.pipeEnds.write, &byte, 1)
      errno = saved
    }
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #elseif canImport(Musl)
      action.__sa_handler.sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
    action.sa_flags = Int32(SA_RESTART)
    sigaction(number, &action, &previous)
    // The parent process may have blocked the signal, and a child process inherits that (signal(7)).
    var mask = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, number)
    pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    return previous
  }
}

/// A handler for Ctrl-C during work that must be rolled back.
final class InterruptSignal: Sendable {
  /// Whether the signal has arrived; migrations check this between statements.
  var hasArrived: Bool { arrivals.withLock { $0 } > 0 }

  private let arrivals = Lock(0)
  private let watchers = Lock<[ObjectIdentifier: Watcher]>([:])

  private final class Watcher: Sendable {
    let onArrival: @Sendable () -> Void

    init(_ onArrival: @escaping @Sendable () -> Void) { self.onArrival = onArrival }
  }

  /// Runs the body; if SIGINT or SIGTERM arrives meanwhile, calls `onArrival` on another thread.
  ///
  /// Several threads may call this at the same time; a signal then calls the `onArrival` functions of all of them.
  ///
  /// A second signal ends the process immediately; the engine then rolls back when the database is opened again
  /// (https://www.sqlite.org/atomiccommit.html).
  func whileWatching<Result, Failure: Error>(
    onArrival: @escaping @Sendable () -> Void, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let watcher = Watcher(onArrival)
    watchers.withLock { $0[ObjectIdentifier(watcher)] = watcher }
    defer { _ = watchers.withLock { $0.removeValue(forKey: ObjectIdentifier(watcher)) } }
    return try SignalHub.shared.handling([SIGINT, SIGTERM], by: { [self] _ in arrive() }, body)
  }

  /// Waits for the result of a task; SIGINT and SIGTERM cancel it.
  ///
  /// The task has a thread of its own where the system can provide one, since this function blocks one that may be among
  /// the few of Swift concurrency.
  func result<Success: Sendable>(
    of work: @escaping @Sendable () async throws -> Success
  ) -> Result<Success, any Error> {
    let result = Lock<Result<Success, any Error>>(.failure(CancellationError()))
    let done = DispatchSemaphore(value: 0)
    let running = Lock<Task<Void, Never>?>(nil)
    // A signal must not end the process after the work has begun, so it is handled before that.
    return whileWatching(onArrival: { running.withLock { $0 }?.cancel() }) {
      let operation: @Sendable () async -> Void = {
        do {
          let success = try await work()
          result.withLock { $0 = .success(success) }
        } catch {
          result.withLock { $0 = .failure(error) }
        }
        done.signal()
      }
      let task =
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
          Task(executorPreference: BlockingExecutor(), operation: operation)
        } else {
          Task.detached(operation: operation)
        }
      running.withLock { $0 = task }
      // The signal may have come before.
      if hasArrived { task.cancel() }
      done.wait()
      return result.withLock { $0 }
    }
  }

  /// Notes a signal, and calls the functions of the watchers; ends the process if it is the second signal.
  func arrive() {
    let count = arrivals.withLock { count in
      count += 1
      return count
    }
    if count > 1 { _exit(128 + SIGINT) }
    notifyWatchers()
    // An engine forgets an interruption that comes just before a statement begins.
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in notifyWatchers() }
  }

  private func notifyWatchers() {
    for watcher in watchers.withLock({ Array($0.values) }) { watcher.onArrival() }
  }
}
