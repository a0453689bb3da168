internal import Migrator

/// Another tool whose history can be taken over.
enum ToolHistory: String, CaseIterable {
  case grdb
  case dbmate
  case rails
  case ecto
  case golangMigrate = "golang-migrate"
  case sqliteMigrationManager = "sqlite-migration-manager"
  case sqlx
  case diesel
  case goose
  case refinery
  case yoyo
  case sqlMigrate = "sql-migrate"
  case userVersion = "user-version"

  /// The table in which the tool keeps its history; nil for the number in the file's header.
  var table: String? { self == .userVersion ? nil : history([]).table }

  /// The history.
  ///
  /// - Parameter migrations: All migrations in their order, which are the ladder of user versions.
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
    case .userVersion: .userVersion(ladder: migrations)
    }
  }

  /// The tools whose tables are in a database, one for each table.
  static func found(in db: Database) throws -> [ToolHistory] {
    var tables: Set<String> = []
    return try allCases.filter { tool in
      guard let table = tool.table, try db.tableExists(table) else { return false }
      return tables.insert(table).inserted
    }
  }
}
