import Migrator
import SQLMigrations

/// The samples of the page about SQL files that no sample app shows.
enum SQLFiles {
  static func migrator(_ folder: String) throws -> DatabaseMigrator {
    // sample
    var migrator = DatabaseMigrator()
    try migrator.registerMigrations(in: folder)
    // end of sample
    return migrator
  }

  static func printProblems(_ folder: String) {
    // sample
    for problem in MigrationFolder(folder).problems { print(problem) }
    // end of sample
  }

  static func edited(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) throws -> [String] {
    var migrator = migrator
    // sample
    migrator.editedMigrations = .refuse
    do {
      try migrator.migrate(dbQueue)
    } catch MigrationError.edited(let identifiers) {
      // Nothing was done.
      return identifiers
    }
    // end of sample
    return []
  }

  static func failing(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) throws -> String? {
    // sample
    do {
      try migrator.migrate(dbQueue)
    } catch MigrationError.failed(let failure) {
      guard let error = failure.underlying as? SQLMigration.StatementError else { throw failure.underlying }
      return "\(error.path):\(error.line):\(error.column)"
    }
    // end of sample
    return nil
  }
}
