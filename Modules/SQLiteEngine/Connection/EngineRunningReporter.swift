internal import CSQLiteLoader
internal import Migrator

extension EngineConnection {
  /// Calls a closure periodically while statements of this connection run: every few thousand virtual machine
  /// instructions, which take less than a millisecond; nil stops the calls.
  ///
  /// The closure returns false to interrupt the statement, and must not use the connection
  /// (https://www.sqlite.org/c3ref/progress_handler.html).
  package func setProgressHandler(_ handler: (() -> Bool)?) {
    guard let handle else { return }
    guard let handler else {
      library.functions.progress_handler(handle.database, 0, nil, nil)
      handle.progress = nil
      return
    }
    let progress = Box(handler)
    library.functions.progress_handler(
      handle.database, 5000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Box<() -> Bool>>.fromOpaque(context).takeUnretainedValue().value() ? 0 : 1
      }, Unmanaged.passUnretained(progress).toOpaque())
    // Release the earlier closure only now, when the engine no longer refers to it.
    handle.progress = progress
  }
}

/// A reporter that calls back through the engine's progress handler.
final class EngineRunningReporter: RunningReporter {
  private let connection: EngineConnection

  init(_ connection: EngineConnection) { self.connection = connection }

  func start(_ report: @escaping () -> Void) {
    connection.setProgressHandler {
      report()
      return true
    }
  }

  func stop() { connection.setProgressHandler(nil) }
}
