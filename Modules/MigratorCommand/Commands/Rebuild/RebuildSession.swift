internal import Migrator
internal import SQLSyntax

/// The JSON of `rebuild` and `watch`.
struct RebuildReport: Encodable {
  var isRebuilt = false
  /// The reasons; empty when it was not rebuilt, or because of `--force`.
  var reasons: [String] = []
  var lost: [DatabaseContents.Table] = []
  var backup: String?
  var applied: [RunReporter.Applied] = []
  var seed: String?
  /// The outcome for the rows of each table; nil unless they were to be kept.
  var kept: [KeptRows.Outcome]?
  var schema: SchemaDifferenceReport?
  var warnings: [String] = []
  var durationInSeconds: Double = 0
}

/// The state that one rebuild under `watch` leaves for the next.
final class RebuildSession {
  /// The database, whose key is asked for once.
  let database: DatabaseTarget
  var isPermitted = false
  /// Whether the database is rebuilt although no migration changed: the seed did, or the last try failed half-way.
  var forces = false
  /// The rows that the migrations and the seed made in each table the last time; nil while that is unknown.
  var made: TableDigests?

  init(database: DatabaseTarget) { self.database = database }
}

/// The contents of each table, as a number that differs when the rows differ; equal within one process only.
struct TableDigests: Sendable {
  /// More rows than these are only counted: the digest is taken at each save of a file.
  private static let limit = 20_000

  private var digests: [String: Int] = [:]

  /// Reads the rows of all tables; those of virtual tables are in the tables that these keep them in.
  init(_ db: Database) throws {
    for table in try db.schema().objects where table.kind == .table && !table.isVirtual {
      digests[table.name.lowercased()] = try Self.digest(of: table.name, db)
    }
  }

  subscript(table: String) -> Int? { digests[table.lowercased()] }

  mutating func forget(changedFrom before: TableDigests, to after: TableDigests) {
    digests = digests.filter { before.digests[$0.key] == after.digests[$0.key] }
  }

  private static func digest(of table: String, _ db: Database) throws -> Int {
    let name = "main.\(table.quotedIdentifier)"
    let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(name)") ?? 0
    var hasher = Hasher()
    hasher.combine(count)
    guard count <= limit else { return hasher.finalize() }
    // Text that no two different values have in common (https://www.sqlite.org/lang_corefunc.html#quote).
    let values = try db.columns(in: table).map { "quote(\($0.name.quotedIdentifier))" }
    let rows = try String.fetchCursor(db, sql: "SELECT \(values.joined(separator: " || ',' || ")) FROM \(name)")
    while let row = try rows.next() { hasher.combine(row) }
    return hasher.finalize()
  }
}
