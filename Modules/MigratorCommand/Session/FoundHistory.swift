internal import Migrator
internal import SQLSyntax

/// The history of another tool in a database.
struct FoundHistory: Sendable {
  let table: String
  /// The migrations that the history records as applied; nil if it has entries that do not map to migrations clearly.
  let migrations: Set<String>?
  /// Whether `adopt` can import the history: only into an empty ledger.
  let canBeAdopted: Bool

  /// Returns the histories that a database contains, except those that its ledger has adopted.
  static func all(in db: Database, for migrator: DatabaseMigrator, isLedgerEmpty: Bool) throws -> [FoundHistory] {
    let adopted = isLedgerEmpty ? [] : try migrator.adoptedTables(db)
    return try ToolHistory.found(in: db).compactMap { tool in
      guard let table = tool.table, !adopted.contains(table.asciiLowercased) else { return nil }
      return FoundHistory(
        table: table, migrations: try migrator.migrations(recordedIn: tool.history(migrator.migrations), db),
        canBeAdopted: isLedgerEmpty)
    }
  }
}

/// A tool whose history `adopt` imports.
struct ToolHistory: Sendable {
  private static let histories: [(name: String, history: AdoptedHistory?)] = [
    ("grdb", .grdb), ("dbmate", .schemaMigrations), ("rails", .schemaMigrations), ("ecto", .schemaMigrations),
    ("golang-migrate", .schemaMigrations), ("sqlite-migration-manager", .schemaMigrations), ("sqlx", .sqlx),
    ("diesel", .diesel), ("goose", .goose), ("refinery", .refinery), ("yoyo", .yoyo), ("sql-migrate", .sqlMigrate),
    ("prisma", .prisma), ("drizzle", .drizzle), ("atlas", .atlas), ("flyway", .flyway), ("user-version", nil),
  ]
  static let all = histories.map { ToolHistory(name: $0.name, history: $0.history) }

  let name: String
  /// The history to import; nil for the user version, which is stored in the file's header.
  private let history: AdoptedHistory?
  var table: String? { history?.table }

  /// Returns the history to import; user version n stands for the first n of the migrations.
  func history(_ migrations: [String]) -> AdoptedHistory { history ?? .userVersion(ladder: migrations) }

  static func found(in db: Database) throws -> [ToolHistory] {
    var tables = Set(try db.connection.schema().objects.filter { $0.kind == .table }.map(\.name.asciiLowercased))
    // Several tools use the same table; the first one stands for all.
    return all.filter { tool in tool.table.map { tables.remove($0.asciiLowercased) != nil } ?? false }
  }
}
