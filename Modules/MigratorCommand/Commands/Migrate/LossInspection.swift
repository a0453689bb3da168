internal import Migrator
internal import MigratorLint
internal import SQLMigrations
internal import SQLSyntax

/// An inspection of the harm that pending migrations do to the rows of a database, for `plan` and `migrate`.
///
/// Before the run, it applies the rules of `lint` on a scratch database with the same schema, without the rows. Whether a
/// migration removes rows of the database, counting them during the run shows.
struct LossInspection {
  /// The contents of the file of the running migration and of those before it, read once for all its statements.
  private struct Reading: Sendable {
    let migration: String
    let keepers: ValueKeepers
    /// The indexes of the statements that may remove rows.
    let allowed: Set<Int>
    /// The indexes of the statements with the same text.
    let indexes: [String: [Int]]
  }

  let context: CommandContext
  let source: MigrationSource
  let pending: [String]
  /// Whether the rows are counted during the run, which decides about those losses that only sample rows show.
  var countsRows = true
  /// Whether properties count that a recreated table lacks, although its rows are the same.
  var findsDefinitions = false
  /// Whether each statement that can remove rows counts as a loss in a file that runs without a transaction: when the rows
  /// are counted, its changes are committed.
  var findsPossibleRemovals = false
  private let reading = Lock<Reading?>(nil)

  init(context: CommandContext, source: MigrationSource, pending: [String]) {
    (self.context, self.source, self.pending) = (context, source, pending)
  }

  // MARK: Before the run

  /// Returns the findings about tables that have rows, except findings that a comment allows; for `plan`, with those that
  /// sample rows refuted.
  func findings(in db: Database) throws -> [LintFinding] {
    guard source.folder != nil else { return [] }
    let files = pending.compactMap(source.file)
    let asksBefore = findsPossibleRemovals && files.contains { !$0.runsInTransaction }
    guard asksBefore || mayHarm(files) else { return [] }
    let tables = try db.connection.schema().objects.filter { table in
      table.kind == .table && !table.isVirtual && !source.migrator.ownTables.contains(table.name.asciiLowercased)
    }
    // A table that cannot be read may have rows.
    let filled = try tables.filter { table in try DatabaseError.ifPossible { try db.hasRows(in: table.name) } ?? true }
    let names = Dictionary(filled.map { ($0.name.asciiLowercased, $0.name) }) { first, _ in first }
    let harmful = names.isEmpty ? [] : try harmful(files, tables, names, in: db)
    // Without those that the sample rows refute.
    var findings = source.allowances.apply(to: harmful, of: files, judged: []).kept
    if asksBefore {
      let known = Set(findings.map { [$0.path, $0.statement.map(String.init) ?? ""] })
      findings += try Linter.possibleRemovals(
        in: files, from: names, isArmed: try !names.isEmpty && isArmed(files, in: db),
        hasRows: { query in
          try DatabaseError.ifPossible { try Bool.fetchOne(db, sql: "SELECT EXISTS (\(query.text("1")))") ?? false }
        }
      ).filter { !known.contains([$0.path, $0.statement.map(String.init) ?? ""]) }
    }
    let kept = source.allowances.apply(to: findings, of: files, judged: []).kept.filter { $0.harm != nil }
    return kept + (findsDefinitions ? harmful.filter(\.isRefuted) : [])
  }

  private func mayHarm(_ files: [MigrationFile]) -> Bool {
    findsDefinitions || files.contains(where: Linter.mayHarmRows)
  }

  /// Returns the findings of `lint` about tables that have rows.
  ///
  /// - Parameters:
  ///   - tables: All tables.
  ///   - names: The names of the tables that have rows, keyed by the name in ASCII lower case.
  private func harmful(
    _ files: [MigrationFile], _ tables: [SchemaObject], _ names: [String: String], in db: Database
  ) throws -> [LintFinding] {
    guard mayHarm(files) else { return [] }
    let known = Set(tables.map(\.name.asciiLowercased))
    let renamed = Set(files.flatMap(Linter.newNames))
    return try linted(files, in: db).filter { finding in
      guard let harm = finding.harm, let table = finding.table, try !isCounted(finding, in: db) else { return false }
      if harm == .definition && !findsDefinitions { return false }
      // The rows of a table that takes the name of another one are counted.
      if names[table] != nil || renamed.contains(table) && !known.contains(table) { return true }
      // The migrations fill a new table with rows that they copy.
      return finding.copiesRows && !known.contains(table)
    }.map { finding in
      var finding = finding
      if finding.harm == .sampleValues { finding.harm = .values }
      return finding
    }
  }

