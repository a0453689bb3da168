#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

internal import Migrator

/// Secret bytes, such as a key that the user has entered and that is passed to the engine.
///
/// The bytes are overwritten when the last reference is released. They do not appear in descriptions.
///
/// `@unchecked Sendable` is correct because only `init` and `deinit` write the memory, and a lock protects the cached
/// value.
public final class ToolSecret: @unchecked Sendable {
  /// The maximum size of a key in bytes; a larger file is not a key.
  static let maximumSizeInBytes = 4096

  private let memory: UnsafeMutableRawBufferPointer
  private let memo = Lock<(any Sendable)?>(nil)

  /// Copies the bytes of an array, then overwrites and empties the array.
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

  /// Returns a value derived from the bytes; it is computed only once, since deriving a key from a passphrase is slow.
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

  /// Calls the body with the bytes, which are valid only during the call.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result { try body(UnsafeRawBufferPointer(memory)) }
}

extension ToolSecret: CustomStringConvertible, CustomReflectable {
  /// The number of bytes, but not the bytes.
  public var description: String { "\(count) secret bytes" }
  /// An empty mirror, so that `dump` does not show the bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

enum SecretMemory {
  /// Overwrites memory with a function that the compiler does not optimize away.
  static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    #if canImport(Darwin)
      memset_s(start, memory.count, 0, memory.count)
    #else
      explicit_bzero(start, memory.count)
    #endif
  }

  /// Excludes the process's memory from core files and crash reports.
  ///
  /// Ignores failures, because there are several independent measures.
  @Sendable static func forbidCoreDump() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Darwin) || canImport(Musl)
      setrlimit(RLIMIT_CORE, &none)
    #else
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    #endif
    forbidReports()
    // The limit does not apply to a program that receives core dumps through a pipe, or to a debugger
    // (https://man7.org/linux/man-pages/man5/core.5.html).
    let filter = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
    guard filter >= 0 else { return }
    _ = SystemCalls.print("0", to: filter)
    close(filter)
  }

  /// Restores the system's default handling of crashes, since Swift's backtraces and other crash handlers print memory.
  private static func forbidReports() {
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      let previous = unsafeBitCast(signal(number, SIG_DFL), to: Int.self)
      // Signals that the parent process ignores remain ignored.
      if previous == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
    }
  }
}

enum Hexadecimal {
  /// Encodes bytes as pairs of lowercase hexadecimal digits.
  static func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    // The array must not grow: the memory that it leaves would not be overwritten.
    text.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return text
  }

  /// Decodes pairs of hexadecimal digits to bytes; returns nil for anything else.
  static func decode(_ digits: [UInt8]) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      let pair = digits[index...(index + 1)].compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
      guard pair.count == 2 else { return nil }
      bytes.append(UInt8(pair[0] << 4 | pair[1]))
    }
    return bytes
  }
}
