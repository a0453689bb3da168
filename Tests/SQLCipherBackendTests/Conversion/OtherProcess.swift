import Foundation
import TestEngines

/// A process of the test worker that has a database open.
final class OtherProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts the process, which runs `first` immediately and `second` on request.
  init(
    _ trial: ConversionTrial, isConverted: Bool = false, patience: Int = 0, _ first: String, then second: String = ""
  ) throws {
    process.executableURL = try TestWorkerProgram.url
    process.arguments = [
      trial.engine.rawValue, trial.path, "access", trial.conversion.rawValue, isConverted ? "after" : "before",
      "\(patience)", first, second,
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Waits until the first script has run; discards its output.
  func waitUntilReady() {
    var said = Data()
    while said.range(of: Data("ready\n".utf8)) == nil {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return }
      said += more
    }
  }

  /// Runs the second script, and returns the output of the process.
  func finish() throws -> String {
    // The end of its input also counts as a line; a process that has failed reads none.
    try input.fileHandleForWriting.close()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: said, as: UTF8.self)
  }
}
