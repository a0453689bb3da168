internal import Foundation

/// A process that runs the test worker.
package final class WorkerProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts a worker.
  ///
  /// - Parameter environment: Additional environment variables.
  package convenience init(
    _ engine: TestEngine, _ arguments: String..., environment: [String: String] = [:]
  ) throws {
    try self.init(engine, arguments, environment: environment)
  }

  /// Starts a worker with a list of arguments.
  ///
  /// - Parameter mergesErrors: Whether the output contains what the worker prints as errors.
  package init(
    _ engine: TestEngine, _ arguments: [String], environment: [String: String] = [:], mergesErrors: Bool = false
  ) throws {
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.executableURL = try TestWorkerProgram.url
    process.arguments = [engine.rawValue] + arguments
    process.standardInput = input
    process.standardOutput = output
    if mergesErrors { process.standardError = output }
    try process.run()
  }

  /// Waits until the worker reports that it is ready.
  package func waitUntilReady() { waitForLines(1) }

  /// Waits until the worker has printed this text, or has ended; discards the output.
  package func wait(for text: String) {
    var said = Data()
    while said.range(of: Data(text.utf8)) == nil {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return }
      said += more
    }
  }

  /// Waits until the worker has printed this many more lines, or has ended.
  package func waitForLines(_ count: Int) {
    var missing = count
    while missing > 0 {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return }
      missing -= more.count { $0 == UInt8(ascii: "\n") }
    }
  }

  /// Lets the worker start its work.
  package func go() throws { try input.fileHandleForWriting.write(contentsOf: Data("go\n".utf8)) }

  /// Kills the worker at once.
  package func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Whether the worker is running.
  package var isRunning: Bool { process.isRunning }

  /// Whether a signal ended the worker; valid after its end.
  package var isKilled: Bool { process.terminationReason == .uncaughtSignal }

  /// The signal that ended the worker, nil for none; valid after its end.
  package var signal: Int32? { isKilled ? process.terminationStatus : nil }

  /// Waits for the worker to end, and returns its output since it was ready, and its exit code.
  ///
  /// - Parameter endingInput: Whether to end the worker's input first, which lets it continue.
  package func finish(endingInput: Bool = false) throws -> (code: Int32, output: String) {
    if endingInput { try input.fileHandleForWriting.close() }
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
  }
}
