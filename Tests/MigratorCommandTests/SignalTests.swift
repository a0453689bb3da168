import Foundation
import Migrator
import Testing

@testable import MigratorCommand

@Suite("Signals")
struct SignalTests {
  @Test("A signal that arrives before the end of the work is handled before the handler is removed")
  func lastMoment() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<500 {
        let count = Lock(0)
        SignalHub.shared.handling([SIGUSR1], by: { _ in count.withLock { $0 += 1 } }, { _ = raise(SIGUSR1) })
        if count.withLock({ $0 }) != 1 { exit(1) }
      }
    }
  }

  @Test("Ctrl-C at the very start of the work cancels it, and does not end the process")
  func firstMoment() async {
    await #expect(processExitsWith: .success) {
      // The handler is installed each time.
      for _ in 0..<50 {
        let result: Result<Void, any Error> = InterruptSignal().result {
          kill(getpid(), SIGINT)
          try await Task.sleep(for: .seconds(60))
        }
        if case .failure(let error) = result, error is CancellationError { continue }
        exit(1)
      }
    }
  }

  @Test(
    "A signal calls the function once more if the work is still running, since engines may forget an interruption"
  )
  func secondNotice() {
    let signal = InterruptSignal()
    let (calls, second) = (Lock(0), DispatchSemaphore(value: 0))
    signal.whileWatching {
      if calls.withLock({ count in
        count += 1; return count
      }) == 2 {
        second.signal()
      }
    } _: {
      signal.arrive()
      #expect(second.wait(timeout: .now() + 30) == .success)
    }
    #expect(calls.withLock { $0 } == 2)
  }
}
