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

  /// Runs a program that is found in PATH, with files without names as its input and outputs.
  static func run(_ arguments: [String], input: String) throws(SystemFailure) -> Outcome {
    let files = (0..<3).compactMap { _ in tmpfile() }
    defer { for file in files { fclose(file) } }
    guard files.count == 3 else { throw SystemFailure("a temporary file cannot be created", errno) }
    let streams = files.map { fileno($0) }
    streams.forEach(FileSystem.keepFromChildren)
    let failure = SystemCalls.print(input, to: streams[0])
    guard failure == 0 else { throw SystemFailure("a temporary file cannot be written", failure) }
    lseek(streams[0], 0, SEEK_SET)
    let status = try spawn(arguments, variables, streams)
    let texts = try streams.dropFirst().map { stream throws(SystemFailure) in
      let size = Int(lseek(stream, 0, SEEK_END))
      lseek(stream, 0, SEEK_SET)
      return String(decoding: try FileSystem.bytes(of: stream, count: size), as: UTF8.self)
    }
    return Outcome(output: texts[0], errors: texts[1], status: status)
  }

  /// The exit code of ``runInForeground(_:)`` for a program that Ctrl-C has ended.
  static let interruption = -SIGINT

  /// Runs a program that is found in PATH, with the input, outputs and variables of this process.
  ///
  /// - Parameter defaults: The values of variables that this process does not have.
  /// - Returns: The exit code; negative for the number of a signal.
  static func runInForeground(
    _ arguments: [String], defaults: [String: String] = [:]
  ) throws(SystemFailure) -> Int32 {
    try spawn(arguments, ProcessInfo.processInfo.environment.merging(defaults) { own, _ in own })
  }

  /// Runs a program until it ends.
  ///
  /// - Parameter streams: The descriptors for its input, output and errors; empty for those of this process.
  private static func spawn(
    _ arguments: [String], _ variables: [String: String], _ streams: [Int32] = []
  ) throws(SystemFailure) -> Int32 {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (stream, descriptor) in streams.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(stream))
    }
    var argumentPointers = arguments.map { strdup($0) } + [nil]
    var variablePointers = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { (argumentPointers + variablePointers).forEach { free($0) } }
    let name = arguments.first ?? ""
    var process = pid_t()
    let number = posix_spawnp(&process, name, &actions, nil, &argumentPointers, &variablePointers)
    guard number == 0 else { throw SystemFailure("\(name) cannot be run", number) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? status >> 8 & 0xff : -signal
  }

  /// Returns the readable end of a pipe that contains bytes, fewer than 16 KiB, and that programs inherit.
  ///
  /// - Parameter number: The file descriptor to use for it, which is replaced; nil for any.
  static func inheritedPipe(containing bytes: [UInt8], as number: Int32?) throws(SystemFailure) -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemFailure("a pipe cannot be created", errno) }
    // Every system's pipe holds this much.
    let count = bytes.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
    let code = errno
    // Before the other end gets its number, which may be that of this end.
    close(ends[1])
    guard count == bytes.count else {
      close(ends[0])
      throw SystemFailure("a pipe cannot be written", code)
    }
    guard let number, number != ends[0] else { return ends[0] }
    defer { close(ends[0]) }
    guard dup2(ends[0], number) == number else { throw SystemFailure("the file descriptor cannot be used", errno) }
    return number
  }

  static func closePipe(_ number: Int32) { close(number) }

  /// The environment variables for the program: only paths and locale, since any other variable may contain a key.
  private static var variables: [String: String] {
    let names: Set<String> = ["PATH", "HOME", "TMPDIR", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH"]
    let beginnings = ["LC_", "XDG_", "FONTCONFIG_", "GV", "DYLD_"]
    return ProcessInfo.processInfo.environment.filter { name, _ in
      names.contains(name) || beginnings.contains(where: name.hasPrefix)
    }
  }
}
