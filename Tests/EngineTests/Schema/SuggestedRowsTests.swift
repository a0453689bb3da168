import Foundation
import Migrator
@testable import MigratorCommand
import SQLSyntax
import TestEngines
import Testing

@Suite("Suggested migrations: rows")
struct SuggestedRowsTests {
  @Test(
    "between random schemas, rows survive value by value, or the suggestion reports what is lost",
    arguments: TestEngine.allCases)
  func randomPairs(engine: TestEngine) throws {
    let abilities = try engine.engineDescription().abilities
    var (migrated, stopped, rows, losses, renamed) = (0, 0, 0, 0, 0)
    for number in 0..<UInt64(SchemaTrials.count(TestTier.pick(14, full: 40))) {
      let seed = SchemaTrials.firstSeed &+ 2 &* number
      let one = RandomDefinitions(seed: seed, abilities: abilities)
      let other = RandomDefinitions(seed: seed &+ 1, abilities: abilities)
      do {
        for (from, to) in [(one, other), (other, one)] {
          let trial = try SuggestionTrial(engine, from: from.sql, to: to.sql, seed: seed)
          rows += trial.rows
          losses += trial.losses
          renamed += trial.renamed
          if try trial.run() { migrated += 1 } else { stopped += 1 }
          if !trial.faults.isEmpty {
            Issue.record("seed \(seed): \(trial.faults)\nfrom\n\(from.sql)\nto\n\(to.sql)\nby\n\(trial.suggestion.sql)")
          }
        }
      } catch {
        Issue.record("seed \(seed): \(error)\nfrom\n\(one.sql)\nto\n\(other.sql)")
      }
    }
    print("\(engine): \(migrated) migrated, \(stopped) stopped; \(rows) rows, \(losses) losses, \(renamed) renamings")
    #expect(migrated * 3 > stopped && rows > 0 && losses > 0 && renamed > 0)
  }

  @Test(
    "the file that `new --to` writes leads to the wanted schema, and names the rows and values that do not survive",
    arguments: TestEngine.allCases)
  func writtenFiles(engine: TestEngine) throws {
    let abilities = try engine.engineDescription().abilities
    let count = TestTier.pick(6, full: 60, soak: 1_000)
    var (migrated, stopped, refused, rows) = (0, 0, 0, 0)
    for number in 0..<UInt64(count) {
      let seed = SchemaTrials.firstSeed &+ 2 &* number
      let (one, other) = (
        RandomDefinitions(seed: seed, abilities: abilities), RandomDefinitions(seed: seed &+ 1, abilities: abilities)
      )
      do {
        let trial = try SuggestionTrial(engine, from: one.sql, to: other.sql, seed: seed)
        guard let file = try trial.writtenFile(engine, from: one.sql, to: other.sql) else {
          refused += 1
          continue
        }
        trial.sql = file
        rows += trial.rows
        if try trial.run() { migrated += 1 } else { stopped += 1 }
        if !trial.faults.isEmpty {
          Issue.record("seed \(seed): \(trial.faults)\nfrom\n\(one.sql)\nto\n\(other.sql)\nby\n\(file)")
        }
      } catch {
        Issue.record("seed \(seed): \(error)\nfrom\n\(one.sql)\nto\n\(other.sql)")
      }
    }
    print("\(engine): \(migrated) files migrated, \(stopped) stopped, \(refused) were not written; \(rows) rows")
    #expect(migrated > 0 && rows > 0 && refused * 10 <= count)
  }

  @Test(
    "between neighboring schemas of real projects, too",
    .enabled(if: TestTier.isFull, "Tools/test --full; the projects are downloaded"), arguments: TestEngine.allCases)
  func histories(engine: TestEngine) throws {
    let projects = try RealSchemaTests.histories()
    var (migrated, stopped, foreign, rows) = (0, 0, 0, 0)
    for project in projects {
      let schemas = try project.schemas.map { try String(contentsOf: $0, encoding: .utf8) }
      for (number, (from, to)) in zip(schemas, schemas.dropFirst()).enumerated() {
        let trial: SuggestionTrial
        do {
          trial = try SuggestionTrial(engine, from: from, to: to, seed: UInt64(number))
        } catch let error as DatabaseError where engine == .sqlCipher3 && error.condition == .statement {
          // SQLite 3.15 does not know every expression that Django writes.
          foreign += 1
          continue
        }
        let file = try trial.writtenFile(engine, from: from, to: to)
        trial.sql = try #require(file, "\(project.name) \(number)")
        rows += trial.rows
        if try trial.run() { migrated += 1 } else { stopped += 1 }
        #expect(trial.faults.isEmpty, "\(project.name), from \(number + 1): \(trial.faults)\n\(trial.sql)")
      }
    }
    print(
      "\(engine): \(migrated) of \(projects.count) projects migrated, \(stopped) stopped, \(foreign) left out; \(rows) rows"
    )
    #expect(projects.count >= 10 && migrated > stopped && rows > 0)
  }
}

