internal import Migrator
internal import MigratorLint
internal import SQLMigrations
internal import SQLSyntax

struct PlanReport: Encodable, Sendable {
  struct Entry: Encodable, Sendable {
    var identifier: String
    var file: String?
    var reasons: [String]
    var commits: String
    var foreignKeys: String
    /// The statements in the order of their first execution; empty if the migration was not rehearsed.
    var statements: [Statement]
    var destructive: [Destruction]
    /// The findings about rows that the migration would lose, from a run on sample rows.
    var losses: [LintFinding]
    /// The tables that keep only some of their rows in the copy.
    var fewerRows: [FewerRows]

    /// The reasons why the migration would run, its commit mode and its foreign key mode, without the most common
    /// values.
    var remarks: [String] {
      let usual = [
        MigrationPlan.Reason.neverApplied.phrase, MigrationPlan.Commits.once.phrase,
        MigrationPlan.ForeignKeyChecks.deferred.phrase,
      ]
      return (reasons + [commits, foreignKeys]).filter { !usual.contains($0) }
    }

    /// The tables, columns and rows that the migration removes, as phrases.
    var harms: [String] {
      // A finding about the whole statement repeats its effect.
      let others = losses.filter { loss in !destructive.contains { loss.reason.hasSuffix($0.effect) } }
      // A table that loses all rows, or about which there is a finding, is listed already.
      let known = Set(losses.filter { $0.harm == .rows || $0.harm == .sampleRows }.compactMap(\.table))
      let effects = Set(destructive.map(\.effect))
      let shrunk = fewerRows.filter { rows in
        !known.contains(rows.table.asciiLowercased)
          && !effects.contains(DestructiveStatement.Effect.deletesAllRows(table: rows.table).description)
      }
      return destructive.map(\.effect) + others.map { "\($0.place): \($0.reason)" }
        + shrunk.map { "keeps \($0.after) of the \(counted($0.before, "row")) of table \"\($0.table)\"" }
    }
  }

  struct FewerRows: Encodable, Sendable {
    var table: String
    var before: Int
    var after: Int
  }

  struct Statement: Encodable, Sendable {
    /// The SQL of the statement, without bound values.
    var sql: String
    var runCount: Int
  }

  struct Destruction: Encodable, Sendable {
    var sql: String
    var effect: String
  }

  struct Rows: Encodable, Sendable {
    var table: String
    /// The number of rows in the database; nil if the table does not exist, or if its rows cannot be counted.
    var inDatabase: Int?
    var before: Int?
    var after: Int?
  }

  var exists: Bool
  var engine: String
  var target: String?
  var appliedCount: Int
  var wouldApply: [String]
  var migrations: [Entry]
  var refusals: [String]
  /// A description of the rows in the scratch copy; nil if nothing was rehearsed.
  var copy: String?
  var rehearsed: [String]
  /// The parts of the database that are missing in the copy.
  var gaps: [String]
  var schema: SchemaDifferenceReport?
  var rows: [Rows]
  var warnings: [String]
  /// The token for `migrate --plan`; nil if nothing is pending, or if `migrate` would fail.
  var token: String?
  var error: ToolFailure?

  init(
    _ plan: MigrationPlan, _ rehearsal: MigrationRehearsal?, refusals: [String], engine: EngineDescription,
    exists: Bool, source: MigrationSource, losses: [LintFinding], warnings: [String], copy: String
  ) {
    self.copy = rehearsal == nil ? nil : copy
    rehearsed = rehearsal?.applied ?? []
    self.exists = exists
    self.engine = "\(engine.name) \(engine.version)"
    target = plan.target
    appliedCount = plan.applied.count
    wouldApply = refusals.isEmpty ? plan.entries.map(\.identifier) : []
    migrations = plan.entries.map { entry in
      Self.entry(entry, rehearsal, source, losses.filter { $0.migration == entry.identifier })
    }
    self.refusals = refusals
    gaps = rehearsal?.gaps.map(\.description) ?? []
    schema = rehearsal?.schemaDifference.map(SchemaDifferenceReport.init)
    rows = (rehearsal?.rowCounts ?? []).map { counts in
      Rows(table: counts.table, inDatabase: counts.inDatabase, before: counts.before, after: counts.after)
    }
    rows.removeAll { $0.table == DevelopmentMark.tableName }
    self.warnings = warnings + (rehearsal?.warnings.map(\.description) ?? [])
  }

  private static func entry(
    _ entry: MigrationPlan.Entry, _ rehearsal: MigrationRehearsal?, _ source: MigrationSource,
    _ losses: [LintFinding]
  ) -> Entry {
    // The rows of a table that is emptied and filled again are not lost, unless there are fewer of them.
    let refilled = Set(
      losses.filter { $0.isRefuted && $0.harm == .rows }.compactMap(\.table).map {
        "deletes all rows of table \"\($0)\""
      })
    return Entry(
      identifier: entry.identifier, file: source.file(entry.identifier)?.path, reasons: entry.reasons.map(\.phrase),
      commits: entry.commits.phrase, foreignKeys: entry.foreignKeyChecks.phrase,
      statements: (rehearsal?.statements ?? []).filter { $0.migration == entry.identifier }.map {
        Statement(sql: $0.sql, runCount: $0.runCount)
      },
      destructive: (rehearsal?.destructiveStatements ?? []).filter { $0.migration == entry.identifier }.map {
        Destruction(sql: $0.sql, effect: $0.effect.description)
      }.filter { !refilled.contains($0.effect.asciiLowercased) }, losses: losses.filter { !$0.isRefuted },
      fewerRows: (rehearsal?.rowLosses ?? []).compactMap { loss in
        // A table that is gone is among the destructive statements.
        guard loss.migration == entry.identifier, loss.column == nil, let before = loss.before, let after = loss.after
        else { return nil }
        return FewerRows(table: loss.table, before: before, after: after)
      })
  }
}
