internal import Foundation
#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A program that is measured from start to exit, like a user waiting for it.
enum WholeProcess {
  /// Runs the program without a terminal, and discards its standard output.
  ///
  /// Does not use `Process`, whose threads and notifications would be measured, too.
  static func measurement(_ path: String, _ arguments: [String]) throws -> Measurement {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    var list = ([path] + arguments).map { strdup($0) } + [nil]
    defer { list.forEach { free($0) } }
    var process = pid_t()
    var status: Int32 = 0
    var usage = rusage()
    let start = ContinuousClock.now
    guard posix_spawn(&process, path, &actions, nil, &list, environ) == 0,
      wait4(process, &status, 0, &usage) == process, status == 0
    else { throw Failed(path: path) }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    #if canImport(Darwin)
      let memoryPeak = usage.ru_maxrss / 1024
    #else
      let memoryPeak = usage.ru_maxrss
    #endif
    return Measurement(memoryBefore: 0, memoryPeak: memoryPeak, seconds: [seconds])
  }

  /// A program that did not start, or did not exit with 0.
  struct Failed: Error {
    var path: String
  }
}
