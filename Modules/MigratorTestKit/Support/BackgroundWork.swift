internal import Dispatch
internal import Migrator

/// Work that runs on another thread; a check can wait until the work is done.
struct BackgroundWork {
  private let isDone = DispatchSemaphore(value: 0)

  init(after pause: Duration = .zero, _ body: @escaping @Sendable () -> Void) {
    let isDone = isDone
    let parts = pause.components
    let nanoseconds = Int(parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000)
    // A separate queue gets a separate thread, even if there are already as many threads as processors.
    DispatchQueue(label: "MigratorTestKit").asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
      body()
      isDone.signal()
    }
  }

  func wait() { isDone.wait() }
}

/// A value that is passed to another thread.
///
/// `@unchecked Sendable` is correct because only one thread at a time uses the value: a check waits for the other
/// thread to end before it continues.
struct Handover<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
