#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// What is kept, or printed, of the memory of a process that crashes.
enum CoreDump {
  /// Keeps this process's memory out of any such file or report from now on, since there will be a key in it.
  ///
  /// What fails is left as it is: this is one wall among several.
  static func forbid() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    #else
      setrlimit(RLIMIT_CORE, &none)
    #endif
    forbidReports()
    // A program that collects crashes is not bound by the limit, and neither is a debugger
    // (https://man7.org/linux/man-pages/man5/core.5.html).
    let filter = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
    guard filter >= 0 else { return }
    _ = "0".utf8CString.withUnsafeBytes { write(filter, $0.baseAddress, 1) }
    close(filter)
  }

  /// Leaves crashes to the system, which is told above what to keep.
  ///
  /// Swift's own report, and others that a program can be given, print what is in registers and in memory.
  private static func forbidReports() {
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      let previous = unsafeBitCast(signal(number, SIG_DFL), to: Int.self)
      // What whoever started this process wants ignored stays so.
      if previous == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
    }
  }
}
