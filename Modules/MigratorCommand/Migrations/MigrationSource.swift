internal import Migrator
internal import SQLMigrations

/// The migrations that the tool works with: an app's own, or those of a folder.
struct MigrationSource: Sendable {
  /// The migrations, in order.
  let migrator: DatabaseMigrator
  /// The folder; nil when the migrations are an app's own.
  let folder: MigrationFolder?

  private let filesByIdentifier: [String: MigrationFile]

  /// Takes the app's migrations, or reads the folder that the command line names.
  ///
  /// - Throws: ``ToolFailure`` of wrong usage with every problem of the folder.
  init(_ context: CommandContext, onStatement: @escaping @Sendable (Int) -> Void = { _ in }) throws(ToolFailure) {
    if let own = context.tool.migrator {
      self.init(migrator: own, folder: nil)
      return
    }
    try self.init(MigrationScripts(context), context, onStatement: onStatement)
  }

  /// Understands the files of a folder.
  ///
  /// - Throws: ``ToolFailure`` of wrong usage with every problem of the folder.
  init(
    _ scripts: MigrationScripts, _ context: CommandContext, onStatement: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws(ToolFailure) {
    let folder: MigrationFolder
    do {
      folder = try scripts.folder()
    } catch {
      throw context.failure(error)
    }
    var migrator = context.emptyMigrator
    for file in folder.files {
      migrator.register(Migration(FileRun(file: file, isInterrupted: { context.interrupt.hasArrived }, onStatement: onStatement)))
    }
    self.init(migrator: migrator, folder: folder)
  }

  /// The app's migrations, or none: for commands that run no migration.
  init(ownOf context: CommandContext) {
    self.init(migrator: context.tool.migrator ?? context.emptyMigrator, folder: nil)
  }

  /// One file that is no migration, for what is said of it when it fails.
  init(script file: MigrationFile) {
    self.init(
      migrator: DatabaseMigrator(),
      folder: MigrationFolder(path: file.path, files: [file], layout: .plain, notices: []))
  }

  private init(migrator: DatabaseMigrator, folder: MigrationFolder?) {
    self.migrator = migrator
    self.folder = folder
    filesByIdentifier = Dictionary(uniqueKeysWithValues: (folder?.files ?? []).map { ($0.identifier, $0) })
  }

  /// The file of a migration; nil when it has none.
  func file(_ identifier: String) -> MigrationFile? { filesByIdentifier[identifier] }

  /// The migration after `--to`; nil when there is none.
  ///
  /// - Throws: ``ToolFailure`` of wrong usage when it is no migration.
  func target(_ context: CommandContext) throws(ToolFailure) -> String? {
    guard let target = context.arguments.value(of: .to) else { return nil }
    guard !migrator.migrations.contains(target) else { return target }
    throw MigrationErrorReport(source: self, context: context, path: "").unknownTarget(target)
  }

  /// "3 migrations in migrations", for headings.
  var summary: String {
    let count = counted(migrator.migrations.count, "migration")
    return folder.map { "\(count) in \($0.path)" } ?? count
  }
}

extension MigrationScripts {
  /// Reads the files of the folder that the command line names.
  ///
  /// - Throws: ``ToolFailure`` of wrong usage when there is no such folder.
  init(_ context: CommandContext) throws(ToolFailure) {
    do {
      try self.init(context.folderPath)
    } catch {
      throw context.failure(error)
    }
  }
}

extension CommandContext {
  /// The folder of SQL files that the command line names, or the usual one.
  var folderPath: String { arguments.value(of: .migrations) ?? Self.usualFolder }

  /// The folder that is read when none is named.
  static let usualFolder = "migrations"

  /// A migrator with the ledger that the command line names, or the usual one.
  var emptyMigrator: DatabaseMigrator {
    arguments.value(of: .ledger).map { DatabaseMigrator(ledgerTable: $0) } ?? DatabaseMigrator()
  }
}
