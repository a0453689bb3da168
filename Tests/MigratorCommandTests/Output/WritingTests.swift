import Foundation
import Testing

@testable import MigratorCommand

@Suite("Writing to a descriptor")
struct WritingTests {
  @Test("A non-blocking pipe with a slow reader receives the whole text")
  func slowReader() throws {
    let pipe = Pipe()
    let writer = pipe.fileHandleForWriting
    #expect(fcntl(writer.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
    // More than a pipe holds (pipe(7)).
    let text = String(decoding: (0..<1 << 18).map { UInt8($0 / 7 % 128) }, as: UTF8.self)
    let reader = SlowReader(pipe.fileHandleForReading)
    #expect(SystemCalls.print(text, to: writer.fileDescriptor) == 0)
    try writer.close()
    #expect(reader.all() == Array(text.utf8))
  }
}

/// Reads to the end on another thread, in small pieces.
///
/// Unchecked: only that thread writes the bytes, and they are read after it ends.
private final class SlowReader: @unchecked Sendable {
  private let handle: FileHandle
  private var bytes: [UInt8] = []
  private let end = DispatchSemaphore(value: 0)

  init(_ handle: FileHandle) {
    self.handle = handle
    Thread.detachNewThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 1 << 12)
      while true {
        usleep(200)
        let count = read(handle.fileDescriptor, &buffer, buffer.count)
        guard count > 0 else { break }
        bytes += buffer.prefix(count)
      }
      end.signal()
    }
  }

  /// Returns everything, after the writer has closed its end.
  func all() -> [UInt8] {
    end.wait()
    return bytes
  }
}
