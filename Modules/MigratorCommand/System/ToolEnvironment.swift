#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The environment of the tool: variables, streams, terminal and clock, as a value that tests replace.
struct ToolEnvironment: Sendable {
  /// The value of an environment variable; nil when it is not set.
  var variable: @Sendable (_ name: String) -> String?
  var isInputTerminal: Bool
  var isOutputTerminal: Bool
  var isErrorTerminal: Bool
  /// The width of the terminal in columns; 80 without a terminal.
  var width = 80
  /// Whether the terminal displays Unicode, according to the locale variables.
  var showsUnicode: Bool {
    // The first variable that is set counts: https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html,
    // 8.2.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(variable).first { !$0.isEmpty } ?? ""
    let folded = locale.lowercased()
    return folded.contains("utf-8") || folded.contains("utf8")
  }

  /// Prints to standard output; returns zero or the system's error number.
  var writeOutput: @Sendable (String) -> Int32
  var writeError: @Sendable (String) -> Void
  /// Reads a line from standard input, without its newline; returns nil at the end.
  var readLine: @Sendable () -> String?
  /// Asks a question on the terminal and reads a line without echo; returns nil at the end.
  var readSecret: @Sendable (_ question: String) -> ToolSecret?
  /// Prevents core dumps of a process that has read a key.
  ///
  /// Does nothing by default, since another program may host the tool.
  var forbidCoreDump: @Sendable () -> Void = {}
  /// The seconds since 1970, UTC.
  var now: @Sendable () -> Int
}

extension ToolEnvironment {
  /// This process's own standard streams, variables and clock.
  static var process: ToolEnvironment {
    ToolEnvironment(
      variable: variable,
      isInputTerminal: isatty(STDIN_FILENO) == 1,
      isOutputTerminal: isatty(STDOUT_FILENO) == 1,
      isErrorTerminal: isatty(STDERR_FILENO) == 1,
      width: terminalWidth(),
      writeOutput: { write($0, to: STDOUT_FILENO) },
      // There is no other place to report a failure.
      writeError: { _ = write($0, to: STDERR_FILENO) },
      readLine: { Swift.readLine() },
      readSecret: { HiddenInput.readLine(question: $0) },
      forbidCoreDump: SecretMemory.forbidCoreDump,
      now: { Int(time(nil)) })
  }

  /// Writes unbuffered, so that standard output and error keep their order on a terminal.
  private static func write(_ text: String, to descriptor: Int32) -> Int32 {
    let failure = SystemCalls.print(text, to: descriptor)
    // A reader that exits early (`migrator status | head -1`) is not an error.
    return failure == EPIPE ? 0 : failure
  }

  /// Reads a single variable, which is faster than copying the whole environment.
  @Sendable private static func variable(_ name: String) -> String? {
    // `getenv("A=B")` would find a variable A whose value begins with "B=".
    guard !name.utf8.contains(UInt8(ascii: "=")) else { return nil }
    return getenv(name).map { String(cString: $0) }
  }

  private static func terminalWidth() -> Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}

private enum HiddenInput {
  /// Returns the bytes up to the next newline; nil when the input is at its end, or is not a terminal.
  ///
  /// Restores the terminal before it returns, and also when a signal ends the process meanwhile. Turns the echo off
  /// before asking the question, so that an immediate answer is neither shown nor lost.
  static func readLine(question: String) -> ToolSecret? {
    var original = termios()
    guard tcgetattr(STDIN_FILENO, &original) == 0 else { return nil }
    let saved = original
    // Turns the echo on again when a signal arrives, and ends the process.
    let restore: SignalHub.Handler = { number in
      var original = saved
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &original)
      _ = SystemCalls.print("\n", to: STDERR_FILENO)
      _exit(128 + number)
    }
    return SignalHub.shared.handling([SIGINT, SIGTERM, SIGHUP, SIGQUIT], by: restore) {
      var hidden = original
      hidden.c_lflag &= ~tcflag_t(ECHO)
      guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { return nil }
      defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &original) }
      _ = SystemCalls.print(question, to: STDERR_FILENO)
      return readBytes()
    }
  }

  /// Reads one byte at a time, so that no part of the secret remains in a buffer of the standard library.
  private static func readBytes() -> ToolSecret? {
    var bytes: [UInt8] = []
    // Reserved in advance: a growing array leaves copies in memory.
    bytes.reserveCapacity(ToolSecret.maximumSizeInBytes)
    var byte: UInt8 = 0
    var hasEnded = false
    while bytes.count < ToolSecret.maximumSizeInBytes {
      let count = withUnsafeMutableBytes(of: &byte) { SystemCalls.readFully($0, from: STDIN_FILENO) }
      hasEnded = count <= 0
      if hasEnded || byte == UInt8(ascii: "\n") { break }
      bytes.append(byte)
    }
    byte = 0
    return hasEnded && bytes.isEmpty ? nil : ToolSecret(consuming: &bytes)
  }
}
