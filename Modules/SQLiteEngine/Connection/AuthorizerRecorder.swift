internal import CSQLite
internal import Migrator
internal import SQLSyntax
internal import SQLiteDialect

/// Records which tables statements access, as the engine's authorizer reports them during compilation.
///
/// https://www.sqlite.org/c3ref/set_authorizer.html. The authorizer sees accesses by triggers, foreign key actions and
/// views. The engine compiles statements that were already prepared again at their next step, so these are recorded
/// too. The authorizer does not report tables whose definition changes only through an edit of the schema text, or the
/// new name of a renamed table; for those, the core compares the schemas before and after.
final class AuthorizerRecorder: ChangeRecorder {
  /// The engine's connection; nil after it was closed.
  private var handle: EngineHandle?

  /// The connection that owns this recorder; nil after it was closed.
  ///
  /// Unowned: every caller of the recorder holds the connection, and counting weak references would slow down both.
  unowned var connection: EngineConnection?

  private(set) var changes = RecordedChanges()
  private var added = AddedObjects()
  private var isRecording = false
  /// Whether this recorder is installed as the engine's authorizer.
  private var isInstalled = false

  init(handle: EngineHandle) { self.handle = handle }

  deinit { uninstall() }

  func start(isContinued: Bool) {
    let isContinued = isContinued && !changes.isIncomplete
    changes.tables.removeAll(keepingCapacity: true)
    changes.isIncomplete = false
    guard let handle else { return }
    added.start(isContinued: isContinued, connection)
    isRecording = true
    // Installing the authorizer makes the engine compile all statements again, each at its next step.
    if !isInstalled || hasStatements(of: handle) { install(handle) }
  }

  /// Ends recording.
  ///
  /// The authorizer stays installed until a statement is compiled outside a recording, see ``uninstallIfIdle()``:
  /// usually, the next migration of a group starts recording immediately.
  func stop() { isRecording = false }

  /// Removes the authorizer unless a recording is active.
  ///
  /// Does nothing while a statement runs: in engines such as SQLite 3.15, that would end the statement as if it had
  /// been rolled back.
  func uninstallIfIdle() {
    guard isInstalled, !isRecording, let handle,
      !handle.statements.contains(where: { handle.library.functions.stmt_busy($0) != 0 })
    else { return }
    uninstall()
  }

  /// Whether statements other than the driver's own were already compiled and must be compiled again to be recorded.
  private func hasStatements(of handle: EngineHandle) -> Bool {
    handle.statements.contains { $0 != (added.query as? EngineStatement)?.statement }
  }

  private func install(_ handle: EngineHandle) {
    isInstalled = true
    // Setting an authorizer cannot fail for an open connection.
    _ = handle.library.functions.set_authorizer(
      handle.database,
      { context, action, first, second, database, _ in
        guard let context else { return SQLITE_OK }
        Unmanaged<AuthorizerRecorder>.fromOpaque(context).takeUnretainedValue()
          .record(action, first, second, database)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func uninstall() {
    guard isInstalled, let handle else { return }
    isInstalled = false
    // This cannot fail either, as above.
    _ = handle.library.functions.set_authorizer(handle.database, nil, nil)
  }

  /// The objects that the rows of the schema table after the last one that was there at the start describe.
  func addedObjects() throws(DatabaseError) -> [SchemaObject]? {
    guard !changes.isIncomplete, let connection else { return nil }
    return try added.read { (query) throws(DatabaseError) in try connection.prepareStatement(query, utf8Offset: 0).0 }
  }

  /// Releases the objects that keep the engine's connection open.
  func disconnect() {
    stop()
    uninstall()
    added.disconnect()
    connection = nil
    handle = nil
  }

  private typealias Text = UnsafePointer<CChar>?

  private func record(_ action: Int32, _ first: Text, _ second: Text, _ database: Text) {
    guard isRecording else { return }
    switch action {
    case SQLITE_DROP_TABLE, SQLITE_DROP_INDEX, SQLITE_DROP_VIEW, SQLITE_DROP_TRIGGER, SQLITE_ALTER_TABLE,
      SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
      added.onlyAdds = false
    case SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_CREATE_VIEW, SQLITE_CREATE_TRIGGER:
      added.hasAdded = true
    default: break
    }
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE, SQLITE_CREATE_VTABLE,
      SQLITE_DROP_VTABLE:
      insert(first, ifMain: database)
    case SQLITE_CREATE_INDEX, SQLITE_DROP_INDEX:
      insert(second, ifMain: database)
    case SQLITE_ALTER_TABLE:
      // Here the database is the first argument, and the name is the one before the change.
      insert(second, ifMain: first)
    case SQLITE_PRAGMA:
      if let first, String(cString: first).asciiLowercased == "writable_schema" { changes.isIncomplete = true }
    default:
      break
    }
  }

  private func insert(_ name: Text, ifMain database: Text) {
    guard let name, let database, String(cString: database) == "main" else { return }
    changes.tables.insert(String(cString: name).asciiLowercased)
  }
}
