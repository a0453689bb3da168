#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Migrator

extension DatabaseMigrator {
  /// Registers migrations in their order, after those that are registered.
  ///
  /// ```swift
  /// migrator.registerMigrations(Migrations.all)
  /// ```
  ///
  /// `Migrations.all` is the folder `Migrations` of the target, which the plugin `EmbedSQLMigrations` embeds in the program.
  ///
  /// - Precondition: No migration of one of their identifiers is registered.
  public mutating func registerMigrations(_ migrations: [SQLMigration]) {
    for migration in migrations {
      register(Migration(migration) { db in try migration.file().run(db, isInterrupted: { false }) })
    }
  }

  /// Registers the migrations of a folder of SQL files, such as a resource of the app's bundle, in their order.
  ///
  /// The folder is read once, now; the database that runs the migrations reads "applied" in the tool, and the other way
  /// round.
  ///
  /// - Throws: All problems of all files at once; then nothing is registered.
  /// - Precondition: No migration of one of their identifiers is registered.
  public mutating func registerMigrations(in path: String) throws(MigrationFolderError) {
    registerMigrations(try MigrationFolder.read(path).migrations)
  }

  /// Registers the migrations of a folder, as the form with a path does.
  public mutating func registerMigrations(in folder: URL) throws(MigrationFolderError) {
    try registerMigrations(in: folder.path(percentEncoded: false))
  }
}
