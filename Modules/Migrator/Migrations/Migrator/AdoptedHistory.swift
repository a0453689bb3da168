/// The migration history that another tool recorded in a database, for ``DatabaseMigrator/adopt(_:)``.
///
/// Each value describes how one tool records its history, and maps the entries of that history to migrations. If the
/// tool numbers its migrations, entries are matched by number: version 7 maps to the one registered migration whose
/// identifier begins with that number, optionally after a `v`, such as `0007_add_books`, `v7` or `V7__add_books`.
///
/// ```swift
/// migrator.adopt(.grdb)
/// migrator.adopt(.goose.mapping(["3": "Create authors"]))
/// migrator.adopt(.userVersion(ladder: ["Create authors", "Add books"]))
/// ```
public struct AdoptedHistory: Sendable, Equatable {
  /// The treatment of entries that do not map to a known migration.
  public enum UnmappedEntries: Sendable, Equatable {
    /// The history is not adopted, and runs throw ``AdoptionRefusal/unmapped(history:entries:)``.
    case refuse
    /// The entries are added to the ledger under their own names, as unknown migrations.
    ///
    /// The database then counts as superseded. The entries never count as a schema change, and while they exist,
    /// schemas are not compared.
    case keep
    /// The entries are not added to the ledger.
    case leaveOut
  }

  enum Format: Sendable, Equatable {
    case grdb, schemaMigrations, sqlx, diesel, goose, refinery, yoyo, sqlMigrate, prisma, drizzle, atlas, flyway
    case migrator, userVersion
    case column(String)

    /// Whether the tool does not identify a migration by number.
    var isByName: Bool { [.grdb, .yoyo, .sqlMigrate, .prisma, .drizzle, .migrator].contains(self) }
    /// Whether the history is a table that this library did not write.
    var isTableOfTool: Bool { self != .migrator && self != .userVersion }
    /// The characters between the parts of a version; none if a version is a single number.
    var versionSeparators: Set<Character> { self == .flyway ? [".", "_"] : [] }
    /// The other tables that the tool creates for itself.
    var companions: [String] {
      switch self {
      case .schemaMigrations: ["ar_internal_metadata"]
      case .yoyo: ["_yoyo_log", "_yoyo_version", "yoyo_lock"]
      default: []
      }
    }
  }

  let format: Format

  /// The name of the history's table, or of the pragma if the history is a number in the file's header.
  package private(set) var table: String

  private(set) var identifiers: [String: String] = [:]
  private(set) var unmappedEntries = UnmappedEntries.refuse
  private(set) var acceptsEdits = false

  private init(_ format: Format, table: String) {
    self.format = format
    self.table = table
  }

  /// Returns the same history with some entries mapped to migrations other than the default ones.
  ///
  /// - Parameter identifiers: The identifiers of migrations, keyed by the tool's version or identifier.
  ///   Versions are compared as numbers, ignoring leading zeros.
  public func mapping(_ identifiers: [String: String]) -> AdoptedHistory {
    var history = self
    history.identifiers.merge(identifiers) { _, new in new }
    return history
  }

  /// Returns the same history in a table with a different name, for tools that let users choose the name.
  public func inTable(_ name: String) -> AdoptedHistory {
    var history = self
    history.table = name
    return history
  }

  /// Returns the same history with a different treatment of entries that do not map to a known migration; the default
  /// is ``UnmappedEntries/refuse``.
  public func unmapped(_ entries: UnmappedEntries) -> AdoptedHistory {
    var history = self
    history.unmappedEntries = entries
    return history
  }

  /// Returns the same history, adopted even if a file differs from the one that the tool applied.
  ///
  /// Without this call, the history is refused with ``AdoptionRefusal/edited(history:identifiers:)`` if a migration's
  /// text does not match the checksum that the tool recorded. Differences in line endings do not count. sqlx, Prisma,
  /// Drizzle, Flyway and Atlas record checksums; they can be compared only with migrations that are SQL files.
  public func acceptingEdits() -> AdoptedHistory {
    var history = self
    history.acceptsEdits = true
    return history
  }
}

extension AdoptedHistory {
  /// The table `grdb_migrations` of GRDB's migrator; its identifiers are used unchanged.
  public static let grdb = AdoptedHistory(.grdb, table: "grdb_migrations")

  /// The table `schema_migrations` of SQLiteMigrationManager.swift, dbmate, Rails, Ecto or golang-migrate.
  ///
  /// The tools are distinguished by the columns of the table. A table that golang-migrate has marked as dirty is
  /// rejected. golang-migrate records only the last version, so all migrations up to that version count as applied.
  public static let schemaMigrations = AdoptedHistory(.schemaMigrations, table: "schema_migrations")

  /// The table `_sqlx_migrations` of sqlx; a history with a failed migration is rejected.
  public static let sqlx = AdoptedHistory(.sqlx, table: "_sqlx_migrations")

