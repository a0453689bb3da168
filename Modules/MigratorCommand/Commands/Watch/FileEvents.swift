internal import Dispatch

/// Tells that something may have happened to files; what happened is for others to find out.
protocol FileEvents: AnyObject, Sendable {
  /// Watches these folders and files from now on, and no others that it can do without.
  func watch(folders: [String], files: [String])

  /// Waits until something may have happened, or so long.
  ///
  /// - Parameter milliseconds: Nil to wait for ever.
  func wait(milliseconds: Int?)

  /// Ends a wait, from any thread; one that begins later, too.
  func wake()
}

/// Events for systems that tell of none, and for those that have no watch left: waits a little, and lets others look.
final class PollingEvents: FileEvents {
  /// How often is looked.
  private static let interval = 40

  private let semaphore = DispatchSemaphore(value: 0)

  func watch(folders: [String], files: [String]) {}

  func wait(milliseconds: Int?) {
    let limit = min(milliseconds ?? Self.interval, Self.interval)
    guard semaphore.wait(timeout: .now() + .milliseconds(limit)) == .success else { return }
    // Whoever was woken once stays awake.
    semaphore.signal()
  }

  func wake() { semaphore.signal() }
}
