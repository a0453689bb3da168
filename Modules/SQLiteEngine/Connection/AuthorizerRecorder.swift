internal import CSQLiteLoader
internal import Migrator
internal import SQLSyntax
internal import SQLiteDialect

/// A recorder of the tables that statements access, which SQLite's authorizer reports when the statements are compiled
/// (https://www.sqlite.org/c3ref/set_authorizer.html), also for triggers, foreign key actions and views.
///
/// Statements that were prepared before the recording are recorded as well, since the engine recompiles them at their
/// next step. The authorizer reports neither a table whose definition changes only through an edit of `sqlite_schema`,
/// nor the new name of a renamed table; to find such tables, the core compares the schemas before and after the
/// recording.
final class AuthorizerRecorder: ChangeRecorder {
  private var handle: EngineHandle?

  /// The connection that owns this recorder; unowned, because counting weak references would slow down both objects.
  unowned var connection: EngineConnection?

  private(set) var changes = RecordedChanges()
  private var added = AddedObjects()
  private var isRecording = false
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
    // Installing the authorizer makes the engine recompile all statements, each at its next step.
    if !isInstalled || hasStatements(of: handle) { install(handle) }
  }

  /// Ends recording.
  ///
  /// The authorizer stays installed until a statement is compiled outside a recording (see ``uninstallIfIdle()``),
  /// because the next migration of a group usually starts a recording immediately.
  func stop() { isRecording = false }

  /// Removes the authorizer unless a recording is active.
  ///
  /// Does nothing while a statement runs: in old engines such as SQLite 3.15, removing the authorizer would end the
  /// statement as if it had been rolled back.
  func uninstallIfIdle() {
    guard isInstalled, !isRecording, let handle, !handle.isRunning else { return }
    uninstall()
  }

  /// Returns whether the connection has compiled statements besides this recorder's query and those of savepoints; the
  /// recorder does not see their accesses until they are compiled again.
  private func hasStatements(of handle: EngineHandle) -> Bool {
    let own = [added.query as? EngineStatement, connection?.savepoint?.begin, connection?.savepoint?.release]
    return handle.statements.contains { statement in !own.contains { $0?.statement == statement } }
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
    // Removing an authorizer cannot fail either.
    _ = handle.library.functions.set_authorizer(handle.database, nil, nil)
  }

  /// Returns the objects added since the recording began: those in the newest rows of `sqlite_schema`.
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
      // Here the first argument is the database, and the second is the table's name before the change.
      insert(second, ifMain: first)
    case SQLITE_PRAGMA:
      // Reading the setting, as for the state of the connection after each migration, permits no edit.
      if let first, second != nil, String(cString: first).asciiLowercased == "writable_schema" {
        changes.isIncomplete = true
      }
    default:
      break
    }
  }

  private func insert(_ name: Text, ifMain database: Text) {
    guard let name, let database, String(cString: database) == "main" else { return }
    let table = String(cString: name)
    // Each change of the schema writes to the table of definitions, to which no foreign key refers.
    if table != "sqlite_master" { changes.tables.insert(table.asciiLowercased) }
  }
}
