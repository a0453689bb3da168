import Migrator
import MigratorCommand
import SQLCipherCommand
import SQLiteCommand

/// The sample of the tool's page.
enum AppDatabase {
  static let migrator = GettingStarted.migrator

  static func main() {
    // sample
    let tool = MigratorTool(name: "app-database", migrator: AppDatabase.migrator, backends: [.sqlite, .sqlCipher])
    tool.main()
    // end of sample
  }
}
