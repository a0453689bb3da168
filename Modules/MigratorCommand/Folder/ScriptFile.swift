internal import Migrator

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Reads files as text, with the reason when that fails.
enum ScriptFile {
  /// The text of a UTF-8 file, as it is, a byte order mark included.
  static func text(at path: String) throws(MigrationProblem) -> String {
    let bytes = try bytes(at: path)
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw MigrationProblem(.utf16, path: path)
    }
    let offset = firstInvalidOffset(in: bytes)
    let position = SQLTextPosition(
      ofUTF8Offset: offset, in: String(decoding: bytes[..<offset], as: UTF8.self))
    throw MigrationProblem(.notUTF8(offset: offset), path: path, position: position)
  }

  /// The digest of a text, in 64 hexadecimal digits.
  ///
  /// Editors and git change line ends, and blanks at the ends of lines and of the file, without changing what a migration
  /// does; the digest does not see them, nor a byte order mark.
  static func checksum(of text: String) -> String {
    let source = Array(text.utf8)
    let start = source.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let bytes = [UInt8](unsafeUninitializedCapacity: source.count) { buffer, count in
      for index in start..<source.count {
        let byte = source[index]
        guard byte == 0x0A || byte == 0x0D else {
          buffer[count] = byte
          count += 1
          continue
        }
        if byte == 0x0A, index > start, source[index - 1] == 0x0D { continue }
        while count > 0, buffer[count - 1].isBlank { count -= 1 }
        buffer[count] = 0x0A
        count += 1
      }
      while count > 0, buffer[count - 1].isBlank || buffer[count - 1] == 0x0A { count -= 1 }
    }
    return SHA256.hexadecimal(of: bytes)
  }

  /// Reads by the system's own calls: a folder has hundreds of files, and each layer between would be paid hundreds of times.
  private static func bytes(at path: String) throws(MigrationProblem) -> [UInt8] {
    // Opening a pipe would wait for its writer, without this flag.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw MigrationProblem(.unreadable(unreadability(errno)), path: path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw MigrationProblem(.unreadable(unreadability(errno)), path: path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw MigrationProblem(.unreadable(.other("it is no regular file")), path: path)
    }
    // One byte more than there should be, to see the end; a file may grow meanwhile.
    let chunkSize = max(4096, Int(status.st_size) + 1)
    var bytes: [UInt8] = []
    while true {
      var failure: Int32 = 0
      let chunk = [UInt8](unsafeUninitializedCapacity: chunkSize) { buffer, count in
        let read = SystemCalls.readFully(UnsafeMutableRawBufferPointer(buffer), from: descriptor)
        count = max(0, read)
        failure = read < 0 ? Int32(-read) : 0
      }
      guard failure == 0 else { throw MigrationProblem(.unreadable(unreadability(failure)), path: path) }
      if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
      if chunk.count < chunkSize { return bytes }
    }
  }

  /// What an error number of the system says.
  static func unreadability(_ number: Int32) -> MigrationProblem.Unreadability {
    switch number {
    case EACCES, EPERM: .noPermission
    case ENOENT, ENOTDIR: .missing
    default: .other("the system reports: \(SystemCalls.message(number))")
    }
  }

  private static func firstInvalidOffset(in bytes: [UInt8]) -> Int {
    var parser = UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var offset = 0
    while case .valid(let scalar) = parser.parseScalar(from: &iterator) { offset += scalar.count }
    return min(offset, bytes.count)
  }
}

extension UInt8 {
  /// Whether the byte is a blank or a tab.
  fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}
