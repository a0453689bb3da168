internal import CSQLiteLoader
package import Migrator
internal import SQLiteDialect
internal import SQLSyntax

extension EngineConnection {
  /// Prepares the first statement at or after an offset in a script.
  package func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation {
    authorizerRecorder?.uninstallIfIdle()
    let (statement, endOffset) = try prepareStatement(script, utf8Offset: utf8Offset)
    statement?.explain()
    return Preparation(statement: statement, endOffset: endOffset)
  }

  /// Does the work of ``prepare(_:utf8Offset:)``, but returns the concrete statement type, and the offset at which the
  /// statement ends.
  func prepareStatement(_ script: String, utf8Offset: Int) throws(DatabaseError) -> (EngineStatement?, Int) {
    precondition(
      (0...script.utf8.count).contains(utf8Offset), "The offset \(utf8Offset) lies outside the script")
    let handle = try openHandle()
    if handle.refusesChangesOfEncryption || handle.isBorrowed { try refusePragma(in: script, utf8Offset: utf8Offset) }
    return try script.withCString { text in
      let bytes = UnsafeBufferPointer(
        start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: script.utf8.count)
      return Result { () throws(DatabaseError) in try compile(bytes, from: utf8Offset, handle) }
    }.get()
  }

  /// Compiles the first statement at or after an offset in a script; `bytes` is the script with a NUL at its end.
  private func compile(
    _ bytes: UnsafeBufferPointer<UInt8>, from offset: Int, _ handle: EngineHandle
  ) throws(DatabaseError) -> (EngineStatement?, Int) {
    var start = SQLStatementStart.find(in: bytes, from: offset)
    while start < bytes.count, let base = bytes.baseAddress {
      let text = UnsafeRawPointer(base + start).assumingMemoryBound(to: CChar.self)
      var statement: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      // The length includes the terminating NUL: without it, the engine copies the whole rest of the script for each of
      // its statements (https://www.sqlite.org/c3ref/prepare.html).
      let code = library.functions.prepare_v2(
        handle.database, text, Int32(clamping: bytes.count - start + 1), &statement, &tail)
      guard code == SQLITE_OK else { throw error(code, handle, rest: String(decoding: bytes[start...], as: UTF8.self)) }
      let end = start + (tail.map { $0 - text } ?? 0)
      if end < bytes.count, bytes[end] == 0 {
        // The statement never ran, so the result of finalizing it has no meaning.
        _ = library.functions.finalize(statement)
        // The engine would treat the NUL as the end of the script and ignore the rest.
        throw DatabaseError(
          .statement, engine: library.description.name, message: "the statement contains a NUL character",
          remedy: "Bind text that contains one as an argument.", sql: String(decoding: bytes[start...], as: UTF8.self),
          utf8Offset: end - start)
      }
      if let statement {
        return (EngineStatement(statement, sql: Self.trimmed(bytes[start..<end]), handle: handle), end)
      }
      guard end > start else { break }
      start = SQLStatementStart.find(in: bytes, from: end)
    }
    return (nil, bytes.count)
  }

  /// Returns the error for a statement that the engine has just rejected; `rest` is the script from that statement on.
  private func error(_ code: Int32, _ handle: EngineHandle, rest: String) -> DatabaseError {
    let place = library.optionalFunctions.error_offset.map { Int($0(handle.database)) }
    // If the end of the statement cannot be determined, the error shows the whole rest of the script.
    let sql = (try? SQLStatementSplitter.split(rest))?.first?.text ?? rest
    var error = handle.error(code, sql: sql, utf8Offset: place.flatMap { (0...sql.utf8.count).contains($0) ? $0 : nil })
    // Engines before 3.38 do not report the position.
    if place == nil { error.utf8Offset = ErrorOffset.guess(message: error.message, sql: sql) }
    if readsNameInQuotes(error.message, sql, handle) {
      error.remedy = "Write string literals in single quotes: on this connection, double quotes enclose names only."
    }
    return error
  }

  /// Returns whether the column that the engine reports as missing may be meant as a string in double quotes, which the
  /// connection does not accept (https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted).
  private func readsNameInQuotes(_ message: String, _ sql: String, _ handle: EngineHandle) -> Bool {
    // Newer engines ask that themselves.
    if message.hasSuffix("should this be a string literal in single-quotes?") { return true }
    let start = "no such column: "
    guard message.hasPrefix(start), sql.contains("\"\(message.dropFirst(start.count))\"") else { return false }
    return !handle.isOn(SQLITE_DBCONFIG_DQS_DML) || !handle.isOn(SQLITE_DBCONFIG_DQS_DDL)
  }

  /// Returns the text without whitespace and semicolons at its end.
  private static func trimmed(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    let end = bytes.lastIndex { ![0x20, 0x09, 0x0a, 0x0c, 0x0d, UInt8(ascii: ";")].contains($0) }
    return String(decoding: bytes[bytes.startIndex..<(end.map { $0 + 1 } ?? bytes.startIndex)], as: UTF8.self)
  }

  /// Lets the engine read the schema of the database, which recovers it after a crash, and proves that the file is a
  /// database and the key is correct.
  func readSchema() throws(DatabaseError) {
    let handle = try openHandle()
    // Without a column, the function only looks for the table
    // (https://www.sqlite.org/c3ref/table_column_metadata.html).
    let code = handle.library.functions.table_column_metadata(
      handle.database, "main", "sqlite_master", nil, nil, nil, nil, nil, nil)
    guard code == SQLITE_OK else { throw handle.error(code) }
  }

  /// Prepares a statement of the driver itself, which the change recorder can ignore.
  func ownStatement(_ sql: String) throws(DatabaseError) -> EngineStatement {
    guard let statement = try prepareStatement(sql, utf8Offset: 0).0 else {
      throw error(.misuse, "the text contains no statement", sql: sql)
    }
    return statement
  }
}
