#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The few calls of the operating system that the tool needs, with Swift's types.
enum SystemCalls {
  /// What the operating system says of an error number.
  static func message(_ number: Int32) -> String { String(cString: strerror(number)) }

  /// Writes a text.
  ///
  /// - Returns: Zero, or the error number.
  static func write(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
  }

  /// Writes all of the bytes, whatever the descriptor takes at a time.
  ///
  /// - Returns: Zero, or the error number.
  static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN || errno == EWOULDBLOCK {
        // Somebody made it a descriptor that does not wait; its reader is slow.
        waitUntilWritable(descriptor)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  private static func waitUntilWritable(_ descriptor: Int32) {
    var descriptors = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    poll(&descriptors, 1, -1)
  }

  /// Fills the buffer from a descriptor.
  ///
  /// - Parameter size: The size of the file, where it is known: what gives as much is not asked for more.
  /// - Returns: How many bytes were read, fewer than fit only at the end; negative is an error number's opposite.
  static func readFully(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, size: Int? = nil) -> Int {
    var filled = 0
    while filled < buffer.count, filled == 0 || filled != size {
      let count = read(UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), from: descriptor)
      guard count > 0 else { return count < 0 ? count : filled }
      filled += count
    }
    return filled
  }

  /// Reads what a descriptor gives at once.
  ///
  /// - Returns: How many bytes were read, of a regular file fewer than fit only at its end
  ///   (https://pubs.opengroup.org/onlinepubs/9799919799/functions/read.html); negative is an error number's opposite.
  static func read(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int {
    while true {
      let count = systemRead(descriptor, buffer)
      guard count < 0 else { return count }
      if errno != EINTR { return -Int(errno) }
    }
  }
}

/// `read(2)`, whose name the method above hides.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, buffer.baseAddress, buffer.count)
}

/// `write(2)`, whose name a method above hides.
private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
  write(descriptor, buffer.baseAddress, buffer.count)
}
