internal import Foundation

/// A program that ran until its end, without a terminal.
package struct ProgramRun: Sendable {
  /// The text that the program printed.
  package let output: String
  /// The text that the program printed as errors; empty if it is part of the output.
  package let errors: String
  /// The exit code, or the number of the signal that ended the program.
  package let exitCode: Int32

  /// Runs a program until it ends.
  ///
  /// The input, and the errors if they are separate, must be shorter than the buffer of a pipe.
  ///
  /// - Parameters:
  ///   - program: The path of the program, followed by its arguments.
  ///   - folder: The working folder; nil for that of this process.
  ///   - variables: The variables of its environment, in addition to those of this process.
  ///   - mergesErrors: Whether the output contains the errors.
  package init(
    _ program: [String], in folder: String? = nil, input: String = "", variables: [String: String] = [:],
    mergesErrors: Bool = false
  ) throws {
    let process = Process()
    let (to, from, complaints) = (Pipe(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: program[0])
    process.arguments = Array(program.dropFirst())
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    process.standardInput = input.isEmpty ? FileHandle.nullDevice : to
    process.standardOutput = from
    process.standardError = mergesErrors ? from : complaints
    try process.run()
    if !input.isEmpty { try to.fileHandleForWriting.write(contentsOf: Data(input.utf8)) }
    try to.fileHandleForWriting.close()
    output = String(decoding: from.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    errors = mergesErrors ? "" : String(decoding: complaints.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    exitCode = process.terminationStatus
  }
}
