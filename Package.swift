// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: strict by default, so that a laxer target would stand out.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The platforms whose SQLite belongs to the system and is linked.
let applePlatforms: [Platform] = [.macOS, .iOS, .tvOS, .watchOS, .visionOS]

let package = Package(
  name: "Migrator",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "Migrator", targets: ["Migrator"]),
    .library(name: "SQLiteBackend", targets: ["SQLiteBackend"]),
    .library(name: "SQLCipherBackend", targets: ["SQLCipherBackend"]),
    .library(name: "DqliteBackend", targets: ["DqliteBackend"]),
    .library(name: "SQLMigrations", targets: ["SQLMigrations"]),
    .library(name: "MigratorCommand", targets: ["MigratorCommand"]),
    .library(name: "SQLiteCommand", targets: ["SQLiteCommand"]),
    .library(name: "SQLCipherCommand", targets: ["SQLCipherCommand"]),
    .library(name: "DqliteCommand", targets: ["DqliteCommand"]),
    .library(name: "MigratorTestKit", targets: ["MigratorTestKit"]),
    // Tools/release names it `migrator`. As a product, that would differ from `Migrator` only in letter case, which most Macs
    // ignore; and SwiftPM gives plugins only products that are named like their target.
    .executable(name: "MigratorProgram", targets: ["MigratorProgram"]),
    .plugin(name: "EmbedSQLMigrations", targets: ["EmbedSQLMigrations"]),
    .plugin(name: "MigratorPlugin", targets: ["MigratorPlugin"]),
  ],
  targets: [
    // SQL text as tokens, statements and trees: knows no database.
    .target(name: "SQLSyntax", path: "Modules/SQLSyntax", swiftSettings: strict),

    // The core: knows no engine.
    .target(name: "Migrator", dependencies: ["SQLSyntax"], path: "Modules/Migrator", swiftSettings: strict),

    // The features that engines of the SQLite family share, written in SQL alone.
    .target(
      name: "SQLiteDialect", dependencies: ["Migrator", "SQLSyntax"], path: "Modules/SQLiteDialect",
      swiftSettings: strict),

    // The engines: a table of C functions, loaded or linked, and one Swift driver over it.
    .target(
      name: "CSQLiteLoader", path: "Modules/CSQLiteLoader",
      // In a C target, because SwiftPM would add Foundation to a Swift target that has a resource.
      resources: [.copy("PrivacyInfo.xcprivacy")],
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(
      name: "SQLiteEngine", dependencies: ["Migrator", "SQLSyntax", "SQLiteDialect", "CSQLiteLoader"],
      path: "Modules/SQLiteEngine",
      swiftSettings: strict),

    // The backends that an app chooses from.
    .target(
      name: "CSystemSQLite", dependencies: ["CSQLiteLoader"], path: "Plugins/CSystemSQLite", publicHeadersPath: ".",
      linkerSettings: [.linkedLibrary("sqlite3", .when(platforms: applePlatforms))]),
    .target(
      name: "SQLiteBackend",
      dependencies: [
        "Migrator", "SQLiteEngine", .target(name: "CSystemSQLite", condition: .when(platforms: applePlatforms)),
      ],
      path: "Plugins/SQLiteBackend", swiftSettings: strict),
    .target(
      name: "SQLCipherBackend", dependencies: ["Migrator", "SQLiteDialect", "SQLiteEngine"],
      path: "Plugins/SQLCipherBackend",
      swiftSettings: strict),

    // SQLite replicated across machines: the protocol of dqlite's nodes, and the backend.
    .target(name: "DqliteWire", path: "Plugins/DqliteWire", swiftSettings: strict),
    .target(
      name: "DqliteBackend", dependencies: ["Migrator", "SQLSyntax", "SQLiteDialect", "DqliteWire"],
      path: "Plugins/DqliteBackend", swiftSettings: strict),

    // Folders of SQL files as migrations, and the rules about what these files hold.
    .target(
      name: "SQLMigrations", dependencies: ["Migrator", "SQLSyntax"], path: "Modules/SQLMigrations",
      swiftSettings: strict),
    .target(
      name: "MigratorLint", dependencies: ["Migrator", "SQLSyntax", "SQLMigrations"], path: "Modules/MigratorLint",
      swiftSettings: strict),

    // The tool, as a library and as a program.
    .target(
      name: "MigratorCommand",
      dependencies: ["Migrator", "SQLSyntax", "SQLiteDialect", "SQLMigrations", "MigratorLint"],
      path: "Modules/MigratorCommand", swiftSettings: strict),
    .target(
      name: "SQLiteCommand", dependencies: ["Migrator", "MigratorCommand", "SQLiteBackend"],
      path: "Plugins/SQLiteCommand", swiftSettings: strict),
    .target(
      name: "SQLCipherCommand", dependencies: ["Migrator", "MigratorCommand", "SQLCipherBackend"],
      path: "Plugins/SQLCipherCommand", swiftSettings: strict),
    .target(
      name: "DqliteCommand", dependencies: ["Migrator", "MigratorCommand", "DqliteBackend"],
      path: "Plugins/DqliteCommand", swiftSettings: strict),
    .executableTarget(
      name: "MigratorProgram",
      dependencies: ["MigratorCommand", "SQLiteCommand", "SQLCipherCommand", "DqliteCommand"],
      path: "Tools/migrator", swiftSettings: strict),

    // The plugins: SQL files embedded at build time, and the tool in any package that depends on this one.
    .executableTarget(
      name: "embed-sql-migrations", dependencies: ["SQLMigrations", "SQLSyntax"], path: "Tools/embed-sql-migrations",
      swiftSettings: strict),
    .plugin(
      name: "EmbedSQLMigrations", capability: .buildTool(), dependencies: ["embed-sql-migrations"],
      path: "Plugins/EmbedSQLMigrations"),
    .plugin(
      name: "MigratorPlugin",
      capability: .command(
        intent: .custom(verb: "migrator", description: "Runs migrator, the tool for folders of SQL migrations")),
      dependencies: ["MigratorProgram"], path: "Plugins/MigratorPlugin"),

    // Tools/bench: the library against plain C on the same engine.
    .executableTarget(
      name: "BenchmarkRaw", path: "Tools/benchmark/Raw",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .executableTarget(
      name: "Benchmark",
      dependencies: ["Migrator", "SQLMigrations", "SQLiteEngine", "SQLiteBackend", "SQLCipherBackend"],
      path: "Tools/benchmark/Swift", swiftSettings: strict),

    // The checks that authors run on their backends; requires no test framework.
    .target(
      name: "MigratorTestKit", dependencies: ["Migrator", "SQLSyntax", "SQLiteDialect"],
      path: "Modules/MigratorTestKit", exclude: ["BACKEND-RULES.md"], swiftSettings: strict),

    // Tests: one target a module, plus every contract on every engine, and the tool as a user sees it.
    .target(
      name: "TestEngines",
      dependencies: [
        "Migrator", "SQLMigrations", "SQLiteEngine", "SQLiteBackend", "SQLCipherBackend",
      ],
      path: "Tests/TestEngines", swiftSettings: strict),
    .executableTarget(
      name: "TestWorker",
      dependencies: [
        "Migrator", "SQLiteEngine", "SQLCipherBackend", "MigratorCommand", "SQLiteCommand", "SQLCipherCommand",
        "TestEngines",
      ],
      path: "Tests/TestWorker", swiftSettings: strict),
    .executableTarget(
      name: "WalkProgram",
      dependencies: ["Migrator", "MigratorCommand", "MigratorTestKit", "SQLCipherBackend", "SQLiteBackend"],
      path: "Tests/WalkProgram", swiftSettings: strict),
    .executableTarget(name: "DqliteNode", path: "Tests/DqliteNode", swiftSettings: strict),
    .target(
      name: "TestCluster", dependencies: ["Migrator", "DqliteWire", "TestEngines"], path: "Tests/TestCluster",
      swiftSettings: strict),
    .testTarget(
      name: "DqliteWireTests", dependencies: ["DqliteWire", "TestCluster", "DqliteNode"], path: "Tests/DqliteWireTests",
      swiftSettings: strict),
    .testTarget(
      name: "DqliteBackendTests",
      dependencies: [
        "Migrator", "SQLSyntax", "SQLiteBackend", "DqliteWire", "DqliteBackend", "MigratorTestKit", "TestCluster",
        "TestEngines", "DqliteNode", "MigratorCommand", "SQLiteCommand", "DqliteCommand", "MigratorProgram",
      ],
      path: "Tests/DqliteBackendTests", swiftSettings: strict),
    .testTarget(name: "HouseTests", path: "Tests/HouseTests", swiftSettings: strict),
    .testTarget(
      name: "SQLSyntaxTests", dependencies: ["SQLSyntax", "Migrator"], path: "Tests/SQLSyntaxTests",
      swiftSettings: strict),
    .testTarget(
      name: "MigratorTests", dependencies: ["Migrator", "TestEngines"], path: "Tests/MigratorTests",
      swiftSettings: strict),
    .testTarget(
      name: "SQLiteEngineTests",
      dependencies: [
        "Migrator", "SQLSyntax", "SQLiteDialect", "SQLiteEngine", "SQLiteBackend", "SQLCipherBackend", "TestEngines",
      ],
      path: "Tests/SQLiteEngineTests", swiftSettings: strict),
    .testTarget(
      name: "SQLCipherBackendTests",
      dependencies: [
        "Migrator", "SQLiteDialect", "SQLiteEngine", "SQLiteBackend", "SQLCipherBackend", "TestEngines",
      ],
      path: "Tests/SQLCipherBackendTests", swiftSettings: strict),
    .testTarget(
      name: "SQLMigrationsTests", dependencies: ["Migrator", "SQLSyntax", "SQLMigrations", "TestEngines"],
      path: "Tests/SQLMigrationsTests", swiftSettings: strict),
    .testTarget(
      name: "MigratorLintTests",
      dependencies: ["Migrator", "SQLSyntax", "SQLMigrations", "MigratorLint", "TestEngines"],
      path: "Tests/MigratorLintTests",
      exclude: ["Rebuilds"], swiftSettings: strict),
    .testTarget(
      name: "MigratorCommandTests",
      dependencies: [
        "Migrator", "SQLSyntax", "SQLMigrations", "SQLCipherBackend", "MigratorCommand", "SQLiteCommand",
        "SQLCipherCommand", "TestEngines",
      ],
      path: "Tests/MigratorCommandTests", swiftSettings: strict),
    .testTarget(
      name: "EngineTests",
      dependencies: [
        "Migrator", "SQLSyntax", "SQLMigrations", "SQLiteDialect", "SQLiteEngine", "SQLiteBackend", "SQLCipherBackend",
        "MigratorTestKit", "TestEngines", "TestWorker", "MigratorCommand", "SQLiteCommand", "SQLCipherCommand",
      ],
      path: "Tests/EngineTests",
      exclude: ["Schema/Syntax/Oddities.sql"], swiftSettings: strict),
    .testTarget(
      name: "ToolTests",
      dependencies: [
        "Migrator", "SQLSyntax", "SQLMigrations", "SQLCipherBackend", "MigratorCommand", "SQLiteCommand",
        "SQLCipherCommand", "TestEngines", "TestWorker", "MigratorProgram", "embed-sql-migrations",
      ],
      path: "Tests/ToolTests",
      exclude: ["Golden"], swiftSettings: strict),
  ]
)
