internal import Migrator
internal import SQLSyntax

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
  ///
  /// Reads by the system's own calls: a folder has hundreds of files, and each layer between would be paid hundreds of times.
  ///
  /// - Parameters:
  ///   - folder: One that the path leads through.
  ///   - isRegular: Whether it is known to be a regular file, as opposed to a pipe, a device or a folder.
  static func text(
    at path: String, in folder: OpenFolder = .working, isRegular: Bool = false
  ) throws(MigrationProblem) -> String {
    let descriptor = folder.openFile(path)
    guard descriptor >= 0 else { throw MigrationProblem(.unreadable(unreadability(errno)), path: path) }
    defer { close(descriptor) }
    // Most files are so small that to read them is to know their size; that saves a call for each.
    var size = isRegular ? nil : try regularSize(of: descriptor, path: path)
    // One byte more than there should be, to see the end; so small files stay on the stack.
    var capacity = max(512, (size ?? 0) + 1)
    while true {
      let text = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
        Result { () throws(MigrationProblem) in try Self.text(from: descriptor, size: size, by: buffer, path: path) }
      }
      if let text = try text.get() { return text }
      // It is larger, or has grown meanwhile, or is one of those that the system makes up while they are read.
      let found = try regularSize(of: descriptor, path: path)
      size = found
      capacity = max(capacity * 2, found + 1)
      lseek(descriptor, 0, SEEK_SET)
    }
  }

  private static func regularSize(of descriptor: Int32, path: String) throws(MigrationProblem) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw MigrationProblem(.unreadable(unreadability(errno)), path: path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw MigrationProblem(.unreadable(.other("it is no regular file")), path: path)
    }
    return Int(status.st_size)
  }

  /// Reads the text by a buffer; nil when it fills the buffer, so that there may be more.
  ///
  /// - Parameter size: The file's size; nil for a regular file of which it was not asked for.
  private static func text(
    from descriptor: Int32, size: Int?, by buffer: UnsafeMutableBufferPointer<UInt8>, path: String
  ) throws(MigrationProblem) -> String? {
    let memory = UnsafeMutableRawBufferPointer(buffer)
    let count =
      size.map { SystemCalls.readFully(memory, from: descriptor, size: $0) }
      ?? SystemCalls.read(memory, from: descriptor)
    guard count >= 0 else { throw MigrationProblem(.unreadable(unreadability(Int32(-count))), path: path) }
    guard count < buffer.count else { return nil }
    let bytes = UnsafeBufferPointer(rebasing: buffer[..<count])
    // ASCII, which most is, needs no closer look.
    if bytes.reduce(0, |) < 0x80 { return String(decoding: bytes, as: UTF8.self) }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw MigrationProblem(.utf16, path: path)
    }
    let offset = firstInvalidOffset(in: bytes)
    let position = SQLTextPosition(ofUTF8Offset: offset, in: String(decoding: bytes[..<offset], as: UTF8.self))
    throw MigrationProblem(.notUTF8(offset: offset), path: path, position: position)
  }

  /// The digest of a text, in 64 hexadecimal digits.
  ///
  /// Editors and git change line ends, and blanks at the ends of lines and of the file, without changing what a migration
  /// does; the digest does not see them, nor a byte order mark.
  static func checksum(of text: String) -> String {
    var text = text
    return text.withUTF8 { source in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: source.count) { buffer in
        let count = copySignificant(source, to: buffer)
        return SHA256.hexadecimal(of: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
      }
    }
  }

  /// Copies what the digest sees, and returns its size.
  private static func copySignificant(
    _ source: UnsafeBufferPointer<UInt8>, to buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var count = 0
    let start = source.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var rest = source[start...]
    while !rest.isEmpty {
      let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
      count = buffer[count...].initialize(fromContentsOf: line)
      rest = rest[line.endIndex...]
      guard let byte = rest.popFirst() else { break }
      if byte == 0x0A, line.endIndex > start, source[line.endIndex - 1] == 0x0D { continue }
      while count > 0, buffer[count - 1].isBlank { count -= 1 }
      buffer[count] = 0x0A
      count += 1
    }
    while count > 0, buffer[count - 1].isBlank || buffer[count - 1] == 0x0A { count -= 1 }
    return count
  }

  /// What an error number of the system says.
  static func unreadability(_ number: Int32) -> MigrationProblem.Unreadability {
    switch number {
    case EACCES, EPERM: .noPermission
    case ENOENT, ENOTDIR: .missing
    default: .other("the system reports: \(SystemCalls.message(number))")
    }
  }

  private static func firstInvalidOffset(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
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
