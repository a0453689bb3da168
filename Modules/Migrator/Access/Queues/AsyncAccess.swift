internal import Synchronization

/// One access of a task, which ends it when the task is cancelled.
final class AsyncAccess: Sendable {
  private enum State {
    case waiting, running(AccessCancellation), ended, cancelled
  }

  private let state = Mutex(State.waiting)

  /// Runs the access unless its task was cancelled while it waited for its turn.
  func run<Result>(on db: Database, _ body: (Database) throws -> Result) throws -> Result {
    let cancellation = db.context.cancellation
    try state.withLock { state throws(CancellationError) in
      if case .cancelled = state { throw CancellationError() }
      state = .running(cancellation)
    }
    defer {
      state.withLock { $0 = .ended }
      cancellation.reset()
    }
    return try body(db)
  }

  /// Ends the access if it has not ended.
  ///
  /// The lock is held meanwhile, so that the next access is never hit.
  func cancel(_ interrupter: (any ConnectionInterrupter)?) {
    state.withLock { state in
      switch state {
      case .running(let cancellation):
        cancellation.request()
        interrupter?.interrupt()
      case .waiting: state = .cancelled
      case .ended, .cancelled: break
      }
    }
  }
}
