internal import Migrator
internal import MigratorLint
internal import SQLMigrations
internal import SQLSyntax
internal import SQLiteDialect

extension ToolCommand {
  static let verify = ToolCommand(
    name: "verify",
    summary: "check the file, its foreign keys, and its schema",
    details: [
      "Checks that the file is intact (the engine's integrity check, and the cipher's if it is encrypted), that no row violates a "
        + "foreign key, that the views, triggers, virtual tables and foreign keys can be used, and that the database has the schema that "
        + "the applied migrations create on an empty database. Warns of known defects of the engine that concern the file.",
      "Reads every page and writes nothing. Exits with 1 when a check fails.",
      fleetDetails,
    ],
    examples: [
      Example("verify --database app.sqlite", "before a release, or after a crash"),
      Example("verify --database secret.db --key-file key --json", "an encrypted database, for a program"),
    ],
    options: OptionSpecification.fleetReading
  ) { context throws(ToolFailure) in
    try context.onEachDatabase { context, source throws(ToolFailure) in
      try VerifyCommand(runner: MigrationRunner(context, source, creates: false)).report()
    }
  }
}

struct VerifyCommand {
  /// The number of findings of a check that the text lists; the next step takes more into account.
  private static let limit = 20
  /// The beginning of a finding that names what could not be checked.
  private static let notChecked = "not checked: "

  /// The part of a finding about a table that its own definition makes unusable, before the reason.
  private static let unreadable = " has a definition with which its rows cannot be computed: "

  private static let damage = "integrity: the file is damaged"

  let runner: MigrationRunner
  private var database: DatabaseTarget { runner.database }

  func report() throws(ToolFailure) -> DatabaseReport {
    try database.requireExisting("Check the path.")
    let (report, version) = try checked()
    for warning in report.warnings { runner.context.output.warning(warning) }
    let heading = "\(database.path.oneLine) (\(report.engine ?? ""))"
    report.print(heading: heading, on: runner.context.output, limit: Self.limit)
    let failed = report.checks.filter { !$0.findings.isEmpty }
    let failure = ToolFailure(
      exitCode: .checkFailed, what: "\(database.path) fails \(listed(failed.map(\.name)))",
      why: failed.compactMap(\.findings.first), remedy: failed.first?.remedy)
    return DatabaseReport(
      database: database, json: report, exitCode: report.isSound ? .done : .checkFailed,
      failure: report.isSound ? nil : failure, outcome: "sound", version: version, warnings: report.warnings)
  }

  /// Returns the result of all checks, and the last applied migration.
  private func checked() throws(ToolFailure) -> (CheckReport, String?) {
    var queue = try database.openForReading()
    defer { runner.bar?.end() }
    let checks = [Self.integrity] + database.backend.checks + [Self.foreignKeys, ObjectsCheck.check, history]
    var findings: [CheckReport.Entry] = []
    for (index, check) in checks.enumerated() {
      runner.bar?.begin("checking \(check.name)", index: index + 1, count: checks.count, statementCount: 0)
      var entry = try runner.failures.catching {
        try runner.context.interruptible(queue) {
          CheckReport.Entry(check.name, try queue.read { db in try outcome(of: check, db) })
        }
      }
      entry.remedy = remedy(for: entry).map(runner.context.output.completed)
      // A damaged page can leave the connection in an error that each later statement repeats.
      if !entry.findings.isEmpty { try reopen(&queue) }
      if entry.name == Self.integrity.name, entry.remedy?.hasPrefix(Self.damage) ?? false {
        entry.findings = try unreadableTables(&queue) + entry.findings
      }
      findings.append(entry)
    }
    return try runner.failures.catching {
      var warnings = try queue.read { db in
        try KnownDefect.concerning(db).map { "\(db.engine.name) \(db.engine.version): \($0.sentence) (\($0.link))" }
      }
      let engine = try queue.read { "\($0.engine.name) \($0.engine.version)" }
      let applied = try queue.read { db in
        do {
          if let warning = try MigrationStates.triggerWarning(runner.source, in: db) {
            warnings.append("\(warning.what). \(warning.remedy)")
          }
          return try runner.source.migrator.appliedMigrations(db)
        } catch is MigrationError {
          // The check of the history has reported a ledger that cannot be read.
          return []
        } catch let error as DatabaseError where error.concernsDatabase {
          return []
        }
      }
      try queue.close()
      return (CheckReport(findings, engine: engine, warnings: warnings), applied.last)
    }
  }

  private func reopen(_ queue: inout DatabaseQueue) throws(ToolFailure) {
    let old = queue
    try runner.failures.catching { try old.close() }
    queue = try database.openForReading()
  }

