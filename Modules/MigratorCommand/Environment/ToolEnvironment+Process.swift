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
      variables: environmentVariables(),
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

  /// The environment's variables; of several with one name the first, as `getenv` has it.
  private static func environmentVariables() -> [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      next += 1
      let text = String(cString: entry)
      guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(text[..<mark])
      if variables[name] == nil { variables[name] = String(text[text.utf8.index(after: mark)...]) }
    }
    return variables
  }

  private static func terminalWidth() -> Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
