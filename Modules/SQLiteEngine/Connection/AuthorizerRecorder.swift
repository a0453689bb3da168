internal import CSQLite
internal import Migrator

/// Records which tables statements touch, as the engine's authorizer reports them while it compiles them.
///
/// https://www.sqlite.org/c3ref/set_authorizer.html. It sees through triggers, foreign key actions and views. Statements
/// that were prepared before are compiled again at their next step, and so are seen too. The tables whose definition a
/// change of the schema text alone alters, and the new name of a renamed table, are not reported: the core compares the
/// schemas before and after for those.
final class AuthorizerRecorder: ChangeRecorder {
  private weak var handle: EngineHandle?

  /// The connection that owns this recorder.
  weak var connection: EngineConnection?

  private(set) var changes = RecordedChanges()

  /// Whether nothing was seen that changes the schema otherwise than by new objects.
  private var onlyAdds = true

  /// Whether something was seen that makes a new object.
  private var hasAdded = false

  /// The last row of the schema table when recording started, or when additions were asked for; nil when it could not be
  /// read.
  private var lastRow: Int64?

  /// Reads the rows of the schema table behind one of them.
  private var additions: EngineStatement?

  init(handle: EngineHandle) { self.handle = handle }

  deinit { stop() }

  func start(isContinued: Bool) {
    if !isContinued || !onlyAdds || changes.isIncomplete { lastRow = nil }
    changes = RecordedChanges()
    onlyAdds = true
    hasAdded = false
    guard let handle else { return }
    // Without it, additions cannot be told, which the core copes with.
    if lastRow == nil { lastRow = try? connection?.integer("SELECT coalesce(max(rowid), 0) FROM main.sqlite_master") }
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

  func stop() {
    guard let handle else { return }
    // As above.
    _ = handle.library.functions.set_authorizer(handle.database, nil, nil)
  }

  /// The rows of the schema table behind the last one that was there at the start: new objects come at its end, as in any
  /// table with rowids, and nothing but what ``onlyAdds`` rules out changes or removes a row.
  func addedObjects() throws(DatabaseError) -> [SchemaObject]? {
    guard onlyAdds, !changes.isIncomplete, let start = lastRow, let connection else { return nil }
    guard hasAdded else { return [] }
    if additions == nil {
      additions = try connection.prepareStatement(EngineConnection.schemaRows(after: "?1"), utf8Offset: 0).0
    }
    guard let additions else { return nil }
    defer { additions.reset() }
    try additions.bind(.integer(start), at: 0)
    var objects: [SchemaObject] = []
    while try additions.step() {
      lastRow = additions.integer(at: 0)
      guard let object = EngineConnection.schemaObject(additions) else { continue }
      if object.isVirtual { return nil }
      if !EngineConnection.isReserved(object.name) { objects.append(object) }
    }
    return objects
  }

  /// Gives up what keeps the engine's connection open.
  func disconnect() {
    stop()
    additions = nil
  }

  private typealias Text = UnsafePointer<CChar>?

  private func record(_ action: Int32, _ first: Text, _ second: Text, _ database: Text) {
    switch action {
    case SQLITE_DROP_TABLE, SQLITE_DROP_INDEX, SQLITE_DROP_VIEW, SQLITE_DROP_TRIGGER, SQLITE_ALTER_TABLE,
      SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
      onlyAdds = false
    case SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_CREATE_VIEW, SQLITE_CREATE_TRIGGER:
      hasAdded = true
    default: break
    }
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE, SQLITE_CREATE_VTABLE,
      SQLITE_DROP_VTABLE:
      insert(first, ifMain: database)
    case SQLITE_CREATE_INDEX, SQLITE_DROP_INDEX:
      insert(second, ifMain: database)
    case SQLITE_ALTER_TABLE:
      // Here the database comes first, and the name is the one before the change.
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
