public import Migrator

/// The command line tool, for migrations in a folder or for an app's own migrations.
///
/// ```swift
/// MigratorTool(migrator: AppDatabase.migrator, backends: [.sqlite]).main()
/// ```
public struct MigratorTool: Sendable {
  /// The name of the program.
  public let name: String
  /// The version that `--version` and the manual page print: this package's version, unless the app passes another.
  public let version: String
  /// The app's own migrations; nil when they are SQL files in a folder.
  public let migrator: DatabaseMigrator?
  /// The backends to choose from; the first one is the default for a new database.
  public let backends: [ToolBackend]
  /// The default database; nil if the command line must name one.
  public let database: String?
  /// The version of this package, which is defined only here; the first entry of the changelog describes it.
  public static let packageVersion = "1.0.0"
  /// The default folder for migrations.
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
