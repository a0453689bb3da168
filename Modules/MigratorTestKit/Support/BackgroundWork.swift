internal import Dispatch
internal import Migrator

/// Work on another thread, with a wait for its end.
struct BackgroundWork {
  private let isDone = DispatchSemaphore(value: 0)

  init(after pause: Duration = .zero, _ body: @escaping @Sendable () -> Void) {
    let isDone = isDone
    let parts = pause.components
    let nanoseconds = Int(parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000)
    // A separate queue gets a separate thread, even if as many threads run as there are processors.
    DispatchQueue(label: "MigratorTestKit").asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
      body()
      isDone.signal()
    }
  }

  func wait() { isDone.wait() }
}

/// Passes a value to another thread.
///
/// `@unchecked Sendable` is correct because checks use the value on one thread at a time: they wait for the end of the
/// other thread before they continue.
struct Handover<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