  /// Returns findings about the tables of a damaged file: those with rows that cannot be read, or that there are none.
  private func unreadableTables(_ queue: inout DatabaseQueue) throws(ToolFailure) -> [String] {
    let schema = queue
    let objects = try runner.failures.catching {
      try DatabaseError.ifPossible { try schema.read { try $0.connection.schema().objects } }
    }
    guard let objects else { return [] }
    var unreadable: [String] = []
    for table in objects where table.kind == .table && !table.isVirtual {
      let reader = queue
      let canBeRead = try runner.failures.catching {
        try runner.context.interruptible(reader) { try reader.read { try Self.canRead(table.name, $0) } }
      }
      guard !canBeRead else { continue }
      unreadable.append("not all rows of table \"\(table.name)\" can be read")
      try reopen(&queue)
    }
    return unreadable.isEmpty ? ["the rows of all tables can be read"] : unreadable
  }

  /// Whether no damage is found when all rows of a table are read.
  private static func canRead(_ table: String, _ db: Database) throws -> Bool {
    var isReading = false
    do {
      let rows = try Row.fetchCursor(db, sql: "SELECT * FROM main.\(table.quotedIdentifier) NOT INDEXED")
      isReading = true
      while try rows.next() != nil {}
      return true
    } catch let error as DatabaseError where error.concernsDatabase {
      // A generated column may need a function of the app. SQLCipher 3 reports a damaged page in the same way, but later.
      return !isReading && error.condition == .statement
    }
  }

  /// Runs a check; an error about the database file becomes a finding, but one about other connections, or about
  /// this process, is thrown.
  private func outcome(of check: ToolCheck, _ db: Database) throws -> ToolCheck.Outcome {
    do {
      return try check.check(db)
    } catch let error as DatabaseError where error.concernsDatabase {
      return .failed([error.reason])
    }
  }

  /// Returns the next step after a failed check.
  private func remedy(for entry: CheckReport.Entry) -> String? {
    let found = entry.findings.filter { !$0.hasPrefix(Self.notChecked) }
    guard !found.isEmpty else { return nil }
    switch entry.name {
    case Self.integrity.name:
      // "NULL value in t.a"; in STRICT tables, also "non-INTEGER value in t.a"
      let rows = found.filter { $0.hasPrefix("CHECK constraint") || $0.firstRange(of: " value in ") != nil }
      let fullText = found.filter { $0.contains("inverted index for FTS") }
      let definitions = found.filter { $0.contains(Self.unreadable) }
      let indexes = found.filter {
        $0.contains(" index ") && !rows.contains($0) && !fullText.contains($0) && !definitions.contains($0)
      }
      // "Page 8 is never used" and, since 3.42, "Page 8: never used"; "Main freelist: size is 5 but should be 3"
      let unused = found.filter { $0.hasSuffix("never used") || $0.contains("reelist: size is ") }
      guard rows.count + indexes.count + fullText.count + unused.count + definitions.count == found.count else {
        let recovery =
          database.backend.needsKey
          ? "; the sqlite3 shell cannot read an encrypted file"
          : ", or save what can be read with `.recover` of the sqlite3 shell"
        return "\(Self.damage). Restore a backup\(recovery)."
      }
      let isUnique = indexes.contains { $0.contains("non-unique entry") }
      let steps = [
        unused.isEmpty
          ? nil
          : "some pages belong to no table or index: if no table is missing, make a backup, run VACUUM, and check again",
        rows.isEmpty ? nil : "correct these rows, for example with a migration",
        definitions.isEmpty
          ? nil
          : "the rows are not damaged: drop the generated column, or rebuild the table without the expression, in a migration",
        indexes.isEmpty
          ? nil
          : "\(rows.isEmpty && fullText.isEmpty ? "only indexes are damaged" : "indexes are damaged, too"): make a backup, "
            + "\(isUnique ? "merge or delete rows with equal keys, " : "")and run REINDEX",
        // https://www.sqlite.org/pragma.html#pragma_integrity_check (since 3.44)
        fullText.isEmpty
          ? nil
          : "rebuild the index of the full-text table with INSERT INTO name (name) VALUES ('rebuild'), unless it is meant to have "
            + "only some of the rows, to which SQLite objects, too",
      ]
      return "integrity: " + steps.compactMap(\.self).joined(separator: "; ") + "."
    case Self.foreignKeys.name:
      let keys = found.filter { $0.hasPrefix("foreign key mismatch") }
      let steps = [
        keys.isEmpty
          ? nil
          : "make the columns that the key refers to a primary key, or create a UNIQUE index on them (a view or a virtual table "
            + "has none: refer to a table)",
        keys.count == found.count
          ? nil : "delete these rows, or add the rows that they refer to, for example with a migration",
      ]
      return "foreign keys: " + steps.compactMap(\.self).joined(separator: "; ") + "."
    case ObjectsCheck.check.name:
      let step = "objects: recreate the object, or what it refers to, with a migration."
      let mayBeVirtual = found.contains { found in
        ["full-text ", "R-tree ", "table "].contains(where: found.hasPrefix)
          && !ObjectProbe.Fault.ofRows.contains(where: found.contains)
      }
      guard mayBeVirtual else { return step }
      return step
        + " The index of a full-text table is rebuilt from its "
        + "rows with INSERT INTO name (name) VALUES ('rebuild'); an R-tree, and a full-text table without content, are created and "
        + "filled again."
    case history.name:
      let tool = runner.context.toolName
      return
        "history: `\(tool) status` explains each migration, and `\(tool) diff` lists the differences of the schema."
    default: return "\(entry.name): the file is damaged. Restore a backup."
    }
  }

