import Foundation
import TestCluster

/// A run of the tool in a process, which ends with this value.
final class ToolProcess {
  private let process = Process()
  private let path: String
  private let hasEnded = DispatchSemaphore(value: 0)

  /// Starts the tool in a folder, with its output in a file.
  init(_ arguments: [String], in folder: String, output path: String) throws {
    self.path = path
    process.executableURL = URL(
      fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    ).deletingLastPathComponent().appendingPathComponent("MigratorProgram")
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    guard let file = FileHandle(forWritingAtPath: path) else { throw CocoaError(.fileNoSuchFile) }
    process.standardOutput = file
    process.standardError = file
    process.standardInput = FileHandle.nullDevice
    process.terminationHandler = { [hasEnded] _ in hasEnded.signal() }
    try process.run()
  }

  deinit {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }

  /// Whether the process runs.
  var isRunning: Bool { process.isRunning }

  /// The output up to now.
  var output: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

  /// Waits for the end, and returns the exit code; nil if the process does not end.
  func wait() -> Int32? {
    guard hasEnded.wait(timeout: .now() + 120) == .success else { return nil }
    hasEnded.signal()
    return process.terminationStatus
  }
}