  /// Whether counting the rows and values of the database during the run decides about the finding.
  private func isCounted(_ finding: LintFinding, in db: Database) throws -> Bool {
    guard countsRows, let file = finding.migration.flatMap(source.file), file.runsInTransaction else { return false }
    switch finding.harm {
    case .sampleRows: return true
    case .sampleValues:
      guard let index = finding.statement else { return false }
      let statement = SQLStatementSummary(of: file.statements[index].text)
      switch statement.effect {
      case .dropColumn(_, let column):
        // Without a place for the values, there is nothing to compare, except in a column that has none.
        let keepers = read(file).keepers.keepers(at: index, of: [column], isOld: true)
        return try keepers[column.asciiLowercased]?.isEmpty != true || db.lacksValues(column, in: finding.table ?? "")
      case .dropTable: return true
      case .updateAllRows:
        let place = pending.firstIndex(of: file.identifier) ?? 0
        let update = OverwritingUpdate(
          db: db, file: file, index: index, table: finding.table ?? "",
          earlier: pending[..<place].compactMap(source.file).flatMap(\.statements) + file.statements[..<index])
        return try update.isHarmless { read(file).keepers.isNew($0, at: index) }
      // So are those that REPLACE or an upsert empties.
      default: return statement.overwriting?.inserted != nil
      }
    default: return false
    }
  }

  /// Returns the findings of `lint` about migrations, from a run on sample rows; empty if the scratch database cannot be
  /// created.
  private func linted(_ files: [MigrationFile], in db: Database) throws -> [LintFinding] {
    context.output.bar?.show("looking for losses", 0, of: 0, "")
    defer { context.output.bar?.end() }
    do {
      return try db.withSchemaCopy { copy, _ in
        // As in `lint`, nothing but the migrator touches its own tables.
        for table in source.migrator.ownTables {
          try copy.execute(sql: "DROP TABLE IF EXISTS main.\(table.quotedIdentifier)")
        }
        copy.limitStatements(to: context.output.environment.longestScratchStatement)
        var linter = Linter(files, ledgerTable: source.migrator.ledgerTable) { context.interrupt.hasArrived }
        return try linter.run(on: copy).findings
      }
    } catch let error as DatabaseError where !error.concernsEverything {
      return []
    }
  }

  // MARK: During the run

  /// Returns the function that determines what a migration may remove, so that it must be counted.
  func removalScopes(in db: Database) throws -> (String) -> RemovalScope {
    guard source.folder != nil else { return { _ in .anyRows } }
    let files = pending.compactMap(source.file)
    let isArmed = try isArmed(files, in: db)
    return { identifier in
      source.file(identifier).map { Linter.removalScope($0, isArmed: isArmed) } ?? .anyRows
    }
  }

  /// Returns whether each INSERT and UPDATE may remove rows, because of a conflict clause, a trigger or a module.
  private func isArmed(_ files: [MigrationFile], in db: Database) throws -> Bool {
    try files.contains { $0.statements.contains { Linter.armsWrites($0.text) } }
      || db.connection.schema().objects.contains { $0.sql.map(Linter.armsWrites) ?? false }
  }

  /// Returns the places in which a migration is meant to keep the values of columns that a statement drops.
  func keepers(
    _ migration: String, _ columns: [String], isOld: Bool, _ run: StatementOccurrence
  ) -> [String: [ValueKeeper]] {
    guard let file = source.file(migration), let index = index(of: run, in: file) else { return [:] }
    return read(file).keepers.keepers(at: index, of: columns, isOld: isOld)
  }

  /// Returns whether a migration adds rows to the table from which one of its statements deletes some.
  func addsRows(_ migration: String, _ run: StatementOccurrence) -> Bool {
    guard let file = source.file(migration), let index = index(of: run, in: file) else { return false }
    return read(file).keepers.addsRows(at: index)
  }

  /// Returns the tables that earlier migrations of the run have created, and that have the values of columns which they dropped.
  func holders(_ migration: String) -> Set<String> {
    guard migration != pending.first, let file = source.file(migration) else { return [] }
    return read(file).keepers.holders
  }

  /// Returns whether a finding is about a statement of a migration.
  func isAbout(_ migration: String, _ run: StatementOccurrence, _ finding: LintFinding) -> Bool {
    guard finding.migration == migration, let file = source.file(migration) else { return false }
    return finding.statement != nil && index(of: run, in: file) == finding.statement
  }