/// A database with rows, the suggested migration for it, and the resulting rows.
private final class SuggestionTrial {
  let suggestion: SuggestedMigration
  /// The statements that run: those of the suggestion, or of a file with them.
  var sql: String
  private(set) var faults: [String] = []
  private let dbQueue: DatabaseQueue
  private let (before, after): (SchemaSnapshot, SchemaSnapshot)
  private let renamings: RandomRenamings
  private let old: SuggestedRows

  init(_ engine: TestEngine, from sql: String, to wanted: String, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let target = try engine.inMemoryQueue()
    let after = try target.write { db in
      try db.execute(sql: wanted)
      return try db.schema()
    }
    dbQueue = try engine.inMemoryQueue()
    (before, renamings, old) = try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; \(sql)")
      let before = try db.schema()
      try SuggestedRows.insert(into: db, before, &random)
      return (before, RandomRenamings(from: before, to: after, &random), try SuggestedRows(db, before))
    }
    self.after = after
    suggestion = try SuggestedMigration(from: before, to: after, renames: renamings.declared)
    self.sql = suggestion.sql
  }

  /// Lets the tool write the migration file; nil if it refuses to, since the file would not lead to the wanted schema.
  func writtenFile(_ engine: TestEngine, from sql: String, to wanted: String) throws -> String? {
    let folder = try FolderFixture(["migrations/0001_first.sql": sql, "schema.sql": wanted])
    let migrations = folder.path + "/migrations"
    let tables = renamings.declared.tables.map { "\($0)=\($1)" }
    let columns = renamings.declared.columns.flatMap { table, columns in columns.map { "\(table).\($0)=\($1)" } }
    let backend = ToolBackend(name: "test", recognizes: { _ in true }) { location throws(DatabaseError) in
      engine.backend(path: location.path)
    }
    let errors = Lock("")
    let environment = ToolEnvironment(
      variable: { _ in nil }, isInputTerminal: false, isOutputTerminal: false, isErrorTerminal: false,
      writeOutput: { _ in 0 }, writeError: { text in errors.withLock { $0 += text } }, readLine: { nil },
      readSecret: { _ in nil }, now: { 0 })
    let code = MigratorTool(backends: [backend]).run(
      arguments: ["new", "second", "--to", folder.path + "/schema.sql", "--migrations", migrations]
        + (tables + columns).sorted().flatMap { ["--rename", $0] },
      environment: environment)
    let path = migrations + "/0002_second.sql"
    if code == 5 {
      #expect(!FileManager.default.fileExists(atPath: path))
      return nil
    }
    #expect(code == 0, "\(errors.withLock { $0 })")
    // Definitions in another order are the same schema, for which nothing is written.
    return suggestion.statements.isEmpty ? "" : try String(contentsOfFile: path, encoding: .utf8)
  }

  var rows: Int { old.tables.values.map(\.count).reduce(0, +) }
  var losses: Int { suggestion.losses.count }
  var renamed: Int {
    renamings.declared.tables.count + renamings.declared.columns.values.map(\.count).reduce(0, +)
  }

  /// Runs the migration, and checks that nothing is missing.
  ///
  /// - Returns: Whether the rows satisfied the later schema; if not, nothing has changed.
  func run() throws -> Bool {
    checkLosses()
    var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
    migrator.registerMigration("suggested") { [sql] db in try db.execute(sql: sql) }
    do {
      try migrator.migrate(dbQueue)
    } catch MigrationError.failed(let failure) {
      try checkStop(failure)
      return false
    }
    try dbQueue.write { db in
      let difference = SchemaDifference(from: try db.schema(), to: after, leavingOut: ["migrator_history"])
      if !difference.isEmpty { faults.append("the schema: \(difference)") }
      let new = try SuggestedRows(db, after)
      for (name, later) in renamings.tables { try compare(name, later, new, db) }
    }
    return true
  }

  /// Checks that the suggestion names every table and column that is not continued.
  private func checkLosses() {
    for table in before.ordinaryTables {
      guard let columns = renamings.columns[table.name.asciiLowercased] else {
        expectLoss(["table \"\(table.name)\" with its rows"])
        continue
      }
      for column in table.columns where !column.isGenerated && columns[column.name.asciiLowercased] == nil {
        // A table that is renamed in place loses the column under its later name.
        let later = renamings.tables[table.name.asciiLowercased].flatMap(after.table)?.name ?? table.name
        expectLoss([table.name, later].map { "column \"\(column.name)\" of table \"\($0)\" with its values" })
      }
    }
  }

  /// Checks that the suggestion contains one of the texts.
  private func expectLoss(_ texts: [String]) {
    if !texts.contains(where: { sql.contains("-- LOST: \($0)\n") }) { faults.append("not reported: \(texts)") }
  }

  /// Checks that rows that violate the schema stop the migration, and that nothing has changed.
  private func checkStop(_ failure: MigrationFailure) throws {
    guard let error = failure.underlying as? DatabaseError else { throw failure.underlying }
    let words: String
    switch error.condition {
    case .constraint(.notNull): words = "NULL"
    case .constraint(.check): words = "CHECK"
    case .constraint(.unique), .constraint(.primaryKey), .constraint(.rowID): words = "equal values"
    case .constraint(.dataType): words = "type makes"
    case .typeMismatch: words = "not an integer"
    default: throw error
    }
    let risks = sql.split(separator: "\n").filter { $0.hasPrefix("-- CHECK: ") }
    if !risks.contains(where: { $0.contains(words) }) { faults.append("not foreseen: \(error)") }
    let rows = try dbQueue.read { db in try SuggestedRows(db, before) }
    if rows.tables != old.tables { faults.append("stopped, and rows have changed: \(error)") }
  }

  private func compare(_ name: String, _ later: String, _ new: SuggestedRows, _ db: Database) throws {
    guard let one = before.table(name), let other = after.table(later), let columns = renamings.columns[name] else {
      return
    }
    let keepsRowIDs = one.hiddenRowID != nil && other.hiddenRowID != nil
    var kept = Set(columns.values).union(keepsRowIDs ? [""] : [])
    if other.primaryKey?.isRowID == true, let key = other.primaryKey?.columns.first?.asciiLowercased,
      let source = columns.first(where: { $0.value == key })?.key,
      old.tables[name]?.contains(where: { $0[source] == "NULL" }) == true
    {
      if !suggestion.risks.contains(where: { $0.hasSuffix("gets a new number: the column is the rowid") }) {
        faults.append("\(name): not reported that NULL gets a number")
      }
      kept.remove(key)
    }
    var expected: [String] = []
    for row in old.tables[name] ?? [] {
      var values: [String: String] = [:]
      for (column, target) in columns where kept.contains(target) {
        guard let literal = row[column], let description = other.column(target) else { continue }
        values[target] = try converted(literal, to: description, of: other, db)
      }
      if keepsRowIDs { values[""] = row[""] }
      expected.append(values.sorted { $0.key < $1.key }.description)
    }
    let found = (new.tables[later] ?? []).map { row in
      row.filter { kept.contains($0.key) }.sorted { $0.key < $1.key }.description
    }
    // If no column of a table is continued, the suggestion says that the rows are lost.
    if kept.isEmpty || columns.isEmpty { return }
    if expected.sorted() != found.sorted() {
      faults.append("\(name): \(found.sorted()) instead of \(expected.sorted())")
    }
  }

  /// Returns a value as the engine stores it in a column.
  private func converted(
    _ literal: String, to column: ColumnDescription, of table: TableDescription, _ db: Database
  ) throws -> String? {
    // In such a column of a STRICT table, values are not converted.
    let type = table.isStrict && column.declaredType.asciiLowercased == "any" ? "" : column.declaredType
    try db.execute(
      sql: "DROP TABLE IF EXISTS temp.conversion; CREATE TEMP TABLE conversion(v \(type));"
        + " INSERT INTO temp.conversion VALUES (\(literal))")
    return try String.fetchOne(db, sql: "SELECT quote(v) || '' FROM temp.conversion")
  }
}