  // MARK: Checks

  /// The engine's integrity check, which does not include foreign keys.
  private static let integrity = ToolCheck(name: "integrity") { db in
    let passed = "tables and indexes are intact"
    do {
      let findings = try IntegrityCheck.findings(db, limit: 200)
      return findings.isEmpty ? .passed(passed) : .failed(findings)
    } catch let error as DatabaseError where error.condition == .statement {
      return try outcomeOfReadableTables(db, passed: passed) { try IntegrityCheck.findings(db, ofTable: $0) }
    }
  }

  /// Checks the ordinary tables one by one, except those for which a statement fails: this program may lack a collation or a
  /// function that they use.
  ///
  /// - Parameter findings: Returns the findings about a table.
  private static func outcomeOfReadableTables(
    _ db: Database, passed: String, _ findings: (String) throws -> [String]
  ) throws -> ToolCheck.Outcome {
    var (found, omissions): ([String], [String]) = ([], [])
    for table in try db.connection.schema().objects where table.kind == .table && !table.isVirtual {
      do {
        found += try findings(table.name)
      } catch let error as DatabaseError where ObjectProbe.Fault.ofRows.contains(where: error.message.hasPrefix) {
        found.append("table \"\(table.name)\"\(unreadable)\(error.message)")
      } catch let error as DatabaseError where error.condition == .statement {
        omissions.append("table \"\(table.name)\" (\(error.message))")
      }
    }
    guard found.isEmpty else { return .failed(found + omissions.map { notChecked + $0 }) }
    guard !omissions.isEmpty else { return .passed(passed) }
    return .skipped("this program cannot check \(listed(omissions)); a program that registers what is missing can")
  }

  private static let foreignKeys = ToolCheck(name: "foreign keys") { db in
    let passed = "no row violates a foreign key"
    do {
      try db.checkForeignKeys()
      return .passed(passed)
    } catch let error as ForeignKeyViolationError {
      return .failed(findings(of: error))
    } catch let error as DatabaseError where error.condition == .statement {
      return try outcomeOfReadableTables(db, passed: passed) { try findings(db, ofKeysIn: $0) }
    }
  }

  private static func findings(_ db: Database, ofKeysIn table: String) throws -> [String] {
    do {
      try db.checkForeignKeys(in: table)
      return []
    } catch let error as ForeignKeyViolationError {
      return findings(of: error)
    } catch let error as DatabaseError where error.message.hasPrefix("foreign key mismatch") {
      return [error.reason]
    }
  }

  private static func findings(of error: ForeignKeyViolationError) -> [String] {
    let rest = error.violationCount - error.places.count
    return error.places + (rest > 0 ? ["and \(rest) more"] : [])
  }

  private var history: ToolCheck {
    ToolCheck(name: "history") { [source = runner.source] db in
      let entries = try source.migrator.history(db)
      guard !entries.isEmpty else { return .skipped("no migration is applied") }
      do {
        let reasons = try source.migrator.differencesFromMigrations(db)
        guard reasons.isEmpty else { return .failed(reasons.map(\.description)) }
        let merged = Set(entries.map(\.identifier)).subtracting(source.migrator.migrations)
        guard merged.isEmpty else {
          return .skipped(
            "a pending migration merges \(listed(merged.sorted())): the schema can be compared after it has run")
        }
        // Another program or another migrator may have created other objects, so they are named, and are not an error.
        let adopted = try source.migrator.adoptedTables(db)
        let others = try source.migrator.objectsOfNoMigration(db)
          .filter { !adopted.contains($0.tableName.asciiLowercased) }.map { "\($0.kind.rawValue) \"\($0.name)\"" }
        let creates = entries.count == 1 ? "creates" : "create"
        return .passed(
          "the schema is the one that \(counted(entries.count, "applied migration")) \(creates)"
            + (others.isEmpty ? "" : ", besides \(listed(others))"))
      } catch MigrationError.replayFailed(let failure) {
        return .failed(["\(failure.identifier) no longer runs on an empty database: \(failure.underlying)"])
      } catch let error as MigrationError {
        return .failed([error.description])
      }
    }
  }
}
