internal import Dispatch
internal import Synchronization
#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Turns Ctrl-C into a call, for as long as work is running that has to be rolled back.
final class InterruptSignal: Sendable {
  /// Whether the signal has come; migrations read it between their statements.
  var hasArrived: Bool { arrivals.load(ordering: .acquiring) > 0 }

  private let arrivals = Atomic<Int>(0)

  /// Runs the body, and calls `onArrival` from another thread when SIGINT or SIGTERM comes meanwhile.
  ///
  /// A second signal ends the process at once: the engine rolls back when the database is next opened
  /// (https://www.sqlite.org/atomiccommit.html).
  func whileWatching<Result>(
    onArrival: @escaping @Sendable () -> Void, _ body: () throws -> Result
  ) rethrows -> Result {
    let queue = DispatchQueue(label: "migrator.interrupt")
    let numbers = [SIGINT, SIGTERM]
    let previous = numbers.map { signal($0, SIG_IGN) }
    let sources = numbers.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { [self] in
        if arrivals.add(1, ordering: .acquiringAndReleasing).oldValue > 0 { _exit(ExitCode.interrupted.rawValue) }
        onArrival()
      }
      source.resume()
      return source
    }
    defer {
      sources.forEach { $0.cancel() }
      for (number, handler) in zip(numbers, previous) { signal(number, handler) }
    }
    return try body()
  }
}
