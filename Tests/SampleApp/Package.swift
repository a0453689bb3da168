// swift-tools-version: 6.2
import PackageDescription

// The package of an app whose migrations are Swift code. It is separate, so it sees only public names.
let package = Package(
  name: "SampleApp",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The test that builds this package copies it to another location.
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
