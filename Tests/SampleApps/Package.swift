// swift-tools-version: 6.2
import PackageDescription

// Apps as their authors write them: a package that depends on this one, and sees public names only.
let package = Package(
  name: "SampleApps",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "Migrator", path: "../..")],
  targets: [
    // An app with its own connection to SQLite, whose migrations are SQL files inside the program.
    .systemLibrary(name: "CSQLite3"),
    // sample
    .executableTarget(
      name: "Notes",
      dependencies: [
        "CSQLite3",
        .product(name: "Migrator", package: "Migrator"),
        .product(name: "SQLMigrations", package: "Migrator"),
        .product(name: "SQLiteBackend", package: "Migrator"),
      ],
      plugins: [.plugin(name: "EmbedSQLMigrations", package: "Migrator")]),
    // end of sample

    // Apps with a connection of GRDB and of SQLite.swift, and modules with the part of both interfaces that they use.
    .target(name: "GRDB", dependencies: ["CSQLite3"], path: "Sources/Stubs/GRDB"),
    .target(name: "SQLite", dependencies: ["CSQLite3"], path: "Sources/Stubs/SQLite"),
    .executableTarget(
      name: "Scores",
      dependencies: [
        "GRDB",
        .product(name: "Migrator", package: "Migrator"),
        .product(name: "SQLiteBackend", package: "Migrator"),
      ]),
    .executableTarget(
      name: "Contacts",
      dependencies: [
        "SQLite",
        .product(name: "Migrator", package: "Migrator"),
        .product(name: "SQLiteBackend", package: "Migrator"),
      ]),

    // An app with an encrypted database, whose migrations are Swift code.
    .executableTarget(
      name: "Diary",
      dependencies: [
        .product(name: "Migrator", package: "Migrator"),
        .product(name: "SQLCipherBackend", package: "Migrator"),
      ]),

    // An app and its tool, which share migrations and a database.
    // sample
    .target(name: "AppDatabase", dependencies: [.product(name: "Migrator", package: "Migrator")]),
    .executableTarget(
      name: "Library",
      dependencies: [
        "AppDatabase",
        .product(name: "Migrator", package: "Migrator"),
        .product(name: "SQLiteBackend", package: "Migrator"),
      ]),
    .executableTarget(
      name: "app-database",
      dependencies: [
        "AppDatabase",
        .product(name: "MigratorCommand", package: "Migrator"),
        .product(name: "SQLCipherCommand", package: "Migrator"),
        .product(name: "SQLiteCommand", package: "Migrator"),
      ]),
    // end of sample

    // Apps whose engine is linked into the program: SQLCipher with OpenSSL, and SQLite.
    // sample
    .target(
      name: "AppSQLCipher", dependencies: [.product(name: "SQLCipherBackend", package: "Migrator")],
      linkerSettings: [.linkedLibrary(":libsqlcipher.a"), .linkedLibrary("crypto"), .linkedLibrary("m")]),
    // end of sample
    .executableTarget(
      name: "Linked",
      dependencies: [
        "AppSQLCipher",
        .product(name: "Migrator", package: "Migrator"),
        .product(name: "SQLCipherBackend", package: "Migrator"),
        .product(name: "SQLiteBackend", package: "Migrator"),
      ]),
    .target(
      name: "AppSQLite", dependencies: [.product(name: "SQLiteBackend", package: "Migrator")],
      linkerSettings: [.linkedLibrary(":libsqlite3.a"), .linkedLibrary("m")]),
    .executableTarget(
      name: "LinkedPlain",
      dependencies: [
        "AppSQLite",
        .product(name: "Migrator", package: "Migrator"),
        .product(name: "MigratorTestKit", package: "Migrator"),
        .product(name: "SQLiteBackend", package: "Migrator"),
      ]),
  ]
)