  /// Returns whether a comment allows a statement to remove rows by itself, or by what it sets off.
  func allows(_ migration: String, _ run: StatementOccurrence) -> Bool {
    guard let file = source.file(migration), !file.allowances.isEmpty else { return false }
    let allowed = read(file).allowed
    return !allowed.isEmpty && index(of: run, in: file).map(allowed.contains) ?? false
  }

  /// Returns whether a comment allows a statement to drop a column.
  func allowsDrop(_ migration: String, _ run: StatementOccurrence) -> Bool {
    guard case .dropColumn = SQLStatementEffect(of: run.sql), let file = source.file(migration),
      let index = index(of: run, in: file)
    else { return false }
    return allows(.destructive, Linter.findings(file, reason: "", remedy: "") { $0 == index }, of: file)
  }

  private func allows(_ rule: LintRule, _ findings: [LintFinding], of file: MigrationFile) -> Bool {
    source.allowances.apply(to: findings.map { $0.with(rule) }, of: [file], judged: []).kept.isEmpty
  }

  private func read(_ file: MigrationFile) -> Reading {
    reading.withLock { reading in
      if let reading, reading.migration == file.identifier { return reading }
      let writes =
        file.allowances.isEmpty
        ? [] : Linter.findings(file, reason: "", remedy: "") { file.statements[$0].writesData }
      let place = source.migrator.index(of: file.identifier) ?? 0
      let last = reading.flatMap { source.migrator.index(of: $0.migration) }.flatMap { $0 < place ? $0 : nil }
      // Earlier files may have copied the values.
      var keepers = last == nil ? ValueKeepers() : reading?.keepers ?? ValueKeepers()
      for next in source.folder?.files[(last.map { $0 + 1 } ?? 0)...place] ?? [] {
        keepers.read(next, isPending: pending.contains(next.identifier))
      }
      let new = Reading(
        migration: file.identifier, keepers: keepers,
        allowed: Set(writes.compactMap(\.statement)).subtracting(kept(writes, of: file).compactMap(\.statement)),
        indexes: Dictionary(grouping: file.statements.indices) { file.statements[$0].text })
      reading = new
      return new
    }
  }

  private func index(of run: StatementOccurrence, in file: MigrationFile) -> Int? {
    read(file).indexes[run.sql]?.dropFirst(run.precedingCount).first
  }

  /// Returns those findings about lost rows that no comment allows; one that allows the statement as such allows its effect,
  /// too.
  private func kept(_ findings: [LintFinding], of file: MigrationFile) -> [LintFinding] {
    let kept = [LintRule.lostRows, .destructive].map { rule in
      source.allowances.apply(to: findings.map { $0.with(rule) }, of: [file], judged: []).kept
        .filter { $0.rule == rule }
    }
    return kept[0].filter { finding in kept[1].contains { $0.statement == finding.statement } }
  }

  /// Returns the findings about rows or values that migrations have removed, except those that comments allow; one for all
  /// columns from which a statement removes values.
  func findings(_ losses: [RowLoss]) -> [LintFinding] {
    let statements = losses.reduce(into: [[RowLoss]]()) { statements, loss in
      if let place = statements.firstIndex(where: { $0[0].isOfSameStatement(as: loss) }) {
        statements[place].append(loss)
      } else {
        statements.append([loss])
      }
    }
    return statements.compactMap { $0[0].column == nil ? finding($0[0]) : finding(columns: $0) }
  }

  /// Returns a finding about rows that a migration has removed; nil if comments allow that.
  private func finding(_ loss: RowLoss) -> LintFinding? {
    let reason =
      loss.before.map { before in
        loss.after.map { "table \"\(loss.table)\" keeps \($0) of its \(counted(before, "row"))" }
          ?? "table \"\(loss.table)\" is gone after the migration, and had \(counted(before, "row")) before it"
      } ?? "the migration may remove rows of table \"\(loss.table)\", which cannot be counted"
    let remedy =
      "Copy every row. If the loss is intended, add a comment before the statement: -- migrator: allow lost-rows REASON"
    guard let file = source.file(loss.migration) else {
      return finished(
        LintFinding(
          .lostRows, path: loss.migration, position: nil, migration: loss.migration, reason: reason,
          remedy: "Copy every row, or confirm the loss."), loss)
    }
    var found = Linter.removals(file, of: loss.table, reason: reason, remedy: remedy)
    if let run = loss.statement, found.isEmpty || !SQLSource(run.sql).names(loss.table.asciiLowercased) {
      // A trigger, a foreign key action or a conflict clause.
      let index = index(of: run, in: file)
      found += Linter.findings(file, reason: reason, remedy: remedy) { $0 == index }
    }
    if let last = kept(found, of: file).last { return finished(last, loss) }
    // What a comment allows to be dropped, is lost; what it allows a statement in a transaction to remove, is no loss.
    let writes = Linter.findings(file, reason: reason, remedy: remedy) { file.statements[$0].writesData }
    guard
      loss.statement == nil
        ? found.isEmpty && kept(writes, of: file).count == writes.count
        : found.allSatisfy({ finding in writes.contains { $0.statement == finding.statement } })
    else { return nil }
    // It is not known which statement the comment must cover.
    let unknown = LintFinding(
      .lostRows, path: file.path, position: nil, migration: file.identifier, reason: reason,
      remedy:
        "Copy every row. If the loss is intended, add a comment to the file: -- migrator: allow-file lost-rows REASON")
    return kept([unknown], of: file).last.map { finished($0, loss) }
  }

