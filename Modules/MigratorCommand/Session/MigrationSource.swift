internal import Migrator
internal import MigratorLint
internal import SQLMigrations

/// The migrations that the tool uses: an app's migrations, or the SQL files in a folder.
struct MigrationSource: Sendable {
  var migrator: DatabaseMigrator
  /// The folder; nil if the migrations are Swift code.
  let folder: MigrationFolder?
  /// Whether the file `.migrator-lint` in the folder allows migrations without a statement.
  let acceptsEmptyFiles: Bool

  /// Uses the app's migrations, or reads the folder.
  ///
  /// - Parameter showsStatements: Whether the progress bar shows the statements of a migration that runs.
  init(_ context: CommandContext, showsStatements: Bool = true) throws(ToolFailure) {
    var migrator = context.ownMigrator
    do {
      folder = context.tool.migrator == nil ? try MigrationFolder.read(context.folderPath) : nil
    } catch {
      throw context.failure(error)
    }
    // These commands include the warning in their reports.
    if context.command != "check", context.command != "lint" {
      for warning in folder?.warnings ?? [] { context.output.warning(warning.what, remedy: warning.remedy) }
    }
    let (interrupt, bar) = (context.interrupt, context.output.bar)
    for file in folder?.files ?? [] {
      migrator.register(
        Migration(
          file, isInterrupted: { interrupt.hasArrived },
          onStatement: { if showsStatements { bar.beginStatement($0) } }))
    }
    self.migrator = migrator
    // An invalid configuration file allows nothing; `lint` reports it.
    let allowances = folder.flatMap { try? LintAllowances(folder: $0.path, toolName: context.toolName) }
    acceptsEmptyFiles = allowances?.acceptsForFolder(.emptyMigration) ?? false
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
