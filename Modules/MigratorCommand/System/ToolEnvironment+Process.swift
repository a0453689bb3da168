#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension ToolEnvironment {
  /// This process's own standard streams, variables and clock.
  package static var process: ToolEnvironment {
    var environment = ToolEnvironment(
      variables: [:],
      isInputTerminal: isatty(STDIN_FILENO) == 1,
      isOutputTerminal: isatty(STDOUT_FILENO) == 1,
      isErrorTerminal: isatty(STDERR_FILENO) == 1,
      width: terminalWidth(),
      writeOutput: { write($0, to: STDOUT_FILENO) },
      // There is nowhere left to complain.
      writeError: { _ = write($0, to: STDERR_FILENO) },
      readLine: { Swift.readLine() },
      readSecret: { HiddenInput.readLine(question: $0) },
      now: { Int(time(nil)) })
    environment.variable = variable
    environment.forbidCoreDump = { CoreDump.forbid() }
    return environment
  }

  /// Writes unbuffered, so that standard output and error keep their order on a terminal.
  private static func write(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    let failure = text.withUTF8 { SystemCalls.writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
    // A reader that went away (`migrator status | head -1`) is no error of the tool's.
    return failure == EPIPE ? 0 : failure
  }

  /// Asks the system for one variable: all of them, of which few are ever asked for, take longer to copy.
  @Sendable private static func variable(_ name: String) -> String? {
    // `getenv` would take what stands before the first "=" of a value for a part of the name.
    guard !name.utf8.contains(UInt8(ascii: "=")) else { return nil }
    return getenv(name).map { String(cString: $0) }
  }

  private static func terminalWidth() -> Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
