import Foundation
import TestEngines
import Testing

/// The built tool, run as users run it.
struct ToolProcess {
  /// The output of a run, and its exit code.
  struct Outcome {
    var output: String
    var errors: String
    var exitCode: Int32

    /// The objects that a command printed, one on each line.
    func objects() throws -> [[String: Any]] {
      try output.split(separator: "\n").map { line in
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      }
    }
  }

  /// The working folder.
  var folder: String
  /// The environment variables, besides PATH.
  var variables: [String: String] = [:]

  /// The folder of the test bundle, which contains the programs of the package.
  static var programs: URL {
    #if os(Linux)
      let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    #else
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
    #endif
    return bundle.deletingLastPathComponent()
  }

  private static let link = Result {
    let link = URL(fileURLWithPath: try TemporaryFolder.forThisRun()).appendingPathComponent("migrator")
    try FileManager.default.createSymbolicLink(
      at: link, withDestinationURL: programs.appendingPathComponent("MigratorProgram"))
    return link
  }

  /// Returns the tool's executable, with the name that it has when it is installed.
  static func executable() throws -> URL { try link.get() }

  /// Returns a folder that contains only the tool's executable, for the search path of a shell.
  static func folder() throws -> String { try link.get().deletingLastPathComponent().path }

  /// Runs the tool until it exits, without a terminal and without input.
  func run(_ arguments: [String]) throws -> Outcome {
    try run(Self.executable(), arguments)
  }

  /// Runs a shell command, in which `migrator` is the tool.
  func shell(_ command: String) throws -> Outcome {
    try run(URL(fileURLWithPath: "/bin/sh"), ["-c", command])
  }

  /// Starts a shell command, in which `migrator` is the tool.
  func startShell(_ command: String) throws -> Process {
    let (process, _, _) = try make(URL(fileURLWithPath: "/bin/sh"), ["-c", command])
    try process.run()
    return process
  }

  /// Starts the tool; its output is a pipe.
  func start(_ arguments: [String]) throws -> (process: Process, output: FileHandle, errors: FileHandle) {
    let (process, output, errors) = try make(Self.executable(), arguments)
    try process.run()
    return (process, output.fileHandleForReading, errors.fileHandleForReading)
  }

  /// Starts the tool; its output and its errors are one pipe.
  func startMerged(_ arguments: [String]) throws -> (process: Process, output: FileHandle) {
    let (process, output, _) = try make(Self.executable(), arguments)
    process.standardError = output
    try process.run()
    return (process, output.fileHandleForReading)
  }

  /// Runs a program until it exits, without a terminal and without input.
  func run(_ executable: URL, _ arguments: [String]) throws -> Outcome {
    let (process, output, errors) = try make(executable, arguments)
    try process.run()
    // Both fit into a pipe, so reading one after the other cannot block.
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    let complained = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(
      output: String(decoding: printed, as: UTF8.self), errors: String(decoding: complained, as: UTF8.self),
      exitCode: process.terminationStatus)
  }

  private func make(_ executable: URL, _ arguments: [String]) throws -> (Process, Pipe, Pipe) {
    let process = Process()
    let output = Pipe()
    let errors = Pipe()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    let tools = try Self.folder()
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    process.environment = ["PATH": "\(tools):\(path)"].merging(Sanitizer.variables) { $1 }.merging(variables) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    return (process, output, errors)
  }
}
