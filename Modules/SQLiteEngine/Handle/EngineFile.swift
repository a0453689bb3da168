internal import CSQLiteLoader
internal import Migrator

/// A database file that the engine has open, read through the engine.
///
/// A separate descriptor must not be used: closing it would drop the locks that this process holds on the file
/// (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
struct EngineFile {
  enum Kind: Int32 {
    case database = 0
    case log = 1
  }

  let handle: EngineHandle
  let kind: Kind

  private var size: Int64 {
    withUnsafePointer(to: handle.library.functions) { csqlite_file_size($0, handle.database, kind.rawValue) }
  }

  var isThere: Bool { size >= 0 }
  var sizeInBytes: Int64 { max(0, size) }

  /// Reads bytes at an offset; nil when the file ends before the last of them.
  func bytes(count: Int, at offset: Int64) throws(DatabaseError) -> [UInt8]? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
    defer { buffer.deallocate() }
    return try read(buffer, at: offset) ? Array(buffer) : nil
  }

  /// Fills a buffer with the bytes at an offset; returns false when the file ends before the last of them.
  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DatabaseError) -> Bool {
    guard let start = buffer.baseAddress else { return true }
    let code = withUnsafePointer(to: handle.library.functions) { functions in
      csqlite_file_read(functions, handle.database, kind.rawValue, start, Int32(clamping: buffer.count), offset)
    }
    switch code {
    case SQLITE_OK: return true
    // The value of SQLITE_IOERR_SHORT_READ, a macro that Swift does not import.
    case SQLITE_IOERR | 2 << 8: return false
    default: throw handle.error(code)
    }
  }
}
