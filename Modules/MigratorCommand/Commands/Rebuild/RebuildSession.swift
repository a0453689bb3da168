internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

/// The report of `rebuild` and `watch`, printed as JSON.
struct RebuildReport: Encodable {
  var isRebuilt = false
  /// The reasons for the rebuild; empty if there was no rebuild, or if `--force` was the only reason.
  var reasons: [String] = []
  var erased: [DatabaseContents.Table] = []
  /// The erased tables whose rows were not restored, and those of which a pending migration has removed rows.
  var lost: [DatabaseContents.Table] = []
  var backup: String?
  var applied: [RunReporter.Applied] = []
  var seed: String?
  /// The tables whose rows were restored; nil without `--keep-data`.
  var kept: [KeptRows.Outcome]?
  var schema: SchemaDifferenceReport?
  var warnings: [String] = []
  var durationInSeconds: Double = 0

  /// Whether rows or values were erased or removed, and not restored.
  var isLossy: Bool { lost.contains { $0.rows != 0 } || kept?.contains { $0.loss != nil } ?? false }

  /// Adds the rows that pending migrations have removed.
  mutating func add(_ losses: [RowLoss]) {
    lost += losses.map {
      DatabaseContents.Table(
        name: $0.table, rows: $0.removedCount, reason: "migration \"\($0.migration)\" removes them")
    }
    warnings += losses.map(\.summary)
  }

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
      }
      if let loss = outcome.loss { notes.append(loss) }
      if let replacement = outcome.replacement {
        notes.append(replacement + "; to have those, rebuild without --keep-data, or insert them in a new migration")
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
  var made: RowDigests?

  init(database: DatabaseTarget) { self.database = database }
}
