internal import CSQLite
internal import Migrator
internal import SQLiteDialect

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
  private(set) var isOpen = true
  /// Whether statements can run: the connection is open, and no value was lost.
  private(set) var isReady = true
  /// Whether the connection is the application's, which has lent it: it is then neither set up nor closed here.
  let isBorrowed: Bool
  /// The driver's own statements on a borrowed connection: they end with the loan, even if a caller still holds them.
  private var ownStatements: Set<OpaquePointer> = []
  /// Explains what statements on a borrowed connection touch; nil when the engine reports that by itself.
  weak var recorder: ExplainRecorder?
  /// The advice about functions, collations and modules that are missing; nil when there is none.
  var remedyForMissing: String?
  private let file: FileIdentity?
  /// Whether statements that would change the encryption of the open file are rejected.
  var refusesChangesOfEncryption = false
  /// An object that lives as long as the connection is open.
  var companion: (any AnyObject & Sendable)?
  /// The handler that the engine calls while a statement runs; the engine does not retain it.
  var progress: ProgressHandler?

  init(
    library: EngineLibrary, database: OpaquePointer, file: FileIdentity?, isKeyed: Bool, busyTimeout: Duration,
    isBorrowed: Bool = false
  ) {
    self.library = library
    self.database = database
    self.file = file
    self.isKeyed = isKeyed
    self.isBorrowed = isBorrowed
    interrupter = EngineInterrupter(library: library, database: database)
    busyWait = BusyWait(timeout: busyTimeout, interrupter: interrupter)
    // Handlers of the owner could not be given back: the engine has no function that returns them.
    guard !isBorrowed else { return }
    // Without extended codes a unique key and a foreign key fail alike (https://www.sqlite.org/c3ref/extended_result_codes.html).
    // Both calls fail for a connection that is not open only, which this one is.
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
    guard !isBorrowed else { return }
    // A file that has lost its name belongs to no connection: another file may get its number as soon as it is closed.
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
    isReady = false
    defer { companion = nil }
    interrupter.disconnect()
    guard !isBorrowed else { return finalizeOwnStatements() }
    // The result repeats the error of the last step.
    for statement in statements { _ = library.functions.reset(statement) }
    library.functions.progress_handler(database, 0, nil, nil)
    progress = nil
  }

  /// Takes note that the engine had no memory to convert a value, which was then read as empty: the next statement fails,
  /// so that nothing is done with the value.
  func loseValue() { isReady = false }

  /// Forgets a lost value, since everything that could depend on it is rolled back.
  func forgetLostValue() { isReady = isOpen }

  /// Returns the error of using a connection that is not ready; afterwards it is ready again unless it is closed.
  func notReadyError(sql: String? = nil) -> DatabaseError {
    guard isOpen else { return Self.closedError(library, sql: sql) }
    isReady = true
    return DatabaseError(
      .outOfMemory, engine: library.description.name, resultCode: SQLITE_NOMEM, message: "out of memory", sql: sql)
  }

  /// Takes note of a statement of the driver's own.
  func adopt(_ statement: OpaquePointer) {
    if isBorrowed { ownStatements.insert(statement) }
  }

  /// Releases a statement of the driver's own; one of a borrowed connection is gone when the loan has ended.
  func finalize(_ statement: OpaquePointer) {
    guard !isBorrowed || ownStatements.remove(statement) != nil else { return }
    // The result repeats the error of the last step (https://www.sqlite.org/c3ref/finalize.html).
    _ = library.functions.finalize(statement)
  }

  /// Ends the runs of the driver's own statements, so that they block neither a rollback nor a setting.
  func resetOwnStatements() {
    // The result repeats the error of the last step.
    for statement in ownStatements { _ = library.functions.reset(statement) }
  }

  private func finalizeOwnStatements() {
    // As above.
    for statement in ownStatements { _ = library.functions.finalize(statement) }
    ownStatements.removeAll()
  }

  /// The rows changed since the connection was opened; engines before 3.37 count up to 2147483647.
  var totalChangesCount: Int {
    if let changes = library.optionalFunctions.total_changes64 { return Int(changes(database)) }
    return Int(library.functions.total_changes(database))
  }

  /// The error of a result code that the engine has just given, with the statement that failed.
  func error(_ code: Int32, sql: String? = nil) -> DatabaseError {
    let primary = code & 0xff
    // An owner may have left extended codes off; the engine has the last one all the same.
    let extended = library.functions.extended_errcode(database)
    let code = extended & 0xff == code ? extended : code
    let isFileError = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN
    let systemError = isFileError ? library.functions.system_errno(database) : 0
    var condition = ResultCode.condition(code, systemError: systemError)
    if condition == .notADatabase, isKeyed { condition = .wrongKey }
    if condition == .busy, busyWait.takeInterruption() { condition = .interrupted }
    // For a read or write that failed for lack of memory, the engine's message is about the disk.
    var message = condition == .outOfMemory ? "out of memory" : self.message(for: code)
    if isFileError, systemError != 0 { message += " (\(SystemError.text(systemError)))" }
    return DatabaseError(
      condition, engine: library.description.name, resultCode: code, message: message,
      remedy: remedy(for: condition, message) ?? Remedy.text(for: condition), sql: sql)
  }

  /// The advice that depends on how the connection came here; nil when there is none.
  private func remedy(for condition: DatabaseError.Condition, _ message: String) -> String? {
    if condition == .readOnly, isBorrowed {
      return """
        The connection's owner lets it only read, with `PRAGMA query_only` or a read-only file: lend it within a write, \
        such as GRDB's barrierWriteWithoutTransaction.
        """
    }
    let missing = ["no such collation sequence: ", "no such function: ", "no such module: ", "unknown tokenizer: "]
    return condition == .statement && missing.contains { message.hasPrefix($0) } ? remedyForMissing : nil
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
