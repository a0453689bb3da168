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
    let run = try ProgramRun(
      ["/bin/bash", "-euo", "pipefail", "-c", script], in: folder, variables: variables, mergesErrors: true)
    guard run.exitCode == 0 else { throw Failure(description: "\(script)\n\(run.output)") }
    return run.output
  }
}