  /// The table `__diesel_schema_migrations` of diesel; dashes in the number at the start of an identifier are ignored,
  /// as in `2026-01-31-235959_create_authors`.
  public static let diesel = AdoptedHistory(.diesel, table: "__diesel_schema_migrations")

  /// The table `goose_db_version` of goose; a migration that was applied and later rolled back counts as not applied.
  public static let goose = AdoptedHistory(.goose, table: "goose_db_version")
  /// The table `refinery_schema_history` of refinery.
  public static let refinery = AdoptedHistory(.refinery, table: "refinery_schema_history")
  /// The table `_yoyo_migration` of yoyo; its identifiers are used unchanged.
  public static let yoyo = AdoptedHistory(.yoyo, table: "_yoyo_migration")
  /// The table `gorp_migrations` of sql-migrate; an identifier is the file's name without `.sql`.
  public static let sqlMigrate = AdoptedHistory(.sqlMigrate, table: "gorp_migrations")

  /// The table `_prisma_migrations` of Prisma; its identifiers are the names of the migration folders.
  ///
  /// Entries that were rolled back are ignored. A history is rejected if an entry neither finished nor was rolled back.
  public static let prisma = AdoptedHistory(.prisma, table: "_prisma_migrations")

  /// The table `__drizzle_migrations` of Drizzle.
  ///
  /// Drizzle records the SHA-256 digests of its files, but in most versions no names: an entry maps to the migration
  /// whose text has that digest. If no migration has it, the entry maps to the migration at the same position, which
  /// then counts as edited. For ``mapping(_:)``, an entry's version is its `created_at`, which is the `when` of
  /// Drizzle's journal.
  public static let drizzle = AdoptedHistory(.drizzle, table: "__drizzle_migrations")

  /// The table `atlas_schema_revisions` of Atlas; the migrations up to a baseline count as applied.
  public static let atlas = AdoptedHistory(.atlas, table: "atlas_schema_revisions")

  /// The table `flyway_schema_history` of Flyway.
  ///
  /// The migrations up to a baseline count as applied; a migration that was undone does not. Repeatable migrations are
  /// left out.
  public static let flyway = AdoptedHistory(.flyway, table: "flyway_schema_history")

  /// The application's own table of migrations, with one row for each applied migration.
  ///
  /// An entry is the identifier of a migration, a file name or path, or a number. If the table holds a single number,
  /// all migrations up to that number count as applied.
  ///
  /// ```swift
  /// migrator.adopt(.table("migrations", column: "name"))
  /// ```
  public static func table(_ table: String, column: String) -> AdoptedHistory {
    AdoptedHistory(.column(column), table: table)
  }

  static let ofTools: [AdoptedHistory] = [
    .grdb, .schemaMigrations, .sqlx, .diesel, .goose, .refinery, .yoyo, .sqlMigrate, .prisma, .drizzle, .atlas, .flyway,
  ]

  /// The ledger of another migrator of this library, for migrators that shared a ledger and now get separate ones.
  ///
  /// The migrator adopts the migrations that it registers or merges, with the objects that they created. All other
  /// entries belong to the other migrator and are left out. The other migrator's ledger remains unchanged, and that
  /// migrator does not count the adopted migrations as unknown.
  ///
  /// ```swift
  /// var library = DatabaseMigrator(ledgerTable: "library_history")
  /// library.adopt(.migrator)
  /// ```
  ///
  /// - Warning: An identifier that both migrators register counts as applied if the other migrator has applied it.
  public static let migrator = AdoptedHistory(.migrator, table: DatabaseMigrator().ledgerTable).unmapped(.leaveOut)

  /// The number of applied migrations, kept in `PRAGMA user_version`, as SQLite.swift and rusqlite_migration do.
  ///
  /// - Parameter ladder: The migrations in order: at user version n, the first n are applied.
  public static func userVersion(ladder: [String]) -> AdoptedHistory {
    let steps = ladder.enumerated().map { (Int32($0.offset + 1), $0.element) }
    return userVersion(ladder: Dictionary(uniqueKeysWithValues: steps))
  }

  /// The last applied version, kept in `PRAGMA user_version`, for version numbers that may have gaps.
  ///
  /// In a database without tables the number is ignored, since erasing a database does not reset it.
  ///
  /// - Parameter ladder: The migrations by number: at user version n, those with numbers up to n are applied.
  /// - Precondition: The numbers are positive; zero is the version of a new database.
  public static func userVersion(ladder: [Int32: String]) -> AdoptedHistory {
    precondition(ladder.keys.allSatisfy { $0 > 0 }, "The user versions of a ladder must be positive.")
    var history = AdoptedHistory(.userVersion, table: "user_version")
    for (version, identifier) in ladder { history.identifiers["\(version)"] = identifier }
    return history
  }
}
