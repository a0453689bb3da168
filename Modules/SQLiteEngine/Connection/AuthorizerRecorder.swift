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
  private(set) var changes = RecordedChanges()

  init(handle: EngineHandle) { self.handle = handle }

  deinit { stop() }

  func start() {
    changes = RecordedChanges()
    guard let handle else { return }
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

  private typealias Text = UnsafePointer<CChar>?

  private func record(_ action: Int32, _ first: Text, _ second: Text, _ database: Text) {
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