  /// Returns a finding about the values of columns that a statement drops or overwrites; nil if a comment allows that.
  private func finding(columns losses: [RowLoss]) -> LintFinding? {
    let loss = losses[0]
    guard let file = source.file(loss.migration), let run = loss.statement else { return nil }
    let index = index(of: run, in: file)
    let (isOne, names) = (losses.count == 1, listed(losses.compactMap(\.column).map { "\"\($0)\"" }))
    let columns = "\(isOne ? "column" : "columns") \(names)"
    let count = losses.reduce(Int?.some(0)) { sum, loss in sum.flatMap { sum in loss.before.map { sum + $0 } } }
    var (rule, isRebuild, advice) = (LintRule.lostRows, true, "Copy every value.")
    var values =
      count.map {
        ", and at least \(counted($0, "value")) of \(isOne ? "it" : "them") \($0 == 1 ? "is" : "are") in no other column"
      } ?? ", and whether another column keeps \(isOne ? "its" : "their") values cannot be counted"
    let summary = SQLStatementSummary(of: run.sql)
    let removal: String
    switch summary.tableEffect {
    case .dropColumn:
      (rule, isRebuild) = (.destructive, false)
      removal = "drops \(columns) of table \"\(loss.table)\""
    case .dropTable:
      // As in `lint`, the rebuild leaves the column out, or does not fill it.
      if loss.after == nil { rule = .destructive }
      removal = "drops the old table \"\(loss.table)\" with \(columns)"
    case .createTable:
      removal = "creates temporary table \"\(loss.table)\" with \(columns), which is dropped after the migration"
    default:
      removal =
        summary.overwriting == nil
        ? "deletes rows of table \"\(loss.table)\" that come back without \(columns)"
        : "overwrites \(columns) of table \"\(loss.table)\""
      values =
        ", and at least \(count ?? 0) of \(isOne ? "its" : "their") values \(count == 1 ? "is" : "are") gone afterwards"
      advice = "Copy the values to another column first, or change only those that need it."
    }
    // What `plan` says of the statement anyway.
    let isKnown =
      !isRebuild
      && loss.column.flatMap { keepers(loss.migration, [$0], isOld: true, run)[$0.asciiLowercased]?.isEmpty } ?? false
    let found = Linter.findings(
      file, reason: "the statement \(removal)\(isKnown ? "" : values)",
      remedy: "\(advice) If the loss is intended, add a comment before the statement: -- migrator: allow "
        + "\(rule.name) REASON"
    ) { $0 == index }
    guard !allows(rule, found, of: file), !isRebuild || !kept(found, of: file).isEmpty else { return nil }
    return found.last.map { finished($0.with(rule), loss) }
  }

  private func finished(_ finding: LintFinding, _ loss: RowLoss) -> LintFinding {
    var finding = finding
    (finding.table, finding.harm) = (loss.table.asciiLowercased, loss.column == nil ? .rows : .values)
    return finding
  }
}

extension RowLoss {
  /// Whether both are losses of values by the same statement, and the columns of both are left or gone.
  fileprivate func isOfSameStatement(as other: RowLoss) -> Bool {
    column != nil && other.column != nil
      && (migration, table, statement) == (other.migration, other.table, other.statement)
      && (after == nil) == (other.after == nil)
  }
}

extension LintFinding {
  /// Whether the finding is about wrong values in rows that an INSERT copies.
  fileprivate var copiesRows: Bool { rule != .lostRows && rule != .destructive }

  fileprivate func with(_ rule: LintRule) -> LintFinding {
    LintFinding(
      rule, path: path, position: position, migration: migration, statement: statement, reason: reason, remedy: remedy)
  }
}
