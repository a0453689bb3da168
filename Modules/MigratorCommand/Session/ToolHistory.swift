internal import Migrator

/// The tools whose histories `adopt` imports.
enum ToolHistory: String, CaseIterable {
  case grdb, dbmate, rails, ecto
  case golangMigrate = "golang-migrate"
  case sqliteMigrationManager = "sqlite-migration-manager"
  case sqlx, diesel, goose, refinery, yoyo
  case sqlMigrate = "sql-migrate"
  case prisma, drizzle, atlas, flyway
  case userVersion = "user-version"

  /// The table with the tool's history; nil for the user version, which is stored in the file's header.
  var table: String? { self == .userVersion ? nil : history([]).table }

  /// Returns the history to import; user version n stands for the first n of the migrations.
  func history(_ migrations: [String]) -> AdoptedHistory {
    switch self {
    case .grdb: .grdb
    case .dbmate, .rails, .ecto, .golangMigrate, .sqliteMigrationManager: .schemaMigrations
    case .sqlx: .sqlx
    case .diesel: .diesel
    case .goose: .goose
    case .refinery: .refinery
    case .yoyo: .yoyo
    case .sqlMigrate: .sqlMigrate
    case .prisma: .prisma
    case .drizzle: .drizzle
    case .atlas: .atlas
    case .flyway: .flyway
    case .userVersion: .userVersion(ladder: migrations)
    }
  }

  static func found(in db: Database) throws -> [ToolHistory] {
    var tables: Set<String> = []
    return try allCases.filter { tool in
      guard let table = tool.table, try db.tableExists(table) else { return false }
      return tables.insert(table).inserted
    }
  }

  /// Returns the history tables of other tools in a database in which this migrator has recorded nothing.
  static func notImported(_ db: Database, ledger: [LedgerEntry]) throws -> [String] {
    ledger.isEmpty ? try found(in: db).compactMap(\.table) : []
  }
}
