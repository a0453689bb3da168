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
    let folder = MigrationFolder(context.folderPath)
    do {
      try folder.check()
    } catch {
      throw context.failure(error)
    }
    var migrator = context.emptyMigrator
    for file in folder.files {
      let isInterrupted = { @Sendable in context.interrupt.hasArrived }
      migrator.register(Migration(file, isInterrupted: isInterrupted, onStatement: onStatement))
    }
    self.init(migrator: migrator, folder: folder)
  }

  /// The app's migrations, or none: for commands that run no migration.
  init(ownOf context: CommandContext) {
    self.init(migrator: context.tool.migrator ?? context.emptyMigrator, folder: nil)
  }

  /// One file that is no migration, for what is said of it when it fails.
  init(script file: MigrationFile) {
    self.init(migrator: DatabaseMigrator(), folder: nil, files: [file])
  }

  private init(migrator: DatabaseMigrator, folder: MigrationFolder?, files: [MigrationFile]? = nil) {
    self.migrator = migrator
    self.folder = folder
    filesByIdentifier = Dictionary(uniqueKeysWithValues: (files ?? folder?.files ?? []).map { ($0.identifier, $0) })
  }

  /// The file of a migration; nil when it has none.
  func file(_ identifier: String) -> MigrationFile? { filesByIdentifier[identifier] }

  /// Whether the migrations are files, not Swift code.
  var hasFiles: Bool { !filesByIdentifier.isEmpty }

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

extension MigrationStates {
  /// Compares the migrations with the database's ledger, which is empty for a database that does not exist.
  init(_ source: MigrationSource, ledger: [LedgerEntry]) {
    if let folder = source.folder {
      self.init(folder, ledger: ledger)
    } else {
      self.init(source.migrator, ledger: ledger)
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
