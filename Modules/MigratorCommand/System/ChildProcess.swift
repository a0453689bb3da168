#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Another program, run to its end.
enum ChildProcess {
  struct Outcome {
    var output: String
    var errors: String
    /// Its exit code; negative for a signal.
    var status: Int32
  }

  /// Runs a program that is found in PATH.
  ///
  /// The program must read all of its input before it prints more than a pipe holds.
  ///
  /// - Parameter arguments: The program's name and its arguments.
  static func run(_ arguments: [String], input: String) throws(SystemFailure) -> Outcome {
    let name = arguments.first ?? ""
    let pipes = try [Pipe(), Pipe(), Pipe()]
    defer { pipes.forEach { $0.close() } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipes[0].reading, 0)
    posix_spawn_file_actions_adddup2(&actions, pipes[1].writing, 1)
    posix_spawn_file_actions_adddup2(&actions, pipes[2].writing, 2)
    var words = arguments.map { strdup($0) } + [nil]
    var variables = Self.variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var process = pid_t()
    let number = posix_spawnp(&process, name, &actions, nil, &words, &variables)
    guard number == 0 else { throw SystemFailure("\(name) cannot be run", number) }
    pipes[0].closeReading()
    pipes[1].closeWriting()
    pipes[2].closeWriting()
    // A program that reads nothing says why on standard error; the failure to write to it adds nothing.
    _ = SystemCalls.print(input, to: pipes[0].writing)
    pipes[0].closeWriting()
    let output = pipes[1].readAll()
    let errors = pipes[2].readAll()
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    return Outcome(
      output: output, errors: errors, status: signal == 0 ? status >> 8 & 0xff : -signal)
  }

  /// The variables that a program gets: where things are, and the language.
  ///
  /// Any other variable may hold a key.
  private static var variables: [String: String] {
    let names: Set<String> = ["PATH", "HOME", "TMPDIR", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH"]
    let beginnings = ["LC_", "XDG_", "FONTCONFIG_", "GV", "DYLD_"]
    return ProcessInfo.processInfo.environment.filter { name, _ in
      names.contains(name) || beginnings.contains(where: name.hasPrefix)
    }
  }

  /// Two ends of a pipe, each closed once.
  private final class Pipe {
    private(set) var reading: Int32
    private(set) var writing: Int32

    init() throws(SystemFailure) {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw SystemFailure("a pipe cannot be made", errno) }
      // Other children must not hold the ends, or the input would never end.
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (reading, writing) = (ends[0], ends[1])
    }

    func closeReading() { close(&reading) }

    func closeWriting() { close(&writing) }

    func close() {
      closeReading()
      closeWriting()
    }

    func readAll() -> String {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = buffer.withUnsafeMutableBytes { SystemCalls.readFully($0, from: reading) }
        guard count > 0 else { break }
        bytes += buffer[..<count]
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    private func close(_ end: inout Int32) {
      guard end >= 0 else { return }
      systemClose(end)
      end = -1
    }
  }
}

/// `close(2)`, whose name the methods above hide.
private func systemClose(_ descriptor: Int32) { close(descriptor) }
