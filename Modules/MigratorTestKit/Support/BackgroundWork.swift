internal import Dispatch
internal import Migrator

/// Work on another thread, which the check waits for.
struct BackgroundWork {
  private let isDone = DispatchSemaphore(value: 0)

  init(after pause: Duration = .zero, _ body: @escaping @Sendable () -> Void) {
    let isDone = isDone
    let parts = pause.components
    let nanoseconds = Int(parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000)
    // A queue of its own has a thread of its own, even where as many threads run as there are processors.
    DispatchQueue(label: "MigratorTestKit").asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
      body()
      isDone.signal()
    }
  }

  func wait() { isDone.wait() }
}

/// Carries something to another thread.
///
/// `@unchecked Sendable` is right because checks touch the value on one thread at a time: they wait for the other one's
/// end before they go on.
struct Handover<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
