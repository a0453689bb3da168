internal import Migrator
internal import MigratorCommand
internal import SQLCipherBackend
internal import SQLiteBackend

let sqlite = ToolBackend(name: "sqlite", title: "SQLite") { location throws(DatabaseError) in
  SQLite(path: location.path, library: location.library)
}

let sqlcipher = ToolBackend(name: "sqlcipher", title: "SQLCipher", needsKey: true) { location throws(DatabaseError) in
  SQLCipher(
    path: location.path, key: try EncryptionKey(location.key), settings: CipherSettings(location.cipher),
    library: location.library)
}

MigratorTool(backends: [sqlite, sqlcipher]).main()
