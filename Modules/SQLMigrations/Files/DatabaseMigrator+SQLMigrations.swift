#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Migrator

extension DatabaseMigrator {
  /// Registers migrations in order, after those that are already registered.
  ///
  /// ```swift
  /// migrator.registerMigrations(Migrations.all)
  /// ```
  ///
  /// The plugin `EmbedSQLMigrations` creates `Migrations.all` from the SQL files in the target's folder `Migrations`.
  ///
  /// - Precondition: None of these migrations has the identifier of a migration that is already registered.
  public mutating func registerMigrations(_ migrations: [SQLMigration]) {
    for migration in migrations {
      register(Migration(migration) { db in try migration.file().run(db, isInterrupted: { false }) })
    }
  }

  /// Registers the migrations in a folder of SQL files, such as a resource of the app's bundle, in order.
  ///
  /// The folder is read only once, by this call. The command line tool recognizes migrations that the app has applied,
  /// and the app recognizes those that the tool has applied.
  ///
  /// - Throws: An error with all problems of all files; after an error, no migration is registered.
  /// - Precondition: None of these migrations has the identifier of a migration that is already registered.
  public mutating func registerMigrations(in path: String) throws(MigrationFolderError) {
    registerMigrations(try MigrationFolder.read(path).migrations)
  }

  /// Registers the migrations in a folder, given by its URL, in the same way as for a path.
  public mutating func registerMigrations(in folder: URL) throws(MigrationFolderError) {
    try registerMigrations(in: folder.path(percentEncoded: false))
  }
}
