#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Reads from the terminal without showing what is typed.
enum HiddenInput {
  /// The bytes up to the next newline; nil when the input ends before any, or is no terminal.
  ///
  /// The terminal is as it was before when the call returns, and also when a signal ends the process meanwhile. The
  /// question comes when nothing is shown any more: whoever answers at once must not be seen, nor lose what he typed.
  static func readLine(question: String) -> ToolSecret? {
    var original = termios()
    guard tcgetattr(STDIN_FILENO, &original) == 0 else { return nil }
    let saved = original
    // Shows what is typed again when a signal ends the process, and ends it then.
    let restore: SignalHub.Handler = { number in
      var original = saved
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &original)
      _ = "\n".utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, 1) }
      _exit(128 + number)
    }
    return SignalHub.shared.handling([SIGINT, SIGTERM, SIGHUP, SIGQUIT], by: restore) {
      var hidden = original
      hidden.c_lflag &= ~tcflag_t(ECHO)
      guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { return nil }
      defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &original) }
      var question = question
      _ = question.withUTF8 { SystemCalls.writeAll(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
      return readBytes()
    }
  }

  /// One byte at a time, so that nothing of the secret stays behind in a buffer of the standard library.
  private static func readBytes() -> ToolSecret? {
    var bytes: [UInt8] = []
    // Grown at once: a growing array leaves copies behind.
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
