internal import CSQLite
package import Migrator
internal import SQLiteDialect
internal import SQLSyntax

extension EngineConnection {
  /// Prepares the first statement found in a script at or after an offset.
  package func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation {
    let (statement, endOffset) = try prepareStatement(script, utf8Offset: utf8Offset)
    return Preparation(statement: statement, endOffset: endOffset)
  }

  /// As ``prepare(_:utf8Offset:)``, with the statement's own type.
  func prepareStatement(_ script: String, utf8Offset: Int) throws(DatabaseError) -> (EngineStatement?, Int) {
    precondition(
      (0...script.utf8.count).contains(utf8Offset), "The offset \(utf8Offset) lies outside the script")
    let handle = try openHandle()
    if handle.refusesChangesOfEncryption { try refuseChangeOfEncryption(in: script, utf8Offset: utf8Offset) }
    recorder.uninstallIfIdle()
    let compiled = script.withCString { text in
      let bytes = UnsafeBufferPointer(
        start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: script.utf8.count)
      return Compilation(bytes, from: utf8Offset, handle: handle)
    }
    switch compiled {
    case .empty: return (nil, script.utf8.count)
    case .statement(let statement, let sql, let end):
      return (EngineStatement(statement, sql: sql, handle: handle), end)
    case .failure(let code, let rest, let offset):
      let sql = Self.firstStatement(of: rest)
      var error = handle.error(code, sql: sql)
      if let place = offset ?? library.guessedOffset(message: error.message, sql: sql), place <= sql.utf8.count {
        error.utf8Offset = place
      }
      throw error
    case .nulCharacter(let rest, let offset):
      // The engine would take the character for the end of the script and leave out what follows.
      throw DatabaseError(
        .statement, engine: library.description.name, message: "the statement holds a NUL character",
        remedy: "Bind text that holds one as an argument.", sql: rest, utf8Offset: offset)
    }
  }

  /// Prepares one statement of this driver's own.
  func ownStatement(_ sql: String) throws(DatabaseError) -> EngineStatement {
    guard let statement = try prepareStatement(sql, utf8Offset: 0).0 else {
      throw error(.misuse, "the text holds no statement", sql: sql)
    }
    return statement
  }

  private static func firstStatement(of script: String) -> String {
    // A script that cannot be cut to its end is shown as it is.
    (try? SQLStatementSplitter.split(script))?.first?.text ?? script
  }
}

extension EngineLibrary {
  /// The likely place of an error, for engines that do not report it.
  fileprivate func guessedOffset(message: String, sql: String) -> Int? {
    optionalFunctions.error_offset == nil ? ErrorOffset.guess(message: message, sql: sql) : nil
  }
}

/// What the engine made of the text at an offset.
private enum Compilation {
  case empty
  case statement(OpaquePointer, sql: String, endOffset: Int)
  case failure(code: Int32, rest: String, offset: Int?)
  case nulCharacter(rest: String, offset: Int)

  /// - Parameter bytes: The script, with a NUL after its last byte.
  init(_ bytes: UnsafeBufferPointer<UInt8>, from offset: Int, handle: EngineHandle) {
    var offset = offset
    while true {
      let start = SQLStatementStart.find(in: bytes, from: offset)
      guard start < bytes.count, let base = bytes.baseAddress else {
        self = .empty
        return
      }
      let text = UnsafeRawPointer(base + start).assumingMemoryBound(to: CChar.self)
      var statement: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      // The length includes the closing NUL: without it the engine copies the whole rest of the script, for each of its
      // statements (https://www.sqlite.org/c3ref/prepare.html).
      let code = handle.library.functions.prepare_v2(
        handle.database, text, Int32(clamping: bytes.count - start + 1), &statement, &tail)
      guard code == SQLITE_OK else {
        let place = handle.library.optionalFunctions.error_offset.map { Int($0(handle.database)) }
        let rest = String(decoding: bytes[start...], as: UTF8.self)
        self = .failure(code: code, rest: rest, offset: place.flatMap { $0 >= 0 ? $0 : nil })
        return
      }
      let end = start + (tail.map { $0 - text } ?? 0)
      if end < bytes.count, bytes[end] == 0 {
        // The result of finalizing is that of a statement that never ran.
        _ = handle.library.functions.finalize(statement)
        self = .nulCharacter(rest: String(decoding: bytes[start...], as: UTF8.self), offset: end - start)
        return
      }
      if let statement {
        self = .statement(statement, sql: Self.trimmed(bytes[start..<end]), endOffset: end)
        return
      }
      guard end > start else {
        self = .empty
        return
      }
      offset = end
    }
  }

  /// The text without whitespace and semicolons at its end.
  private static func trimmed(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    let end = bytes.lastIndex { ![0x20, 0x09, 0x0a, 0x0c, 0x0d, UInt8(ascii: ";")].contains($0) }
    return String(decoding: bytes[bytes.startIndex..<(end.map { $0 + 1 } ?? bytes.startIndex)], as: UTF8.self)
  }
}
