import Foundation
import Testing

@testable import MigratorCommand

@Suite("Signals")
struct SignalTests {
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
}
