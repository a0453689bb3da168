import Foundation
import TestEngines

/// A process of the test worker that has a database open.
final class OtherProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts the process, which runs `first` at once and `second` when it is told to.
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

  /// Waits until the first script has run; what it said is lost.
  func waitUntilReady() {
    var said = Data()
    while said.range(of: Data("ready\n".utf8)) == nil {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return }
      said += more
    }
  }

  /// Lets the second script run, and gives what the process says.
  func finish() throws -> String {
    // The end of its input is a line, too; a process that has failed takes none.
    try input.fileHandleForWriting.close()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: said, as: UTF8.self)
  }
}
