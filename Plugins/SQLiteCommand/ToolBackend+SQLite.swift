internal import Migrator
public import MigratorCommand
internal import SQLiteBackend

extension ToolBackend {
  /// The backend for unencrypted databases, run by SQLite.
  public static let sqlite = ToolBackend(name: "sqlite", title: "SQLite") { location throws(DatabaseError) in
    SQLite(path: location.path, engine: EngineSource(libraryPath: location.library))
  }
}
