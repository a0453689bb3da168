internal import Dispatch

/// An access that is interrupted if its task is canceled.
final class AsyncAccess: Sendable {
  private enum State {
    case waiting
    case running(AccessCancellation, DatabaseInterrupter)
    case ended
    case cancelled
  }

  private let state = Lock(State.waiting)

  /// Runs the access, unless its task was canceled while the access waited.
  func run<Result>(on db: Database, _ body: (Database) throws -> Result) throws -> Result {
    let cancellation = db.context.cancellation
    let interrupter = db.interrupter
    try state.withLock { state throws(CancellationError) in
      if case .cancelled = state { throw CancellationError() }
      state = .running(cancellation, interrupter)
    }
    defer {
      state.withLock { $0 = .ended }
      cancellation.reset()
    }
    do {
      return try body(db)
    } catch let error as DatabaseError where error.condition == .interrupted && cancellation.isRequested {
      throw CancellationError()
    }
  }

  /// Interrupts the access if it has not ended.
  ///
  /// Holds the lock while it interrupts, so that the interrupt cannot affect the next access.
  func cancel() {
    let isUnnoticed = state.withLock { state in
      switch state {
      case .running(let cancellation, let interrupter):
        cancellation.request()
        guard !cancellation.isNoticed else { return false }
        if !cancellation.isFinishing { interrupter.interrupt() }
        return true
      case .waiting:
        state = .cancelled
        return false
      case .ended, .cancelled: return false
      }
    }
    guard isUnnoticed else { return }
    // An interrupt has no effect on a statement that is about to begin
    // (https://www.sqlite.org/c3ref/interrupt.html), and that statement may run forever.
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { self.cancel() }
  }
}
