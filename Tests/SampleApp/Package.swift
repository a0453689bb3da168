// swift-tools-version: 6.2
import PackageDescription

// An app of somebody else's, whose migrations are Swift code: a package of its own, which sees public names only.
let package = Package(
  name: "SampleApp",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The test that builds it copies it to another place.
    .package(name: "Migrator", path: Context.environment["MIGRATOR_PACKAGE"] ?? "../..")
  ],
  targets: [
    .target(name: "AppDatabase", dependencies: [.product(name: "Migrator", package: "Migrator")]),
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
