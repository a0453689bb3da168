internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

/// The report of `rebuild` and `watch`, printed as JSON.
struct RebuildReport: Encodable {
  var isRebuilt = false
  /// The reasons for the rebuild; empty if there was no rebuild, or if `--force` was the only reason.
  var reasons: [String] = []
  /// The erased tables.
  var erased: [DatabaseContents.Table] = []
  /// The erased tables whose rows were not restored.
  var lost: [DatabaseContents.Table] = []
  var backup: String?
  var applied: [RunReporter.Applied] = []
  var seed: String?
  /// The tables whose rows were restored; nil without `--keep-data`.
  var kept: [KeptRows.Outcome]?
  var schema: SchemaDifferenceReport?
  var warnings: [String] = []
  var durationInSeconds: Double = 0

  /// Adds the outcomes of restoring rows, and returns a warning about each table or column whose rows were not
  /// restored.
  mutating func add(_ outcomes: [KeptRows.Outcome]) -> [String] {
    kept = outcomes.filter { $0.reason == nil }
    let names = Set(outcomes.filter { $0.reason == nil }.map(\.table))
    lost.removeAll { names.contains($0.name) }
    var notes: [String] = []
    for outcome in outcomes {
      if let reason = outcome.reason {
        if let index = lost.firstIndex(where: { $0.name == outcome.table }) {
          lost[index].reason = reason
        } else {
          lost.append(DatabaseContents.Table(name: outcome.table, reason: reason))
        }
        notes.append("the rows of table \"\(outcome.table)\" were not kept, because \(reason)")
      } else if !outcome.lostColumns.isEmpty {
        notes.append(
          "the values of \(listed(outcome.lostColumns)) were not kept, because table \"\(outcome.table)\" no longer has them"
        )
      }
    }
    warnings += notes
    return notes
  }
}

/// The state that one rebuild under `watch` passes to the next.
final class RebuildSession {
  /// The database; it is retained so that the user enters the key only once.
  let database: DatabaseTarget
  var isPermitted = false
  /// Whether to rebuild even if no migration has changed, because the seed file was saved or the last rebuild failed.
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
    for table in try db.connection.schema().objects where table.kind == .table && !table.isVirtual {
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
    // The quoted texts of different values are always different (https://www.sqlite.org/lang_corefunc.html#quote). Older
    // engines return a number itself, so the expression begins with an empty text.
    let values = try db.columns(in: table).map { "quote(\($0.name.quotedIdentifier))" }
    let rows = try String.fetchCursor(db, sql: "SELECT '' || \(values.joined(separator: " || ',' || ")) FROM \(name)")
    while let row = try rows.next() { hasher.combine(row) }
    return hasher.finalize()
  }
}
