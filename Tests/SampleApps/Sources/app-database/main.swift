import AppDatabase
import MigratorCommand
import SQLCipherCommand
import SQLiteCommand

let tool = MigratorTool(name: "app-database", migrator: AppDatabase.migrator, backends: [.sqlite, .sqlCipher])
tool.main()
