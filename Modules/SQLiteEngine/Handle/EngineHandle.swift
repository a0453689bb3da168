internal import CSQLite
internal import Migrator

/// The engine's own connection.
///
/// Closes when its connection is closed and the last of its statements is released: statements keep it alive, so that
/// none of them outlives the memory that it points to.
final class EngineHandle {
  let library: EngineLibrary
  let database: OpaquePointer
  let interrupter: EngineInterrupter
  let busyWait: BusyWait
  /// Whether the connection has a key, so that an unreadable file means a wrong key.
  let isKeyed: Bool
  var isOpen = true
  private let file: FileIdentity?
  /// Whether statements that would change the encryption of the open file are rejected.
  var refusesChangesOfEncryption = false
  /// An object that lives as long as the connection is open.
  var companion: (any AnyObject & Sendable)?
  /// The handler that the engine calls while a statement runs; the engine does not retain it.
  var progress: ProgressHandler?

  init(
    library: EngineLibrary, database: OpaquePointer, file: FileIdentity?, isKeyed: Bool, busyTimeout: Duration
  ) {
    self.library = library
    self.database = database
    self.file = file
    self.isKeyed = isKeyed
    interrupter = EngineInterrupter(library: library, database: database)
    busyWait = BusyWait(timeout: busyTimeout, interrupter: interrupter)
    // Without extended codes, violations of unique keys and foreign keys look the same
    // (https://www.sqlite.org/c3ref/extended_result_codes.html).
    // Both calls fail only for a connection that is not open, and this one is.
    _ = library.functions.extended_result_codes(database, 1)
    _ = library.functions.busy_handler(
      database,
      { context, attempt in
        guard let context else { return 0 }
        return Unmanaged<BusyWait>.fromOpaque(context).takeUnretainedValue().wait(attempt: Int(attempt)) ? 1 : 0
      }, Unmanaged.passUnretained(busyWait).toOpaque())
  }

  deinit {
    interrupter.disconnect()
    // A file without a name belongs to no connection: another file may get its inode number as soon as it is closed.
    let isGone = hasMoved
    if isGone, let file { OpenFileRegistry.shared.unregister(file) }
    // Fails only while statements exist; each of them holds this object.
    _ = library.functions.close(database)
    if !isGone, let file { OpenFileRegistry.shared.unregister(file) }
  }

  /// Whether the database's file is no longer at its path; false for in-memory databases.
  var hasMoved: Bool {
    withUnsafePointer(to: library.functions) { csqlite_has_moved($0, database) } != 0
  }

  /// Whether an option that takes a flag is set (https://www.sqlite.org/c3ref/db_config.html); false for an option that
  /// the engine does not have.
  func isOn(_ option: Int32) -> Bool { configure(option, -1) }

  /// Sets an option that takes a flag; does nothing in an engine without that option.
  func set(_ option: Int32, to isOn: Bool) { _ = configure(option, isOn ? 1 : 0) }

  private func configure(_ option: Int32, _ value: Int32) -> Bool {
    var current: Int32 = 0
    return withUnsafePointer(to: library.functions) {
      csqlite_db_config_flag($0, database, option, value, &current) == SQLITE_OK && current != 0
    }
  }

  /// The statements that the engine has compiled for this connection, those of virtual tables included.
  var statements: some Sequence<OpaquePointer> {
    sequence(state: nil as OpaquePointer?) { [library, database] last in
      last = library.functions.next_stmt(database, last)
      return last
    }
  }

  /// Ends all activity of the connection, although statements may still exist: they are reset, and an open transaction
  /// is rolled back.
  func shutDown() {
    isOpen = false
    companion = nil
    interrupter.disconnect()
    // The result repeats the error of the last step.
    for statement in statements { _ = library.functions.reset(statement) }
    library.functions.progress_handler(database, 0, nil, nil)
    progress = nil
  }

  /// Returns the error of a result code that the engine has just returned, with the statement that failed.
  func error(_ code: Int32, sql: String? = nil) -> DatabaseError {
    let primary = code & 0xff
    let isFileError = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN
    let systemError = isFileError ? library.functions.system_errno(database) : 0
    var condition = ResultCode.condition(code, systemError: systemError)
    if condition == .notADatabase, isKeyed { condition = .wrongKey }
    if condition == .busy, busyWait.takeInterruption() { condition = .interrupted }
    var message = self.message(for: code)
    if isFileError, systemError != 0 { message += " (\(SystemError.text(systemError)))" }
    return DatabaseError(
      condition, engine: library.description.name, resultCode: code, message: message,
      remedy: Remedy.text(for: condition), sql: sql)
  }

  /// Returns the engine's message for the code, or its general text when the message belongs to another call.
  private func message(for code: Int32) -> String {
    let isLast = library.functions.extended_errcode(database) == code
    let text = isLast ? library.functions.errmsg(database) : library.functions.errstr(code)
    return text.map { String(cString: $0) } ?? "error \(code)"
  }

  /// Returns the error of using a connection or statement after the connection was closed.
  static func closedError(_ library: EngineLibrary, sql: String? = nil) -> DatabaseError {
    DatabaseError(.misuse, engine: library.description.name, message: "the connection is closed", sql: sql)
  }
}

final class ProgressHandler {
  let handler: () -> Bool

  init(_ handler: @escaping () -> Bool) { self.handler = handler }
}
