internal import CSQLiteLoader
internal import Migrator
internal import SQLSyntax
internal import SQLiteDialect

/// A reader of the stored bytes of a database, through the engine's file handle.
///
/// SQLite's backup interface could read the bytes without reading the log, but SQLCipher does not support that
/// interface. The open transaction holds a lock that keeps other connections from changing the file; in WAL mode, they
/// can still append to the log (https://www.sqlite.org/fileformat2.html#walread). Committed pages in the log replace
/// those of the file. If the whole log was already copied to the file, other connections may restart the log in the
/// meantime, which changes the log's header.
final class EngineBytesReader: StoredBytesReader {
  /// A multiple of all page sizes.
  private static let pieceSize = 1 << 18

  private let connection: EngineConnection

  init(_ connection: EngineConnection) { self.connection = connection }

  var path: String? {
    // See https://www.sqlite.org/c3ref/db_filename.html.
    guard let handle = connection.handle, let name = handle.library.functions.db_filename(handle.database, "main"),
      name.pointee != 0
    else { return nil }
    return String(cString: name)
  }

  func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let handle = try connection.openHandle()
    let file = EngineFile(handle: handle, kind: .database)
    let logFile = EngineFile(handle: handle, kind: .log)
    let isLogged = try connection.journalMode() == "wal"
    let log = isLogged ? try WriteAheadLog(logFile) : nil
    let loggedSize = log.flatMap { log in log.pageCount.map { Int64($0) * Int64(log.pageSize) } }
    let size = loggedSize ?? file.sizeInBytes
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while offset < size {
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(Int64(buffer.count), size - offset))])
      let isWhole = try file.read(piece, at: offset)
      // The last pages may exist only in the log, so the file may end in the middle of the chunk.
      guard isWhole || loggedSize != nil else { throw changed }
      if let log { try replacePages(of: piece, at: offset, log, logFile) }
      try body(UnsafeRawBufferPointer(piece))
      offset += Int64(piece.count)
    }
    guard try !isLogged || WriteAheadLog.header(logFile) == log?.header || log == nil else { throw changed }
  }

  /// Replaces the pages of a chunk, which consists of whole pages, by their newest versions in the log.
  private func replacePages(
    of piece: UnsafeMutableRawBufferPointer, at offset: Int64, _ log: WriteAheadLog, _ logFile: EngineFile
  ) throws {
    for start in stride(from: 0, to: piece.count, by: log.pageSize) {
      guard let place = log.places[(Int(offset) + start) / log.pageSize + 1] else { continue }
      let page = UnsafeMutableRawBufferPointer(rebasing: piece[start..<(start + log.pageSize)])
      guard try logFile.read(page, at: place) else { throw changed }
    }
  }

  func replacing(_ body: () throws -> Void) throws {
    let mode = try connection.journalMode()
    // Moves the log into the file and removes it, which requires that no other connection is open
    // (https://www.sqlite.org/pragma.html#pragma_journal_mode).
    _ = try connection.text("PRAGMA main.journal_mode = DELETE")
    do {
      try connection.begin(.exclusive)
      // Another process may have changed the mode in the meantime; this reads the header under the lock.
      guard try connection.journalMode() != "wal" else {
        throw connection.error(.busy, "another connection uses the database", remedy: "Close it, and try again.")
      }
      try body()
      // The transaction has changed nothing, and holds the lock of the replaced file.
      try connection.rollback()
    } catch {
      // The caller must get the first error; the mode is a matter of speed only.
      try? connection.rollback()
      if let mode = JournalMode(rawValue: mode), mode != .delete { try? connection.setJournalMode(mode, within: .zero) }
      throw error
    }
  }

  func damage() throws(DatabaseError) -> String? {
    do throws(DatabaseError) {
      return try finding("1")
    } catch {
      guard error.condition == .statement else { throw error }
      // Only the app can check a table that has its collations or functions; engines before 3.33 check none alone.
      for table in try connection.schema().objects where table.kind == .table && !table.isVirtual {
        do throws(DatabaseError) {
          if let finding = try finding(table.name.quotedIdentifier) { return finding }
        } catch {
          guard error.condition == .statement else { throw error }
        }
      }
      return nil
    }
  }

  /// Returns the first finding of a check (https://www.sqlite.org/pragma.html#pragma_quick_check); nil if there is none.
  private func finding(_ argument: String) throws(DatabaseError) -> String? {
    let finding = try connection.text("PRAGMA main.quick_check(\(argument))")
    return finding == "ok" ? nil : finding
  }

  private var changed: DatabaseError {
    connection.error(
      .busy, "another connection changed the database's files while they were copied", remedy: "Try again.")
  }
}
