internal import Migrator
internal import SQLiteDialect

/// A reader of the stored bytes of a database, through the engine's file handle.
///
/// SQLite's backup interface could read the bytes without reading the log, but SQLCipher does not support that
/// interface. The open transaction holds a lock that keeps other connections from changing the file; in WAL mode, they
/// can still append to the log (https://www.sqlite.org/fileformat2.html#walread). Committed pages in the log replace
/// those of the file. If the whole log was already copied to the file, other connections may restart the log in the
/// meantime, which changes the log's header.
final class EngineBytesReader: StoredBytesReader {
  private static let pieceSize = 1 << 18

  private let connection: EngineConnection

  init(_ connection: EngineConnection) { self.connection = connection }

  var path: String? {
    // See https://www.sqlite.org/pragma.html#pragma_database_list; if the name cannot be read, there is no file.
    var path: String?
    try? connection.forEachRow("PRAGMA database_list") { (row: any DatabaseStatement) throws(DatabaseError) in
      if row.text(at: 1) == "main", !row.text(at: 2).isEmpty { path = row.text(at: 2) }
    }
    return path
  }

  func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let handle = try connection.openHandle()
    let file = EngineFile(handle: handle, kind: .database)
    let logFile = EngineFile(handle: handle, kind: .log)
    let isLogged = try connection.journalMode() == "wal"
    let log = isLogged ? try WriteAheadLog(logFile) : nil
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
    defer { buffer.deallocate() }

    if let log, let pageCount = log.pageCount {
      try readPages(pageCount, file, logFile, log, buffer, body)
    } else {
      try readFile(file, buffer, body)
    }
    guard try !isLogged || WriteAheadLog.header(logFile) == log?.header || log == nil else { throw changed }
  }

  private func readFile(
    _ file: EngineFile, _ buffer: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let size = file.sizeInBytes
    var offset: Int64 = 0
    while offset < size {
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(Int64(buffer.count), size - offset))])
      guard try file.read(piece, at: offset) else { throw changed }
      try body(UnsafeRawBufferPointer(piece))
      offset += Int64(piece.count)
    }
  }

  private func readPages(
    _ pageCount: Int, _ file: EngineFile, _ logFile: EngineFile, _ log: WriteAheadLog,
    _ buffer: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let pagesInPiece = Self.pieceSize / log.pageSize
    var page = 1
    while page <= pageCount {
      let count = min(pagesInPiece, pageCount - page + 1)
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(count * log.pageSize)])
      // The last pages may exist only in the log, so the file may end in the middle of the chunk.
      _ = try file.read(piece, at: Int64(page - 1) * Int64(log.pageSize))
      for index in 0..<count {
        guard let place = log.places[page + index] else { continue }
        let start = index * log.pageSize
        let target = UnsafeMutableRawBufferPointer(rebasing: piece[start..<(start + log.pageSize)])
        guard try logFile.read(target, at: place) else { throw changed }
      }
      try body(UnsafeRawBufferPointer(piece))
      page += count
    }
  }

  private var changed: DatabaseError {
    connection.error(
      .busy, "another connection changed the database's files while they were copied", remedy: "Try again.")
  }
}
