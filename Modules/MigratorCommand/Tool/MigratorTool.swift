public import Migrator

/// The tool: every command, for the migrations of a folder or for an app's own.
///
/// ```swift
/// MigratorTool(migrator: AppDatabase.migrator, backends: [.sqlite]).main()
/// ```
public struct MigratorTool: Sendable {
  /// The name of the program.
  public let name: String
  /// The version that `--version` and the manual page print; this package's, unless the app passes its own.
  public let version: String
  /// The app's own migrations; nil when they are SQL files in a folder.
  public let migrator: DatabaseMigrator?
  /// The backends to choose from; the first one opens a new database when nothing speaks for another.
  public let backends: [ToolBackend]
  /// The database when none is named; nil makes naming one necessary.
  public let database: String?
  /// The version of this package, stated here only; the first entry of the changelog describes it.
  public static let packageVersion = "1.0.0"
  /// The folder that is read when none is named.
  static let usualFolder = "migrations"

  /// Creates a tool.
  ///
  /// - Precondition: There is at least one backend, and no two have the same name.
  public init(
    name: String = "migrator", version: String = Self.packageVersion, migrator: DatabaseMigrator? = nil,
    backends: [ToolBackend], database: String? = nil
  ) {
    precondition(!backends.isEmpty, "A tool needs a backend.")
    precondition(Set(backends.map(\.name)).count == backends.count, "Two backends have the same name.")
    (self.name, self.version, self.database) = (name, version, database)
    (self.migrator, self.backends) = (migrator, backends)
  }
}
