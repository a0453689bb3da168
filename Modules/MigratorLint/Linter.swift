package import Migrator
package import SQLMigrations
package import SQLSyntax

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
  private let earlier: EarlierFiles
  private let ledgerTable: String
  /// The later migration that repairs the foreign key violations left so far; nil if there are no violations.
  private var repair: String?
  /// The names that failed statements leave in an unknown state.
  private var failed = FailedNames()

  /// Creates a linter for the files of a folder, in order.
  package init(
    _ files: [MigrationFile], ledgerTable: String = DatabaseMigrator().ledgerTable,
    isInterrupted: @escaping @Sendable () -> Bool
  ) {
    (self.files, earlier) = (files, EarlierFiles(files))
    self.ledgerTable = ledgerTable
    declarations = SchemaDeclarations(ledgerTable: ledgerTable)
    self.isInterrupted = isInterrupted
  }

  /// Returns whether a statement of a migration can remove rows that existed before it, or change or copy their values.
  package static func mayHarmRows(_ file: MigrationFile) -> Bool {
    file.statements.contains { statement in
      if RiskyStatement(statement) != nil { return true }
      let query = ["select", "conflict"].contains { statement.text.holdsWord($0) }
      // In a new table, only a name can be wrong, if it is in quotes.
      let fillsTable = { statement.text.contains("\"") && statement.firstTokens(3).contains("table") }
      return query && (statement.writesData || fillsTable())
    }
  }

  /// Returns whether a migration inserts, changes or deletes rows.
  package static func changesRows(_ file: MigrationFile) -> Bool { file.statements.contains(where: \.writesData) }

  /// Returns the names that a migration gives to tables, in ASCII lower case.
  package static func newNames(_ file: MigrationFile) -> [String] {
    file.statements.compactMap(\.newTableName)
  }

  /// Returns a finding for each statement that changes the migrator's own table.
  package static func ledgerChanges(_ file: MigrationFile, ledgerTable: String) -> [LintFinding] {
    file.statements.indices.map { LintedStatement(file, $0) }.filter { $0.changes(ledgerTable) }
      .map { $0.ledgerChange(ledgerTable) }
  }

  /// Returns what the statements of a migration may remove, so that it must be counted.
  ///
  /// - Parameter isArmed: Whether each INSERT and UPDATE can remove rows.
  package static func removalScope(_ file: MigrationFile, isArmed: Bool) -> RemovalScope {
    if isArmed && changesRows(file) { return .anyRows }
    let removesRows = file.statements.contains { statement in
      ["delete", "replace", "drop"].contains(where: statement.text.holdsWord)
        && RiskyStatement(statement)?.removesRows ?? false
    }
    if removesRows { return .rows }
    let removesValues = file.statements.contains { statement in
      if case .dropColumn = SQLStatementEffect(of: statement.text) { return true }
      return statement.writesData && ["update", "replace"].contains(where: statement.text.holdsWord)
    }
    return removesValues ? .values : .nothing
  }

  /// Returns whether a definition, or a statement of a migration, lets each INSERT and UPDATE of the migration remove rows.
  package static func armsWrites(_ sql: String) -> Bool { RiskyStatement.armsOthers(sql) }

  /// Returns a finding for each statement in the files without a transaction that can remove rows or values of one of the
  /// given tables, or of an attached file, whichever rows its condition selects.
  ///
  /// - Parameters:
  ///   - tables: The names of the tables, keyed by the name in ASCII lower case.
  ///   - isArmed: Whether each INSERT and UPDATE can remove rows, too; a file with such statements gets one finding.
  ///   - hasRows: Returns whether a query finds rows before the migrations; nil if it cannot run yet.
  package static func possibleRemovals(
    in files: [MigrationFile], from tables: [String: String], isArmed: Bool, hasRows: (SQLRowQuery) throws -> Bool?
  ) rethrows -> [LintFinding] {
    var names = TableNames(tables.values)
    return try files.flatMap { file -> [LintFinding] in
      // A loss is reported with the name that the table has before the migration.
      names.restart()
      let risks = risks(file, &names)
      guard !file.runsInTransaction else { return [] }
      let keepers = ValueKeepers(file)
      var found = try risks.compactMap { index, risk, table in
        let statement = LintedStatement(file, index)
        if risk.removesRows { return removal(statement, risk, table) }
        guard let table else { return nil }
        return try columnDrop(statement, of: table, keepers) ?? emptying(statement, of: table, keepers, hasRows)
      }
      let others = file.statements.indices.filter { index in !found.contains { $0.statement == index } }
      if isArmed, let index = others.first(where: { file.statements[$0].writesData }) {
        found.append(
          LintedStatement(file, index).finding(
            .lostRows, harm: .rows,
            "the statement can also remove rows, by a trigger, a conflict clause or a virtual table",
            remedy: confirmation("to the file: -- migrator: allow-file")))
      }
      return found
    }
  }

  /// Returns a finding about a statement that can remove rows.
  ///
  /// - Parameter table: The table; nil if it is none of those with rows.
  private static func removal(_ linted: LintedStatement, _ risk: RiskyStatement, _ table: String?) -> LintFinding? {
    // A name without a schema may be that of a table in the attached file.
    guard table != nil || linted.file.statements.contains(where: \.attachesFile) else { return nil }
    let name =
      table.map { "\"\($0)\", which has rows" } ?? "\"\(risk.table)\", which may be in the attached file"
    let verb =
      switch risk.kind {
      case .dropTable: "removes table"
      case .delete: "deletes rows of table"
      default: "may replace rows of table"
      }
    return linted.finding(
      .lostRows, harm: .rows, of: table, "the statement \(verb) \(name)",
      remedy: confirmation("before the statement: -- migrator: allow"))
  }

  /// Returns a finding about a statement that drops a column whose values are meant to be in another one.
  private static func columnDrop(
    _ linted: LintedStatement, of table: String, _ keepers: ValueKeepers
  ) -> LintFinding? {
    guard case .dropColumn(_, let column) = linted.effect,
      keepers.keepers(at: linted.index, of: [column], isOld: true).values.contains(where: { !$0.isEmpty })
    else { return nil }
    return linted.finding(
      .destructive, harm: .values, of: table,
      "the statement drops column \"\(column)\" of table \"\(table)\", and may lose values that no other column has",
      remedy:
        "Without a transaction, lost values are not counted. If other columns have them, confirm, add --yes, or add a "
        + "comment before the statement: -- migrator: allow destructive REASON")
  }

  /// Returns a finding about an UPDATE that empties a column in rows that have a value before the migrations.
  private static func emptying(
    _ linted: LintedStatement, of table: String, _ keepers: ValueKeepers, _ hasRows: (SQLRowQuery) throws -> Bool?
  ) rethrows -> LintFinding? {
    guard let overwriting = linted.summary.overwriting else { return nil }
    // A column that the migration adds has no earlier values.
    let old = keepers.keepers(at: linted.index, of: overwriting.columns, isOld: true)
    let emptied = try overwriting.columns.first { column in
      try old[column] != nil
        && overwriting.emptied[column].map { try hasRows($0) ?? overwriting.cleared.contains(column) } ?? false
    }
    return emptied.map { column in
      linted.finding(
        .lostRows, harm: .values, of: table,
        "the statement empties column \"\(column)\" of rows of table \"\(table)\" that have a value",
        remedy: confirmation("before the statement: -- migrator: allow", of: "values"))
    }
  }

  private static func confirmation(_ comment: String, of parts: String = "rows") -> String {
    "Without a transaction, \(parts) are counted only after they are lost. If the \(parts) may go, confirm the loss, "
      + "add --yes, or add a comment \(comment) lost-rows REASON"
  }

  /// Returns a finding for each statement that removes rows of a table, with a given reason.
  ///
  /// - Parameter table: The name of the table before the migration.
  package static func removals(_ file: MigrationFile, of table: String, reason: String, remedy: String) -> [LintFinding]
  {
    var names = TableNames([table])
    return risks(file, &names).filter { $0.table != nil && $0.risk.removesRows }
      .map { LintedStatement(file, $0.index).finding(.lostRows, reason, remedy: remedy) }
  }

  /// Returns a finding, with a given reason, for each statement whose index satisfies a condition.
  package static func findings(
    _ file: MigrationFile, reason: String, remedy: String, where isFound: (Int) -> Bool
  ) -> [LintFinding] {
    file.statements.indices.filter(isFound)
      .map { LintedStatement(file, $0).finding(.lostRows, reason, remedy: remedy) }
  }

  /// Returns the statements of a migration that can remove rows or values by themselves, except from new tables.
  ///
  /// Each has the original name of its table; nil for a table of another name or file.
  ///
  /// - Parameter names: The tables, which are followed through the migration.
  private static func risks(
    _ file: MigrationFile, _ names: inout TableNames
  ) -> [(index: Int, risk: RiskyStatement, table: String?)] {
    file.statements.enumerated().compactMap { index, statement in
      defer { names.follow(SQLStatementSummary(of: statement.text)) }
      guard let risk = RiskyStatement(statement) else { return nil }
      if risk.isAttached { return (index, risk, nil) }
      let table = names.original(of: risk.table, isQualified: risk.isQualified)
      return table == nil && names.isNew(risk.table) ? nil : (index, risk, table)
    }
  }

  /// Runs all migrations; returns the findings.
  ///
  /// The database must be confined, because the linter must not touch other files.
  ///
  /// After a statement that fails, the statements that depend on it are left out, and so are their findings.
  package mutating func run(on db: Database) throws -> Result {
    result.findings += zip(files, files.dropFirst()).filter { $1.name.followsByWords($0.name) }
      .map(Self.sharedNumber)
    var performed: Set<String> = []
    let state = try db.connection.stateKeeper?.state()
    for file in files {
      // The merged migrations have already run, with the same result as this file.
      let isMerged = !file.merges.isEmpty && performed.isSuperset(of: file.merges)
      if file.statements.isEmpty, !isMerged { result.findings.append(Self.emptiness(file)) }
      let isJudged = try isMerged ? result.judged.isSuperset(of: file.merges) : perform(file, on: db)
      if isJudged { result.judged.insert(file.identifier) }
      if db.hasExceededLimit { return result }
      performed.insert(file.identifier)
      // As a run does: no migration finds the temporary tables and settings of an earlier one.
      if let state, file.statements.contains(where: { SQLStatementSummary(of: $0.text).mayChangeConnection }) {
        try db.connection.stateKeeper?.restore(state)
      }
      declarations.endMigration()
    }
    for check in LintRule.all.compactMap(\.afterAll) { report(try check(db, declarations)) }
    return result
  }

  /// Adds findings, except those that a failed statement may have caused.
  private mutating func report(_ findings: [LintFinding]) {
    guard !failed.isEmpty else { return result.findings += findings }
    result.findings += findings.filter { finding in
      guard let index = finding.statement, let file = files.first(where: { $0.identifier == finding.migration }) else {
        return false
      }
      return !failed.areMentioned(in: file.statements[index]) && !(finding.table.map(failed.contains) ?? false)
    }
  }

  /// Runs and inspects a migration.
  /// - Returns: False if the migration cannot be run completely.
  private mutating func perform(_ file: MigrationFile, on db: Database) throws -> Bool {
    failed.spread(over: file)
    var scene = try LintScene(db, file, ledgerTable: ledgerTable, graph, earlier)
    if !file.statements.contains(where: failed.areMentioned),
      let rehearsal = LossRehearsal(file, source: db, schema: scene.before, graph)
    {
      scene.losses = try rehearsal.perform(isInterrupted: isInterrupted)
    }
    var isComplete = true
    do {
      let isCommitted = try file.perform(on: db) {
        guard try runStatements(of: file, &scene, &isComplete) else { return false }
        // As a run does: the connection has not read the virtual tables of a dump.
        if file.statements.contains(where: { SQLStatementEffect(of: $0.text) == .allowSchemaEditing }) {
          try db.execute(sql: "PRAGMA writable_schema = RESET")
        }
        scene.end()
        for check in LintRule.all.compactMap(\.afterMigration) { report(try check(scene)) }
        let broken = try scene.brokenObjects()
        if !broken.isEmpty {
          declarations.noteBroken(try db.connection.schema().objects.filter { broken.contains($0.title) })
        }
        // A failed statement may have inserted the parents.
        guard file.defersForeignKeys, failed.isEmpty else { return true }
        let isRepair = repair == file.identifier
        if repair == nil || isRepair { repair = file.violationsUntil?.identifier }
        // New tables and indexes change no rows, and the check takes longer with each table.
        let onlyCreates = file.statements.allSatisfy { $0.kind == .create }
        if repair == nil, isRepair || !onlyCreates { try db.checkForeignKeysOfRows() }
        return true
      }
      if !isCommitted { failed.add(file) }
      return isCommitted && isComplete
    } catch let error as ForeignKeyViolationError {
      noteViolation("it leaves rows that violate a foreign key: \(listed(error.places))", file)
    } catch let error as DatabaseError where !error.concernsEverything {
      // SQLite can neither check a foreign key whose parent columns are not a key, nor commit a deferred one.
      noteViolation(error.reason, file, remedy: error.remedy)
    }
    return false
  }

  private mutating func noteViolation(_ reason: String, _ file: MigrationFile, remedy: String? = nil) {
    if failed.isEmpty { result.findings.append(Self.violation(reason, file, remedy)) }
    failed.add(file)
  }

  /// - Returns: False if the migration is to be rolled back.
  private mutating func runStatements(
    of file: MigrationFile, _ scene: inout LintScene, _ isComplete: inout Bool
  ) throws -> Bool {
    var skipsAttached = false
    var savepoints = SQLSavepoints<LintScene>()
    for index in file.statements.indices {
      guard !isInterrupted() else { throw CancellationError() }
      var linted = LintedStatement(file, index)
      if failed.areMentioned(in: linted.statement) {
        isComplete = false
        continue
      }
      try linted.weighCondition(scene.db)
      for check in LintRule.all.compactMap(\.beforeStatement) { report(try check(linted, scene)) }
      try scene.note(linted)
      if linted.changes(ledgerTable) { continue }
      let skippedCount = scene.db.skippedStatements.count
      do {
        try file.execute(at: index, scene.db)
      } catch let error as DatabaseError where !error.concernsEverything {
        if skipsAttached { continue }
        isComplete = false
        noteFailure(linted.statement.explaining(error, scene.db) as? DatabaseError ?? error, of: linted)
        // Otherwise, it is unknown which statements are rolled back.
        guard file.runsInTransaction, scene.db.isInsideTransaction, !scene.db.hasExceededLimit else { return false }
        continue
      }
      if scene.db.skippedStatements.count > skippedCount {
        skipsAttached = true
        result.notes.append("\(file.path):\(linted.statement.line) was not run: it accesses another file")
        continue
      }
      declarations.note(linted)
      try scene.noteBreakage(linted)
      savepoints.follow(linted.statement.kind, linted.statement.text, &scene)
    }
    return true
  }

  private mutating func noteFailure(_ error: DatabaseError, of linted: LintedStatement) {
    var isConsequence = false
    if !failed.isEmpty {
      // Rows may be missing that a failed statement inserts, and views may name what it creates.
      if case .constraint = error.condition { isConsequence = true }
      if error.message.hasPrefix("error in ") { isConsequence = true }
    }
    failed.add(linted)
    guard !isConsequence else { return }
    // The same cause.
    result.findings.removeAll {
      [.omittedColumn, .misreadSpace].contains($0.rule) && $0.migration == linted.file.identifier
        && $0.statement == linted.index
    }
    let rest = "Statements that depend on it were not checked."
    result.findings.append(
      linted.finding(
        .doesNotRun, utf8Offset: error.utf8Offset, "the statement fails: \(error.reason)",
        remedy: error.remedy.map { "\($0) \(rest)" } ?? "Correct the statement. \(rest)"))
  }

  private static func emptiness(_ file: MigrationFile) -> LintFinding {
    LintFinding(
      .emptyMigration, file, "the file contains no statements; statements added after it is applied will not run",
      remedy: "Write the migration. If the file is intentionally empty, add this comment: "
        + "-- migrator: allow empty-migration REASON")
  }

  private static func sharedNumber(_ earlier: MigrationFile, _ later: MigrationFile) -> LintFinding {
    LintFinding(
      .sharedNumber, later, "the file has the same number as \(earlier.path), so their names decide the order",
      remedy:
        "If the file is not applied anywhere, give it another number; otherwise, accept the order with a comment in the file: "
        + "-- migrator: allow-file shared-number REASON")
  }

  private static func violation(_ reason: String, _ file: MigrationFile, _ remedy: String?) -> LintFinding {
    LintFinding(
      .doesNotRun, path: file.path, position: file.statements.last?.position, migration: file.identifier,
      reason: "the migration cannot be committed: \(reason)",
      remedy: (remedy ?? "Correct the migration.") + " Statements that depend on it were not checked.")
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
