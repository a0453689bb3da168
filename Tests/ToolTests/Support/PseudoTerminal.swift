#if os(Linux)
  import Foundation
  import Glibc
  import TestEngines

  /// A pseudo-terminal that a test uses like a user: pty(7).
  final class PseudoTerminal {
    /// Everything that was printed so far.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// A read may end within a character, so the text is decoded from all bytes.
    private var bytes: [UInt8] = []
    private let master: Int32
    private let slave: Int32
    private var process: Process?

    /// Opens a terminal with a number of columns.
    init(columns: UInt16 = 80) throws {
      master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var locked: Int32 = 0
      var number: UInt32 = 0
      // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), which Swift does not import from the C library's header.
      guard master >= 0, ioctl(master, 0x4004_5431, &locked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
        throw CocoaError(.fileReadUnknown)
      }
      slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
      _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    deinit {
      close(master)
      close(slave)
    }

    /// Starts the tool, or another program whose path is given, as the foreground process of the terminal.
    func start(
      _ arguments: [String], folder: String, variables: [String: String] = [:],
      executable: String? = nil
    ) throws {
      let process = Process()
      let terminal = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
      // Ctrl-C reaches the processes of the terminal's session, which setsid(1) creates.
      process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
      process.arguments = ["--ctty", "--wait", try executable ?? ToolProcess.executable().path] + arguments
      process.currentDirectoryURL = URL(fileURLWithPath: folder)
      process.environment = ["PATH": "/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8"]
        .merging(Sanitizer.variables) { $1 }.merging(variables) { $1 }
      process.standardInput = terminal
      process.standardOutput = terminal
      process.standardError = terminal
      try process.run()
      self.process = process
    }

    /// Types text.
    func type(_ keys: String) {
      _ = keys.utf8CString.withUnsafeBufferPointer { write(master, $0.baseAddress, $0.count - 1) }
    }

    /// Stops and continues the tool, and turns the echo on in between, as a shell does after Ctrl-Z and `fg`.
    func stopAndContinue() {
      // The tool is the only process of the terminal's foreground group, of which setsid(1) makes it the leader.
      let group = tcgetpgrp(master)
      guard group > 1 else { return }
      Glibc.kill(-group, SIGSTOP)
      var attributes = termios()
      tcgetattr(slave, &attributes)
      attributes.c_lflag |= tcflag_t(ECHO)
      tcsetattr(slave, TCSANOW, &attributes)
      Glibc.kill(-group, SIGCONT)
    }

    /// Kills the tool.
    func kill() {
      let group = tcgetpgrp(master)
      guard group > 1 else { return }
      _ = Glibc.kill(-group, SIGKILL)
    }

    /// Reads until a text is printed.
    ///
    /// - Returns: False when the program ended without printing it, or took longer.
    func waits(for expected: String, atMost limit: Duration = .seconds(60)) -> Bool {
      let end = ContinuousClock.now + limit
      while !text.contains(expected) {
        let isRunning = process?.isRunning ?? true
        guard readSome(milliseconds: 100) || (isRunning && .now < end) else { return false }
      }
      return true
    }

    /// Discards the output so far.
    func forget() { bytes = [] }

    /// Discards the output up to and including the first occurrence of a text, if it was printed.
    func forget(upTo end: String) {
      if let range = bytes.firstRange(of: Array(end.utf8)) { bytes.removeSubrange(..<range.upperBound) }
    }

    /// Reads until the program ends.
    ///
    /// - Returns: The exit code.
    func end() -> Int32 {
      while process?.isRunning ?? false { _ = readSome(milliseconds: 50) }
      while readSome(milliseconds: 0) {}
      return process?.terminationStatus ?? -1
    }

    /// Whether the terminal echoes input, and reads whole lines.
    var isCooked: Bool {
      var attributes = termios()
      return tcgetattr(slave, &attributes) == 0 && attributes.c_lflag & tcflag_t(ECHO) != 0
        && attributes.c_lflag & tcflag_t(ICANON) != 0
    }

    private func readSome(milliseconds: Int32 = 60_000) -> Bool {
      var descriptor = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, milliseconds) > 0 else { return false }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(master, &buffer, buffer.count)
      guard count > 0 else { return false }
      bytes += buffer.prefix(count)
      return true
    }
  }
#endif
