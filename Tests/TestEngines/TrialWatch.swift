import Dispatch
import Foundation
import Migrator

/// A watch over the trials of a test, which ends the process if one does not end.
///
/// A small file contains the trial that is running, for the case that the process crashes.
package final class TrialWatch {
  private struct Trial: Sendable {
    let description: String
    let processorTime: Duration
    let start: SuspendingClock.Instant
  }

  private let trial = Lock<Trial?>(nil)
  private let timer: any DispatchSourceTimer
  private let descriptor: Int32
  private let path: String

  /// Starts watching.
  ///
  /// A trial may also take six times as long as `limit` by the clock: a trial that waits uses no processor time, but on a
  /// loaded machine a trial that works gets only a part of it.
  ///
  /// - Parameter limit: The longest processor time of the process during a trial. Other tests of the process use
  ///   processor time, too.
  package init(_ name: String, limit: Duration) {
    path = FileManager.default.temporaryDirectory.path + "/migrator-\(name)-\(getpid()).trial"
    descriptor = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0o600)
    print("\(name): after a crash, \(path) contains the trial")
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "migrator.trials"))
    timer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1))
    timer.setEventHandler { [trial] in
      guard let trial = trial.withLock({ $0 }) else { return }
      let isHanging = Self.processorTime() - trial.processorTime > limit || .now - trial.start > limit * 6
      guard isHanging else { return }
      FileHandle.standardError.write(Data("does not end: \(trial.description)\n".utf8))
      abort()
    }
    timer.activate()
  }

  deinit {
    timer.cancel()
    close(descriptor)
    unlink(path)
  }

  /// Runs a trial.
  package func run<Value>(_ description: String, _ body: () throws -> Value) rethrows -> Value {
    let line = Array((description + "\n").utf8)
    ftruncate(descriptor, pwrite(descriptor, line, line.count, 0))
    trial.withLock { $0 = Trial(description: description, processorTime: Self.processorTime(), start: .now) }
    defer { trial.withLock { $0 = nil } }
    return try body()
  }

  /// Returns the processor time that this process has used, or the thread that calls.
  package static func processorTime(ofThread: Bool = false) -> Duration {
    var time = timespec()
    clock_gettime(ofThread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
