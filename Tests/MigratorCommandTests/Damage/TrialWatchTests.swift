import Foundation
import TestEngines
import Testing

@Suite("The watch over trials")
struct TrialWatchTests {
  @Test("A trial that waits without using the processor ends the process")
  func waiting() async {
    await #expect(processExitsWith: .signal(SIGABRT)) {
      // The limit by the clock is 1.2 seconds.
      TrialWatch("waiting-trial", limit: .milliseconds(200)).run("a trial that waits") { _ = sleep(8) }
    }
  }
}
