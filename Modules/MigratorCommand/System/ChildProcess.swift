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
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
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
    let (output, errors) = exchange(input, &ends)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    return Outcome(output: output, errors: errors, status: signal == 0 ? status >> 8 & 0xff : -signal)
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
    var argumentPointers = arguments.map { strdup($0) } + [nil]
    let environment = ProcessInfo.processInfo.environment.merging(defaults) { own, _ in own }
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { (argumentPointers + variables).forEach { free($0) } }
    let name = arguments.first ?? ""
    var process = pid_t()
    let number = posix_spawnp(&process, name, nil, nil, &argumentPointers, &variables)
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

  /// Writes the input, and reads both outputs until they end, whichever of the pipes is ready.
  ///
  /// Waiting for a single pipe would block for ever if the program waits for another one, which is full.
  private static func exchange(_ input: String, _ ends: inout [Int32]) -> (output: String, errors: String) {
    let (writing, reading) = (1, [2, 4])
    var rest = Array(input.utf8)[...]
    var texts: [[UInt8]] = [[], []]
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    func closeEnd(_ index: Int) {
      close(ends[index])
      ends[index] = -1
    }
    // Otherwise, a write of more than the pipe can hold would block.
    _ = fcntl(ends[writing], F_SETFL, O_NONBLOCK)
    if rest.isEmpty { closeEnd(writing) }
    while reading.contains(where: { ends[$0] >= 0 }) {
      // `poll` ignores descriptors below zero (https://man7.org/linux/man-pages/man2/poll.2.html).
      var ready = [(writing, POLLOUT), (reading[0], POLLIN), (reading[1], POLLIN)].map { index, event in
        pollfd(fd: ends[index], events: Int16(event), revents: 0)
      }
      guard poll(&ready, nfds_t(ready.count), -1) >= 0 || errno == EINTR else { break }
      if ready[0].revents != 0 {
        let count = rest.withUnsafeBytes { write(ends[writing], $0.baseAddress, $0.count) }
        if count > 0 { rest = rest.dropFirst(count) }
        // A program that does not read its input reports the reason on standard error, so a failed write is ignored.
        if rest.isEmpty || (count < 0 && errno != EAGAIN && errno != EINTR) { closeEnd(writing) }
      }
      for (index, end) in reading.enumerated() where ready[index + 1].revents != 0 {
        let count = buffer.withUnsafeMutableBytes { read(ends[end], $0.baseAddress, $0.count) }
        if count > 0 { texts[index] += buffer[..<count] }
        if count == 0 || (count < 0 && errno != EINTR) { closeEnd(end) }
      }
    }
    return (String(decoding: texts[0], as: UTF8.self), String(decoding: texts[1], as: UTF8.self))
  }
}
