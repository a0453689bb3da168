#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

internal import Migrator

/// Bytes that no one else may see: a key on its way from the user to the engine.
///
/// The bytes are overwritten when the last reference goes away. They appear in no description.
public final class ToolSecret: @unchecked Sendable {
  // Unchecked: the memory is written in the initializer and in deinit only, and read in between; the memo has its lock.

  /// The most bytes that are read as a key: more is a wrong file rather than a key.
  static let maximumSizeInBytes = 4096

  private let memory: UnsafeMutableRawBufferPointer
  private let memo = Lock<(any Sendable)?>(nil)

  /// Moves the bytes out of an array, which is overwritten and left empty.
  init(consuming bytes: inout [UInt8]) {
    memory = .allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    bytes.withUnsafeMutableBytes { SecretMemory.wipe($0) }
    bytes = []
  }

  deinit {
    SecretMemory.wipe(memory)
    memory.deallocate()
  }

  /// What a backend has made of the bytes, made once: a passphrase takes long to become a key.
  public func once<Value: Sendable>(_ make: () -> Value) -> Value {
    memo.withLock { memo in
      if let value = memo as? Value { return value }
      let value = make()
      memo = value
      return value
    }
  }

  /// The number of bytes.
  public var count: Int { memory.count }

  /// Calls the body with the bytes, which are valid during the call only.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result { try body(UnsafeRawBufferPointer(memory)) }
}

extension ToolSecret: CustomStringConvertible, CustomReflectable {
  /// The size, never the bytes.
  public var description: String { "\(count) secret bytes" }
  /// Nothing, so that `dump` shows nothing either.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

enum SecretMemory {
  /// Overwrites memory in a way that the compiler does not leave out.
  static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    #if canImport(Darwin)
      memset_s(start, memory.count, 0, memory.count)
    #else
      explicit_bzero(start, memory.count)
    #endif
  }

  /// Keeps the memory out of files and reports of crashes from now on; what fails is left, as one wall among several.
  @Sendable static func forbidCoreDump() {
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
    _ = SystemCalls.print("0", to: filter)
    close(filter)
  }

  /// Leaves crashes to the system: Swift's own report, and others that a program can be given, print memory.
  private static func forbidReports() {
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      let previous = unsafeBitCast(signal(number, SIG_DFL), to: Int.self)
      // What the parent process wants ignored stays so.
      if previous == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
    }
  }
}
