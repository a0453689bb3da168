package import Migrator
package import SQLMigrations
internal import SQLSyntax

/// A linter that runs migrations in an empty database, and applies the rules to each statement.
package struct Linter {
  /// The findings, and the notes about statements that were not run.
  package struct Result: Sendable {
    /// The findings of the rules, in the order of the files, including those that sample rows refuted.
    package var findings: [LintFinding] = []
    /// The identifiers of the migrations that were inspected completely.
    package var judged: Set<String> = []
    /// The notes about statements that were not run, as sentences.
    package var notes: [String] = []
  }

  private let files: [MigrationFile]
  private let isInterrupted: @Sendable () -> Bool
  private var result = Result()
  private var declarations: SchemaDeclarations
  private let graph = NameGraph()
  private let ledgerTable: String
  /// The later migration that repairs the foreign key violations left so far; nil if there are no violations.
  private var repair: String?

  /// Creates a linter for the files of a folder, in order.
  package init(
    _ files: [MigrationFile], ledgerTable: String = DatabaseMigrator().ledgerTable,
    isInterrupted: @escaping @Sendable () -> Bool
  ) {
    self.files = files
    self.ledgerTable = ledgerTable
    declarations = SchemaDeclarations(ledgerTable: ledgerTable)
    self.isInterrupted = isInterrupted
  }

  /// Returns whether a statement of a migration can remove rows that existed before it, or change or copy their values.
  package static func mayHarmRows(_ file: MigrationFile) -> Bool {
    file.statements.contains { RiskyStatement($0) != nil || $0.writesRows && $0.text.holdsWord("select") }
  }

  /// Returns whether a migration has statements that may write rows.
  package static func writesRows(_ file: MigrationFile) -> Bool { file.statements.contains(where: \.writesRows) }

  /// Returns the names that a migration gives to tables, in ASCII lower case.
  package static func newNames(_ file: MigrationFile) -> [String] {
    file.statements.compactMap(\.newTableName)
  }

  /// Returns a finding for each statement that changes the migrator's own table.
  package static func ledgerChanges(_ file: MigrationFile, ledgerTable: String) -> [LintFinding] {
    file.statements.indices.map { LintedStatement(file, $0) }.filter { $0.changes(ledgerTable) }
      .map { $0.ledgerChange(ledgerTable) }
  }

  /// Returns whether statements of a migration remove rows by themselves: DELETE, REPLACE or DROP TABLE.
  package static func removesRows(_ file: MigrationFile) -> Bool {
    file.statements.contains { RiskyStatement($0)?.removesRows ?? false }
  }

  /// Returns a finding for each DELETE and REPLACE on one of the given tables, whichever rows its condition selects.
  ///
  /// - Parameter tables: The names of the tables, keyed by the name in ASCII lower case.
  package static func deletions(
    in files: [MigrationFile], from tables: [String: String]
  ) -> [LintFinding] {
    var names = tables
    return files.flatMap { file in
      // A loss is reported with the name that the table has before the migration.
      names = Dictionary(uniqueKeysWithValues: names.map { ($0, $0 == $1.asciiLowercased ? $1 : $0) })
      return deletions(file, &names)
    }
  }

  private static func deletions(_ file: MigrationFile, _ names: inout [String: String]) -> [LintFinding] {
    file.statements.indices.compactMap { index in
      defer { follow(file.statements[index], &names) }
      guard let risk = RiskyStatement(file.statements[index]), let table = names[risk.table] else { return nil }
      let reason: String
      switch risk.kind {
      case .delete: reason = "the statement deletes rows of table \"\(table)\", which has rows"
      case .replace: reason = "the statement deletes rows of table \"\(table)\" that have the same keys as its new ones"
      case .update, .dropTable, .dropColumn, .uniqueIndex: return nil
      }
      var finding = LintedStatement(file, index)
        .finding(.lostRows, reason, remedy: "If no row is lost that is still needed, confirm the loss, or add --yes.")
      (finding.table, finding.harm) = (table.asciiLowercased, .rows)
      return finding
    }
  }

  /// Returns a finding for each statement that removes rows of a table, with a given reason.
  ///
  /// - Parameter table: The name of the table before the migration.
  package static func removals(_ file: MigrationFile, of table: String, reason: String, remedy: String) -> [LintFinding]
  {
    var names = [table.asciiLowercased: table]
    return file.statements.indices.compactMap { index in
      defer { follow(file.statements[index], &names) }
      guard let risk = RiskyStatement(file.statements[index]), risk.removesRows, names[risk.table] != nil else {
        return nil
      }
      return LintedStatement(file, index).finding(.lostRows, reason, remedy: remedy)
    }
  }

  /// Updates the current names of tables, each with its original name, after a statement.
  private static func follow(_ statement: SQLStatement, _ names: inout [String: String]) {
    switch SQLStatementEffect(of: statement.text) {
    case .renameTable(let table, let newName):
      if let original = names.removeValue(forKey: table.asciiLowercased) { names[newName.asciiLowercased] = original }
    case .dropTable(let table): names[table.asciiLowercased] = nil
    default: break
    }
  }

  /// Runs all migrations; returns the findings.
  package mutating func run(on db: Database) throws -> Result {
    result.findings += zip(files, files.dropFirst()).filter { $1.name.sharesNumber(with: $0.name) }
      .map(Self.sharedNumber)
    for file in files {
      // The merged migrations have already run, with the same result as this file.
      guard file.merges.isEmpty || !result.judged.isSuperset(of: file.merges) else {
        result.judged.insert(file.identifier)
        continue
      }
      if file.statements.isEmpty { result.findings.append(Self.emptiness(file)) }
      guard try perform(file, on: db) else { return result }
      result.judged.insert(file.identifier)
    }
    for check in LintRule.all.compactMap(\.afterAll) { result.findings += try check(db, declarations) }
    return result
  }

  /// Runs and inspects a migration.
  /// - Returns: False if the migration cannot be run completely.
  private mutating func perform(_ file: MigrationFile, on db: Database) throws -> Bool {
    var scene = try LintScene(db, file, ledgerTable: ledgerTable, graph)
    if let rehearsal = LossRehearsal(file, source: db, schema: scene.before, graph) {
      scene.losses = try rehearsal.perform(isInterrupted: isInterrupted)
    }
    do {
      return try file.perform(on: db) {
        guard try runStatements(of: file, &scene) else { return false }
        try scene.end()
        for check in LintRule.all.compactMap(\.afterMigration) { result.findings += try check(scene) }
        let broken = try scene.brokenObjects()
        if !broken.isEmpty {
          declarations.noteBroken(try db.connection.schema().objects.filter { broken.contains($0.title) })
        }
        guard file.defersForeignKeys else { return true }
        if repair == nil || repair == file.identifier { repair = file.violationsUntil?.identifier }
        if repair == nil { try db.checkForeignKeysOfRows() }
        return true
      }
    } catch let error as ForeignKeyViolationError {
      result.findings.append(Self.violation("it leaves rows that violate a foreign key: \(listed(error.places))", file))
      return false
    } catch let error as DatabaseError where !error.concernsEverything {
      // SQLite can neither check a foreign key whose parent columns are not a key, nor commit a deferred one.
      result.findings.append(Self.violation(error.reason, file))
      return false
    }
  }

  private mutating func runStatements(of file: MigrationFile, _ scene: inout LintScene) throws -> Bool {
    var skipsAttached = false
    for index in file.statements.indices {
      guard !isInterrupted() else { throw CancellationError() }
      var linted = LintedStatement(file, index)
      try linted.weighCondition(scene.db)
      for check in LintRule.all.compactMap(\.beforeStatement) { result.findings += try check(linted, scene) }
      try scene.note(linted)
      if linted.changes(ledgerTable) { continue }
      // The linter must not touch other files.
      if linted.statement.reachesOtherFiles {
        skipsAttached = true
        result.notes.append("\(file.path):\(linted.statement.line) was not run: it accesses another file")
        continue
      }
      do {
        try file.execute(at: index, scene.db)
      } catch let error as DatabaseError where !error.concernsEverything {
        if skipsAttached { continue }
        let error = linted.statement.explaining(error, scene.db) as? DatabaseError ?? error
        result.findings.append(
          linted.finding(
            .doesNotRun, utf8Offset: error.utf8Offset, "the statement fails: \(error.reason)",
            remedy: error.remedy.map { "\($0) Later migrations were not checked." }
              ?? "Correct the statement; later migrations were not checked."))
        return false
      }
      declarations.note(linted)
      try scene.noteBreakage(linted)
    }
    return true
  }

  private static func emptiness(_ file: MigrationFile) -> LintFinding {
    LintFinding(
      .emptyMigration, path: file.path, position: SQLTextPosition(line: 1, column: 1), migration: file.identifier,
      reason: "the file contains no statements; statements added after it is applied will not run",
      remedy: "Write the migration. If the file is intentionally empty, add this comment: "
        + "-- migrator: allow empty-migration REASON")
  }

  private static func sharedNumber(_ earlier: MigrationFile, _ later: MigrationFile) -> LintFinding {
    LintFinding(
      .sharedNumber, path: later.path, position: SQLTextPosition(line: 1, column: 1), migration: later.identifier,
      reason: "the file has the same number as \(earlier.path), so their names decide the order",
      remedy:
        "If the file is not applied anywhere, give it another number; otherwise, accept the order with a comment in the file: "
        + "-- migrator: allow-file shared-number REASON")
  }

  private static func violation(_ reason: String, _ file: MigrationFile) -> LintFinding {
    LintFinding(
      .doesNotRun, path: file.path, position: file.statements.last?.position, migration: file.identifier,
      reason: "the migration cannot be committed: \(reason)",
      remedy: "Correct the migration; later migrations were not checked.")
  }
}

extension LintedStatement {
  /// Treats a DELETE or UPDATE as one without a condition if its condition is true for every row, whatever the values.
  fileprivate mutating func weighCondition(_ db: Database) throws {
    guard effect == .none, let syntax, let risk = RiskyStatement(statement), let probe = ConditionProbe(syntax, db),
      try probe.affectsAllRows(of: risk.table)
    else { return }
    effect = risk.kind == .delete ? .deleteAllRows(table: risk.table) : .updateAllRows(table: risk.table)
  }
}
