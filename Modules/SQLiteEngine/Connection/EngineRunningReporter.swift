internal import CSQLiteLoader
internal import Migrator

extension EngineConnection {
  /// Calls a closure periodically while statements of this connection run.
  ///
  /// The closure must not use the connection (https://www.sqlite.org/c3ref/progress_handler.html). This closure
  /// replaces an earlier one.
  ///
  /// - Parameters:
  ///   - instructions: The approximate number of virtual machine instructions between two calls, at least 1; a million
  ///     instructions take some tens of milliseconds.
  ///   - handler: Returns true to continue, or false to interrupt the statement; nil to stop the calls.
  package func setProgressHandler(everyInstructions instructions: Int, handler: (() -> Bool)?) {
    guard let handle else { return }
    guard let handler else {
      library.functions.progress_handler(handle.database, 0, nil, nil)
      handle.progress = nil
      return
    }
    let progress = ProgressHandler(handler)
    library.functions.progress_handler(
      handle.database, Int32(clamping: max(instructions, 1)),
      { context in
        guard let context else { return 0 }
        return Unmanaged<ProgressHandler>.fromOpaque(context).takeUnretainedValue().handler() ? 0 : 1
      }, Unmanaged.passUnretained(progress).toOpaque())
    // Release the earlier closure only now, when the engine no longer refers to it.
    handle.progress = progress
  }
}

/// A reporter that calls back every few thousand virtual machine instructions, which take less than a millisecond.
final class EngineRunningReporter: RunningReporter {
  private let connection: EngineConnection

  init(_ connection: EngineConnection) { self.connection = connection }

  func start(_ report: @escaping () -> Void) {
    connection.setProgressHandler(everyInstructions: 5_000) {
      report()
      return true
    }
  }

  func stop() { connection.setProgressHandler(everyInstructions: 0, handler: nil) }
}
