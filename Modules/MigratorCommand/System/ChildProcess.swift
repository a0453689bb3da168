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

enum ChildProcess {
  struct Outcome {
    var output: String
    var errors: String
    var status: Int32
  }

  /// Runs a program that is found in PATH.
  ///
  /// The program must read its whole input before it writes more output than a pipe can hold.
  static func run(_ arguments: [String], input: String) throws(SystemFailure) -> Outcome {
    let name = arguments.first ?? ""
    // The read and write ends of the pipes for input, output and errors; -1 once closed.
    var ends = [Int32](repeating: -1, count: 6)
    func closeEnd(_ index: Int) {
      if ends[index] >= 0 { close(ends[index]) }
      ends[index] = -1
    }
    defer { ends.indices.forEach(closeEnd) }
    for index in [0, 2, 4] {
      guard ends.withUnsafeMutableBufferPointer({ pipe($0.baseAddress?.advanced(by: index)) }) == 0 else {
        throw SystemFailure("a pipe cannot be created", errno)
      }
    }
    // Other child processes must not inherit these ends, or this program's input would never end.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (stream, end) in [ends[0], ends[3], ends[5]].enumerated() {
      posix_spawn_file_actions_adddup2(&actions, end, Int32(stream))
    }
    var argumentPointers = arguments.map { strdup($0) } + [nil]
    var variables = Self.variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { (argumentPointers + variables).forEach { free($0) } }
    var process = pid_t()
    let number = posix_spawnp(&process, name, &actions, nil, &argumentPointers, &variables)
    guard number == 0 else { throw SystemFailure("\(name) cannot be run", number) }
    [0, 3, 5].forEach(closeEnd)
    // A program that does not read its input reports the reason on standard error, so a failed write is ignored.
    _ = SystemCalls.print(input, to: ends[1])
    closeEnd(1)
    let output = readAll(ends[2])
    let errors = readAll(ends[4])
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    return Outcome(output: output, errors: errors, status: signal == 0 ? status >> 8 & 0xff : -signal)
  }

  /// The environment variables for the program: only paths and locale, since any other variable may contain a key.
  private static var variables: [String: String] {
    let names: Set<String> = ["PATH", "HOME", "TMPDIR", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH"]
    let beginnings = ["LC_", "XDG_", "FONTCONFIG_", "GV", "DYLD_"]
    return ProcessInfo.processInfo.environment.filter { name, _ in
      names.contains(name) || beginnings.contains(where: name.hasPrefix)
    }
  }

  private static func readAll(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = buffer.withUnsafeMutableBytes { SystemCalls.readFully($0, from: descriptor) }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}
