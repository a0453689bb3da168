internal import Migrator
internal import MigratorLint
internal import SQLMigrations
internal import SQLSyntax

/// The migrations that the tool uses: an app's migrations, or the SQL files in a folder.
struct MigrationSource: Sendable {
  var migrator: DatabaseMigrator
  /// The folder; nil if the migrations are Swift code.
  let folder: MigrationFolder?
  /// The findings that comments and the folder's file `.migrator-lint` accept; an invalid file accepts none.
  let allowances: LintAllowances
  /// The reason why the folder's file cannot be used, which `lint` and `check` report; nil if there is none.
  let allowancesFault: LintAllowances.Fault?

  /// Uses the app's migrations, or reads the folder and warns about the files that are not read.
  ///
  /// - Parameter showsStatements: Whether the progress bar shows the statements of a migration that runs.
  init(_ context: CommandContext, showsStatements: Bool = true) throws(ToolFailure) {
    let folder = context.tool.migrator == nil ? MigrationFolder(context.folderPath) : nil
    try self.init(context, folder, showsStatements: showsStatements)
    // This command includes the warning in its report.
    guard context.command != "check" else { return }
    for warning in folder?.warnings ?? [] { context.output.warning(warning.what, remedy: warning.remedy) }
  }

  /// Uses a folder that was read; nil for the app's migrations.
  init(_ context: CommandContext, _ folder: MigrationFolder?, showsStatements: Bool = true) throws(ToolFailure) {
    let problems = folder?.problems ?? []
    guard problems.isEmpty else {
      throw context.failure(MigrationFolderError(folder: context.folderPath, problems: problems))
    }
    self.folder = folder
    var migrator = context.ownMigrator
    let (interrupt, bar) = (context.interrupt, context.output.bar)
    for file in folder?.files ?? [] {
      migrator.register(
        Migration(
          file, isInterrupted: { interrupt.hasArrived },
          onStatement: { if showsStatements { bar?.beginStatement($0) } }))
    }
    self.migrator = migrator
    var allowances = LintAllowances(toolName: context.toolName)
    var fault: LintAllowances.Fault?
    do throws(LintAllowances.Fault) {
      if let folder, folder.hiddenNames.contains(LintAllowances.fileName) {
        allowances = try LintAllowances(folder: folder.path, toolName: context.toolName)
      }
    } catch {
      fault = error
    }
    (self.allowances, allowancesFault) = (allowances, fault)
  }

  func file(_ identifier: String) -> MigrationFile? {
    // The migrations from a folder are registered in the order of its files.
    folder.flatMap { folder in migrator.index(of: identifier).map { folder.files[$0] } }
  }

  /// The migrations with which a run must not end, because they or earlier ones leave foreign key violations that a
  /// later one repairs in the same transaction.
  var migrationsLeavingViolations: Set<String> {
    let files = folder?.files ?? []
    var found: Set<String> = []
    for (place, file) in files.enumerated() {
      guard let repair = file.violationsUntil,
        let end = files[place...].firstIndex(where: { $0.identifier == repair.identifier })
      else { continue }
      found.formUnion(files[place..<end].map(\.identifier))
    }
    return found
  }

  /// Returns the migration given with `--to`; nil if there is none.
  func target(_ context: CommandContext) throws(ToolFailure) -> String? {
    guard let target = context.arguments.value(of: .to) else { return nil }
    guard !migrator.migrations.contains(target) else { return target }
    throw context.failures(of: self, path: "").unknownTarget(target)
  }

  /// Returns the refusal to run migrations that change the ledger, unless a comment allows it; nil if there are none.
  func ledgerRefusal(_ migrations: [String]) -> ToolFailure? {
    let ledger = migrator.ledgerTable
    // Few files contain the name, so that the statements of the others need not be parsed.
    let files = migrations.compactMap(file).filter { $0.text.asciiLowercased.contains(ledger.asciiLowercased) }
    let changes = files.flatMap { Linter.ledgerChanges($0, ledgerTable: ledger) }
    guard !changes.isEmpty else { return nil }
    let refused = allowances.apply(to: changes, of: files, judged: []).kept.filter { $0.rule == .ledgerChange }
    guard let change = refused.first, let file = files.first(where: { $0.path == change.path }) else { return nil }
    var failure = ToolFailure.refused(
      "migration \(file.identifier) changes \"\(ledger)\", the table in which the migrator records the applied "
        + "migrations",
      why: ["migrations whose records are removed or changed would run a second time, or not at all"]
        + refused.dropFirst().map { "\($0.place) changes it, too" },
      remedy: "Nothing was changed. Remove the statement. If the change is intended, add a comment before the "
        + "statement: -- migrator: allow ledger-change REASON")
    failure.migration = file.identifier
    failure.place = ToolFailure.Place(
      path: change.path, line: change.position?.line, column: change.position?.column,
      text: change.position.flatMap { ScriptFile.line($0.line, of: file.text) },
      statement: change.statement.map { $0 + 1 }, statementCount: file.statements.count)
    return failure
  }

  var summary: String {
    let count = counted(migrator.migrations.count, "migration")
    return folder.map { "\(count) in \($0.path)" } ?? count
  }
}

extension CommandContext {
  /// Returns the failure for a folder that cannot be used; for a missing one, suggests its likely location.
  func failure(_ error: MigrationFolderError) -> ToolFailure {
    let address = arguments.value(of: .database).flatMap { text in
      // If the address is invalid, opening the database reports it; here, there is only no suggestion.
      try? DatabaseAddress(text, backendNames: tool.backends.map(\.name))
    }
    return FailureReport.folder(
      error, toolName: toolName, databaseFolder: address.map { $0.path.containingFolder })
  }

  func failures(of source: MigrationSource, path: String) -> FailureReport {
    var report = FailureReport(
      toolName: toolName, command: command, interrupt: interrupt, migrator: source.migrator,
      files: source.folder?.files, path: path)
    report.isFleet = isFleet
    report.isWatched = command == "watch" || output.environment.variable(ToolEnvironment.watchVariable) != nil
    return report
  }

  /// Reads a seed or schema file, according to the rules for migration files.
  func readScript(_ path: String) throws(ToolFailure) -> MigrationFile {
    guard let name = MigrationName(path: path) else {
      throw .usage("\(path) is not an SQL file", remedy: "Name a file that ends in .sql.")
    }
    let file = MigrationFile(name)
    // A broken link has a separate message.
    if file.problems.first?.kind == .unreadable(.missing), !FileSystem.exists(path) {
      throw .usage("there is no file \"\(path)\"", remedy: "Check the path.")
    }
    guard file.problems.isEmpty else {
      throw FailureReport.folder(MigrationFolderError(folder: path, problems: file.problems), toolName: toolName)
    }
    return file
  }
}
