/// The history that another tool has kept in a database, for ``DatabaseMigrator/adopt(_:)``.
///
/// Each value knows how its tool records what it has applied, and which migrations its entries stand for. A tool that
/// counts versions is matched by number: version 7 stands for the one registered migration whose identifier begins
/// with that number, such as `0007_add_books`, `v7` or `V7__add_books`.
///
/// ```swift
/// migrator.adopt(.grdb)
/// migrator.adopt(.goose.mapping(["3": "Create authors"]))
/// migrator.adopt(.userVersion(ladder: ["Create authors", "Add books"]))
/// ```
public struct AdoptedHistory: Sendable, Hashable {
  /// The treatment of entries that stand for no migration that the migrator knows.
  public enum UnmappedEntries: Sendable, Hashable {
    /// The history is not adopted, and runs throw ``AdoptionRefusal/unmapped(history:entries:)``.
    case refuse
    /// They enter the ledger by their own name, as migrations that the migrator does not know.
    ///
    /// The database counts as superseded then. They never count as a schema change, and while they are there, schemas
    /// are not compared.
    case keep
    /// They do not enter the ledger.
    case leaveOut
  }

  /// How a tool remembers what it has applied.
  enum Format: Sendable, Hashable {
    case grdb, schemaMigrations, sqlx, diesel, goose, refinery, yoyo, sqlMigrate, migrator, userVersion

    /// Whether the tool knows a migration by its name, not by a number.
    var isByName: Bool { [.grdb, .yoyo, .sqlMigrate, .migrator].contains(self) }
  }

  let format: Format

  /// The table that holds the history; the pragma's name where that is a number in the file's header.
  package private(set) var table: String

  private(set) var identifiers: [String: String] = [:]
  private(set) var unmappedEntries = UnmappedEntries.refuse

  private init(_ format: Format, table: String) {
    self.format = format
    self.table = table
  }

  /// The same history, some of whose entries stand for other migrations than they would by themselves.
  ///
  /// - Parameter identifiers: The identifiers of migrations, by the version or identifier that the tool gave them.
  ///   Versions are compared as numbers, leading zeros aside.
  public func mapping(_ identifiers: [String: String]) -> AdoptedHistory {
    var history = self
    history.identifiers.merge(identifiers) { _, new in new }
    return history
  }

  /// The same history in a table of another name, for tools that can be configured to use one.
  public func inTable(_ name: String) -> AdoptedHistory {
    var history = self
    history.table = name
    return history
  }

  /// The same history with another way of treating entries that stand for no known migration; they are refused
  /// unless this says otherwise.
  public func unmapped(_ entries: UnmappedEntries) -> AdoptedHistory {
    var history = self
    history.unmappedEntries = entries
    return history
  }
}

extension AdoptedHistory {
  /// The table `grdb_migrations` of GRDB's migrator, whose identifiers are kept.
  public static let grdb = AdoptedHistory(.grdb, table: "grdb_migrations")

  /// The table `schema_migrations` of SQLiteMigrationManager.swift, dbmate, Rails, Ecto or golang-migrate.
  ///
  /// They are distinguished by their columns. A table that golang-migrate has marked as dirty is refused. Since
  /// golang-migrate keeps the last version only, the migrations of all numbers up to it count as applied.
  public static let schemaMigrations = AdoptedHistory(.schemaMigrations, table: "schema_migrations")

  /// The table `_sqlx_migrations` of sqlx; a migration that did not succeed is refused.
  public static let sqlx = AdoptedHistory(.sqlx, table: "_sqlx_migrations")

  /// The table `__diesel_schema_migrations` of diesel; dashes in an identifier's number do not count, as in
  /// `2026-01-31-235959_create_authors`.
  public static let diesel = AdoptedHistory(.diesel, table: "__diesel_schema_migrations")

  /// The table `goose_db_version` of goose: what was undone after it was applied is not applied.
  public static let goose = AdoptedHistory(.goose, table: "goose_db_version")
  /// The table `refinery_schema_history` of refinery.
  public static let refinery = AdoptedHistory(.refinery, table: "refinery_schema_history")
  /// The table `_yoyo_migration` of yoyo, whose identifiers are kept.
  public static let yoyo = AdoptedHistory(.yoyo, table: "_yoyo_migration")
  /// The table `gorp_migrations` of sql-migrate; an identifier is the file's name without `.sql`.
  public static let sqlMigrate = AdoptedHistory(.sqlMigrate, table: "gorp_migrations")

  static let ofTools: [AdoptedHistory] = [
    .grdb, .schemaMigrations, .sqlx, .diesel, .goose, .refinery, .yoyo, .sqlMigrate,
  ]

  /// The ledger of a migrator of this library, for one that used the same and gets a separate one.
  ///
  /// What the migrator has registered or merges is taken over, with what it made, and all else belongs to the other one
  /// and is left out. To the other migrator, whose ledger stays as it is, what was taken over is not unknown.
  ///
  /// ```swift
  /// var library = DatabaseMigrator(ledgerTable: "library_history")
  /// library.adopt(.migrator)
  /// ```
  ///
  /// - Warning: An identifier that both have registered is taken for applied if the other one has applied it.
  public static let migrator = AdoptedHistory(.migrator, table: DatabaseMigrator().ledgerTable).unmapped(.leaveOut)

  /// The number `PRAGMA user_version`, as SQLite.swift's users and rusqlite_migration count it.
  ///
  /// - Parameter ladder: At user version n, the first n of these migrations are applied.
  public static func userVersion(ladder: [String]) -> AdoptedHistory {
    let steps = ladder.enumerated().map { (Int32($0.offset + 1), $0.element) }
    return userVersion(ladder: Dictionary(uniqueKeysWithValues: steps))
  }

  /// The number `PRAGMA user_version`, for ladders that leave numbers out.
  ///
  /// In a database without any table the number stands for nothing, since erasing a database leaves it as it is.
  ///
  /// - Parameter ladder: At user version n, the migrations of all numbers up to n are applied.
  /// - Precondition: The numbers are positive; zero is the version of a new database.
  public static func userVersion(ladder: [Int32: String]) -> AdoptedHistory {
    precondition(ladder.keys.allSatisfy { $0 > 0 }, "The user versions of a ladder begin at 1.")
    var history = AdoptedHistory(.userVersion, table: "user_version")
    for (version, identifier) in ladder { history.identifiers["\(version)"] = identifier }
    return history
  }
}
