internal import Dispatch
internal import Synchronization

extension Conversion {
  /// Converts on this thread, until the current task, if there is one, is cancelled.
  func runInTask() throws -> ConversionOutcome { try run { Task.isCancelled } }

  /// Converts on another thread, since a conversion blocks the one that it runs on.
  func runAside() async throws -> ConversionOutcome { try await Self.runAside { self } }

  /// Makes a conversion and runs it on another thread, where the providers of its keys may block, too.
  static func runAside(_ make: @escaping @Sendable () throws -> Conversion) async throws -> ConversionOutcome {
    let isCancelled = Flag()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(with: Result { try make().run { isCancelled.value } })
        }
      }
    } onCancel: {
      isCancelled.raise()
    }
  }

  /// Goes up once, on any thread.
  private final class Flag: Sendable {
    private let state = Atomic(false)

    var value: Bool { state.load(ordering: .relaxed) }

    func raise() { state.store(true, ordering: .relaxed) }
  }
}
