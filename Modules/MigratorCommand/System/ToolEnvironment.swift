internal import Migrator

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The environment of the tool: variables, streams, terminal, clock and limit, as a value that tests can replace.
struct ToolEnvironment: Sendable {
  /// The variable by which a program knows that `watch` runs it again after each save.
  static let watchVariable = "MIGRATOR_WATCHED"

  /// Returns the value of an environment variable; nil if it is not set.
  var variable: @Sendable (_ name: String) -> String?
  var isInputTerminal: Bool
  var isOutputTerminal: Bool
  var isErrorTerminal: Bool
  /// The width of the terminal in columns; 80 without a terminal.
  var width = 80
  /// Whether the terminal displays Unicode, according to the locale variables.
  var showsUnicode: Bool {
    // The first variable that is set applies
    // (https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html, 8.2).
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(variable).first { !$0.isEmpty } ?? ""
    let folded = locale.lowercased()
    return folded.contains("utf-8") || folded.contains("utf8")
  }

  /// Prints to standard output; returns zero or the system's error number.
  var writeOutput: @Sendable (String) -> Int32
  var writeError: @Sendable (String) -> Void
  /// Reads a line from standard input, without its newline; returns nil at the end of the input.
  var readLine: @Sendable () -> String?
  /// Asks a question on the terminal and reads a line without echo; returns nil at the end of the input.
  var readSecret: @Sendable (_ question: String) -> ToolSecret?
  /// Prevents core dumps of the process, which has read a key.
  ///
  /// Does nothing by default, since the process may belong to another program that contains the tool.
  var forbidCoreDump: @Sendable () -> Void = {}
  /// Returns the number of seconds since 1970, UTC.
  var now: @Sendable () -> Int
  /// The duration of the longest statement of a migration on a scratch database.
  var longestScratchStatement = Duration.longestScratchStatement
}

extension ToolEnvironment {
  /// The standard streams, variables and clock of this process.
  static var process: ToolEnvironment {
    ToolEnvironment(
      variable: variable,
      isInputTerminal: isatty(STDIN_FILENO) == 1,
      isOutputTerminal: isatty(STDOUT_FILENO) == 1,
      isErrorTerminal: isatty(STDERR_FILENO) == 1,
      width: terminalWidth(),
      writeOutput: { write($0, to: STDOUT_FILENO) },
      // A failure to write to standard error cannot be reported anywhere.
      writeError: { _ = write($0, to: STDERR_FILENO) },
      readLine: { Swift.readLine() },
      readSecret: { HiddenInput.readLine(question: $0) },
      forbidCoreDump: SecretMemory.forbidCoreDump,
      now: { Int(time(nil)) })
  }

  /// A lock that makes threads write one after the other, since the system may accept only a part of a text at a time.
  ///
  /// There is one for both streams, which may be the same pipe.
  private static let streams = Lock(())

  /// Writes without a buffer, so that standard output and standard error keep their order on a terminal.
  private static func write(_ text: String, to descriptor: Int32) -> Int32 {
    let failure = streams.withLock { _ in SystemCalls.print(text, to: descriptor) }
    // It is not an error if the reader exits early (`migrator status | head -1`).
    return failure == EPIPE ? 0 : failure
  }

  /// Reads only one variable, which is faster than copying the whole environment.
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
  /// Returns the bytes up to the next newline; nil if the input has ended or is not a terminal.
  ///
  /// Restores the terminal before it returns, even if a signal ends the process. Turns the echo off before it prints
  /// the question, so that an immediate answer is neither shown nor lost.
  static func readLine(question: String) -> ToolSecret? {
    var original = termios()
    guard tcgetattr(STDIN_FILENO, &original) == 0 else { return nil }
    let saved = original
    // If a signal arrives, the handler turns the echo on again and ends the process.
    let restore: SignalHub.Handler = { number in
      var original = saved
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &original)
      _ = SystemCalls.print("\n", to: STDERR_FILENO)
      _exit(128 + number)
    }
    return SignalHub.shared.handling([SIGINT, SIGTERM, SIGHUP, SIGQUIT], by: restore) {
      let isAsking = Lock(false)
      let ask: @Sendable (_ isFirst: Bool) -> Bool = { isFirst in
        isAsking.withLock { isAsking in
          guard isAsking || isFirst else { return false }
          var hidden = saved
          hidden.c_lflag &= ~tcflag_t(ECHO)
          guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { return false }
          isAsking = true
          _ = SystemCalls.print((isFirst ? "" : "\r") + question, to: STDERR_FILENO)
          return true
        }
      }
      defer {
        isAsking.withLock { isAsking in
          isAsking = false
          tcsetattr(STDIN_FILENO, TCSAFLUSH, &original)
        }
      }
      // A shell turns the echo on when Ctrl-Z stops the process, and does not turn it off when the process continues.
      return SignalHub.shared.handling([SIGCONT], by: { _ in _ = ask(false) }) { ask(true) ? readBytes() : nil }
    }
  }

  /// Reads byte by byte, so that no part of the secret remains in a buffer of the standard library.
  private static func readBytes() -> ToolSecret? {
    var bytes: [UInt8] = []
    // The capacity is reserved in advance, because a growing array leaves copies in memory.
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
