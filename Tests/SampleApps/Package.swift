// swift-tools-version: 6.2
import PackageDescription

// Three apps as their authors write them: a package that depends on this one, and sees public names only.
let package = Package(
  name: "SampleApps",
  platforms: [.macOS(.v15)],
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

    // An app with an encrypted database, whose migrations are Swift code.
    .executableTarget(
      name: "Diary",
      dependencies: [
        .product(name: "Migrator", package: "Migrator"),
        .product(name: "SQLCipherBackend", package: "Migrator"),
      ]),

    // An app and its tool, which share migrations and a database.
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
  ]
)
