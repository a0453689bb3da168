internal import DqliteCommand
internal import MigratorCommand
internal import SQLCipherCommand
internal import SQLiteCommand

MigratorTool(backends: [.sqlite, .sqlCipher, .dqlite]).main()
