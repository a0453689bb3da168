#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The threads and file descriptors without which Dispatch waits forever or ends the process.
enum ProcessResources {
  /// The number of threads: one waits for signals and timers, and another one runs their handlers.
  private static let threadCount = 2
  /// The number of descriptors: those of Dispatch, of a database with its journal, and of a migration file.
  private static let descriptorCount = 12

  /// Returns the reason why the process cannot do its work, with a remedy; nil if it can.
  static func shortage() -> (why: String, remedy: String)? {
    guard canOpenDescriptors() else {
      return (
        "it can open fewer than \(descriptorCount) more file descriptors",
        "Raise the limit with `ulimit -n`, or close files that are open."
      )
    }
    guard let number = threadFailure() else { return nil }
    return (
      "it cannot start \(threadCount) threads: \(SystemCalls.message(number))",
      "Raise the limit on processes with `ulimit -u`, or the one on memory with `ulimit -v`."
    )
  }

  private static func canOpenDescriptors() -> Bool {
    let descriptors = (0..<descriptorCount).map { _ in open("/", O_RDONLY | O_CLOEXEC) }
    for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
    return descriptors.allSatisfy { $0 >= 0 }
  }

  /// Starts the threads at the same time; returns the system's error number, or nil if all could be started.
  private static func threadFailure() -> Int32? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return errno }
    // The threads run until the pipe has no writer.
    var threads: [pthread_t] = []
    var failure: Int32 = 0
    for _ in 0..<threadCount where failure == 0 {
      #if canImport(Darwin) || canImport(Musl)
        var thread: pthread_t?
      #else
        var thread: pthread_t = 0
      #endif
      failure = pthread_create(
        &thread, nil,
        { argument in
          // The C declaration of the argument is optional on some systems only.
          let pointer: UnsafeMutableRawPointer? = argument
          var byte: UInt8 = 0
          _ = withUnsafeMutableBytes(of: &byte) { SystemCalls.readFully($0, from: Int32(Int(bitPattern: pointer))) }
          return nil
        }, UnsafeMutableRawPointer(bitPattern: Int(ends[0])))
      let started: pthread_t? = thread
      if failure == 0, let started { threads.append(started) }
    }
    close(ends[1])
    for thread in threads { pthread_join(thread, nil) }
    close(ends[0])
    return failure == 0 ? nil : failure
  }
}
