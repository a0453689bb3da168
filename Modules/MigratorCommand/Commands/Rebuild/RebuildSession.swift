internal import Migrator
internal import SQLSyntax

/// The report of `rebuild` and `watch`, printed as JSON.
struct RebuildReport: Encodable {
  var isRebuilt = false
  /// The reasons for the rebuild; empty if there was no rebuild, or if `--force` was the only reason.
  var reasons: [String] = []
  var lost: [DatabaseContents.Table] = []
  var backup: String?
  var applied: [RunReporter.Applied] = []
  var seed: String?
  /// The outcome for the rows of each table; nil without `--keep-data`.
  var kept: [KeptRows.Outcome]?
  var schema: SchemaDifferenceReport?
  var warnings: [String] = []
  var durationInSeconds: Double = 0
}

/// The state that one rebuild under `watch` passes to the next.
final class RebuildSession {
  /// The database; it is retained so that the user enters the key only once.
  let database: DatabaseTarget
  var isPermitted = false
  /// Whether to rebuild although no migration has changed: the seed file was saved, or the last rebuild failed.
  var forces = false
  /// Digests of the rows that the migrations and the seed file inserted last time; nil if unknown.
  var made: TableDigests?

  init(database: DatabaseTarget) { self.database = database }
}

/// A digest of the rows of each table, comparable only within one process.
struct TableDigests: Sendable {
  /// The maximum number of rows of a table to hash.
  ///
  /// The rows of larger tables are only counted, since digests are computed whenever a file is saved.
  private static let limit = 20_000

  private var digests: [String: Int] = [:]

  /// Computes the digests of all tables; the rows of virtual tables are in their shadow tables.
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
    // The quoted texts of different values are always different (https://www.sqlite.org/lang_corefunc.html#quote).
    let values = try db.columns(in: table).map { "quote(\($0.name.quotedIdentifier))" }
    let rows = try String.fetchCursor(db, sql: "SELECT \(values.joined(separator: " || ',' || ")) FROM \(name)")
    while let row = try rows.next() { hasher.combine(row) }
    return hasher.finalize()
  }
}
