internal import CSQLiteLoader
internal import Migrator
internal import SQLSyntax
internal import SQLiteDialect

/// The C connection of the engine, and its state.
///
/// The C connection is closed when its `EngineConnection` is closed and the last of its statements is released: each
/// statement retains this object, so that no statement outlives the memory that it uses.
final class EngineHandle {
  let library: EngineLibrary
  let database: OpaquePointer
  let interrupter: EngineInterrupter
  let busyWait: BusyWait
  /// Whether the connection has a key; if so, an unreadable file means that the key is wrong.
  let isKeyed: Bool
  private(set) var isOpen = true
  /// Whether statements can run: the connection is open, and neither a value nor the transaction was lost.
  private(set) var isReady = true
  /// Whether the driver has begun a transaction that it has neither committed nor rolled back.
  var hasBegun = false {
    didSet { forgetLoss() }
  }
  /// Whether a rollback failed, for lack of memory, so that the transaction is still open.
  var owesRollback = false
  /// Whether the engine has rolled back the driver's transaction by itself, because it had no memory.
  private var hasLostTransaction = false
  /// Whether the connection is borrowed from the application; if so, the driver neither configures nor closes it.
  let isBorrowed: Bool
  /// The driver's statements on a borrowed connection; they end with the loan, even if a caller still retains them.
  private var ownStatements: Set<OpaquePointer> = []
  /// The recorder that uses EXPLAIN to determine which tables statements access; nil unless the connection is borrowed.
  weak var recorder: ExplainRecorder?
  /// The advice when a function, collation or module is missing; nil when there is none.
  var remedyForMissing: String?
  private let file: FileIdentity?
  /// Whether statements that would change the encryption of the open file are rejected.
  var refusesChangesOfEncryption = false
  /// An object to retain while the connection is open.
  var companion: (any AnyObject & Sendable)?
  /// The handler that the engine calls while a statement runs; retained here, because the engine does not retain it.
  var progress: Box<() -> Bool>?

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
    // The owner's handlers could not be restored: the engine has no function that returns them.
    guard !isBorrowed else { return }
    // Without extended codes, violations of unique keys and foreign keys have the same code
    // (https://www.sqlite.org/c3ref/extended_result_codes.html).
    // Both calls fail only for a connection that is not open; this one is open.
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
    // Once closed, a file without a name may lose its inode number to another file, so it is unregistered first.
    let isGone = hasMoved()
    if isGone, let file { OpenFileRegistry.shared.unregister(file) }
    // Closing fails only while statements exist, and each statement retains this object.
    _ = library.functions.close(database)
    if !isGone, let file { OpenFileRegistry.shared.unregister(file) }
  }

  func hasMoved(_ schema: String = "main") -> Bool {
    withUnsafePointer(to: library.functions) { csqlite_has_moved($0, database, schema) } != 0
  }

  /// Returns whether an on/off option is set (https://www.sqlite.org/c3ref/db_config.html); false if the engine does
  /// not have the option.
  func isOn(_ option: Int32) -> Bool { configure(option, -1) }

  /// Sets an on/off option; does nothing if the engine does not have the option.
  func set(_ option: Int32, to isOn: Bool) { _ = configure(option, isOn ? 1 : 0) }

  private func configure(_ option: Int32, _ value: Int32) -> Bool {
    var current: Int32 = 0
    return withUnsafePointer(to: library.functions) {
      csqlite_db_config_flag($0, database, option, value, &current) == SQLITE_OK && current != 0
    }
  }

  /// The statements that the engine has compiled for this connection, including those of virtual tables.
  var statements: some Sequence<OpaquePointer> {
    sequence(state: nil as OpaquePointer?) { [library, database] last in
      last = library.functions.next_stmt(database, last)
      return last
    }
  }

  /// Ends all activity of the connection: resets its statements, which may still be retained, and rolls back an open
  /// transaction.
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

  /// Records that the engine had no memory to convert a value, which was read as empty: the next statement then fails.
  func loseValue() { isReady = false }

  /// Clears the record of a lost value or transaction; called when all changes that could depend on it are rolled back.
  func forgetLoss() {
    isReady = isOpen
    hasLostTransaction = false
  }

  /// Returns the error for using a connection that is not ready, and makes the connection ready again unless it is
  /// closed, or has lost its transaction, without which each statement would be committed alone.
  func notReadyError(sql: String? = nil) -> DatabaseError {
    guard isOpen else { return Self.closedError(library, sql: sql) }
    isReady = !hasLostTransaction
    return DatabaseError(
      .outOfMemory, engine: library.description.name, resultCode: SQLITE_NOMEM, message: "out of memory", sql: sql)
  }

  /// Registers a statement of the driver, so that it can end with the loan of a borrowed connection.
  func adopt(_ statement: OpaquePointer) {
    if isBorrowed { ownStatements.insert(statement) }
  }

  /// Releases a statement of the driver, unless it belongs to a borrowed connection whose loan has ended.
  func finalize(_ statement: OpaquePointer) {
    guard !isBorrowed || ownStatements.remove(statement) != nil else { return }
    // The result repeats the error of the last step (https://www.sqlite.org/c3ref/finalize.html).
    _ = library.functions.finalize(statement)
  }

  /// Resets the driver's statements, so that running ones block neither a rollback nor a change of a setting.
  func resetOwnStatements() {
    // The result repeats the error of the last step.
    for statement in ownStatements { _ = library.functions.reset(statement) }
  }

  private func finalizeOwnStatements() {
    // The result repeats the error of the last step.
    for statement in ownStatements { _ = library.functions.finalize(statement) }
    ownStatements.removeAll()
  }

  /// The number of rows changed since the connection was opened; engines before 3.37 count up to 2147483647.
  var totalChangesCount: Int {
    if let changes = library.optionalFunctions.total_changes64 { return Int(changes(database)) }
    return Int(library.functions.total_changes(database))
  }

  var isRunning: Bool { isRunning(besides: nil) }

  private func isRunning(besides failed: OpaquePointer?) -> Bool {
    statements.contains { $0 != failed && library.functions.stmt_busy($0) != 0 }
  }

  /// Whether an open transaction, or a running statement besides the failed one, makes the connection keep reading one
  /// state of the database.
  private func holdsSnapshot(besides failed: OpaquePointer?) -> Bool {
    library.functions.get_autocommit(database) == 0 || isRunning(besides: failed)
  }

  /// Returns the error for a result code that the engine has just returned, at a position in the statement if the engine
  /// reports one; `failed` counts as running until it is reset.
  func error(
    _ code: Int32, sql: String? = nil, utf8Offset: Int? = nil, of failed: OpaquePointer? = nil
  ) -> DatabaseError {
    let primary = code & 0xff
    // The connection's owner may not have enabled extended codes, but the engine stores the last one in any case.
    let extended = library.functions.extended_errcode(database)
    let code = extended & 0xff == code ? extended : code
    let isFileError = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN
    let systemError = isFileError ? library.functions.system_errno(database) : 0
    var condition = ResultCode.condition(code, systemError: systemError)
    if condition == .notADatabase, isKeyed { condition = .wrongKey }
    // BEGIN IMMEDIATE reads before it takes the lock to write: another connection may commit in between.
    if condition == .stale, primary == SQLITE_BUSY, !holdsSnapshot(besides: failed) { condition = .busy }
    if condition == .busy, busyWait.takeInterruption() { condition = .interrupted }
    if condition == .outOfMemory { noteLostTransaction() }
    // For a read or write that failed for lack of memory, the engine's message is about the disk.
    var message = condition == .outOfMemory ? "out of memory" : self.message(for: code)
    if isFileError, systemError != 0 { message += " (\(SystemError.text(systemError)))" }
    var error = DatabaseError(
      condition, engine: library.description.name, resultCode: code, message: message, sql: sql, utf8Offset: utf8Offset)
    let explained = [SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_NOTADB]
    let fault = explained.contains(primary) ? self.fault(error) : nil
    // The definitions are about the engine: the file is intact.
    if fault?.needsOtherProgram ?? false, primary == SQLITE_CORRUPT { error.condition = .unsupported }
    error.remedy =
      remedy(for: condition, message) ?? (fault?.isOfExisting ?? true ? nil : fault?.advice)
      ?? Remedy.text(for: error.condition, isEncrypted: isKeyed)
    return error
  }

  /// Returns the cause of an error; nil if the message is enough, or if the statement is too long to be examined.
  private func fault(_ error: DatabaseError) -> StatementFault? {
    guard error.sql?.utf8.count ?? 0 < 100_000 else { return nil }
    return StatementFault(error, minorVersion: Int(library.versionNumber) / 1000 % 1000)
  }

  /// Takes note of a transaction that the engine has rolled back for lack of memory, as it does even for a statement that
  /// reads (https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction): later statements fail
  /// with the same error, although a caller may have ignored this one.
  private func noteLostTransaction() {
    guard hasBegun, library.functions.get_autocommit(database) != 0 else { return }
    hasLostTransaction = true
    isReady = false
  }

  /// Returns advice that only borrowed connections need; nil when there is none.
  private func remedy(for condition: DatabaseError.Condition, _ message: String) -> String? {
    if condition == .readOnly, isBorrowed {
      return """
        The connection's owner lets it only read, with `PRAGMA query_only` or a read-only file: lend it within a write, \
        such as GRDB's barrierWriteWithoutTransaction.
        """
    }
    let lacksRoutine = SQLRoutine.missing.contains { message.hasPrefix($0.prefix) }
    return condition == .statement && lacksRoutine ? remedyForMissing : nil
  }

  /// Returns the engine's message for the code, or a general text when the engine's message belongs to a later call.
  private func message(for code: Int32) -> String {
    let isLast = library.functions.extended_errcode(database) == code
    let text = isLast ? library.functions.errmsg(database) : library.functions.errstr(code)
    return text.map { String(cString: $0) } ?? "error \(code)"
  }

  static func closedError(_ library: EngineLibrary, sql: String? = nil) -> DatabaseError {
    DatabaseError(.misuse, engine: library.description.name, message: "the connection is closed", sql: sql)
  }
}

/// A value to which the engine refers by a pointer.
final class Box<Value> {
  let value: Value

  init(_ value: Value) { self.value = value }
}
