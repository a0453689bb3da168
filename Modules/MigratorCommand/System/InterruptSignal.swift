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
  func whileWatching<Result, Failure: Error>(
    onArrival: @escaping @Sendable () -> Void, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let handler: SignalHub.Handler = { [self] _ in
      if arrivals.add(1, ordering: .acquiringAndReleasing).oldValue > 0 { _exit(ExitCode.interrupted.rawValue) }
      onArrival()
    }
    return try SignalHub.shared.handling([SIGINT, SIGTERM], by: handler, body)
  }
}
