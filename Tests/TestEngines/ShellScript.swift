internal import Foundation

/// A script for `bash`, such as one that builds a program.
package enum ShellScript {
  /// The script failed.
  package struct Failure: Error, CustomStringConvertible {
    /// The script and what it printed.
    package let description: String
  }

  /// Runs a script in a folder until it ends, and returns what it printed; the first command that fails ends it.
  ///
  /// - Parameter variables: The variables of its environment, in addition to those of this process.
  @discardableResult
  package static func run(_ script: String, in folder: String, variables: [String: String] = [:]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-euo", "pipefail", "-c", "exec 2>&1\n" + script]
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(description: "\(script)\n\(output)") }
    return output
  }
}
