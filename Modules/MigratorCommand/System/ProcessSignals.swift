#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// What the process does about signals that would end it in the middle of a report.
enum ProcessSignals {
  /// Makes a limit on file sizes, and a reader that went away, errors of the call that met them.
  static func prepare() {
    signal(SIGXFSZ, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
  }

  /// Ends the process.
  static func exit(_ code: Int32) -> Never { systemExit(code) }
}

/// `exit(3)`, whose name the method above hides.
private func systemExit(_ code: Int32) -> Never { exit(code) }
