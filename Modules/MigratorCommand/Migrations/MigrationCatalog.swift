internal import Migrator
internal import SQLMigrations

/// The migrations by name and digest: all that is needed to compare them with a ledger.
struct MigrationCatalog {
  /// One migration.
  struct Entry {
    /// What it is called in the ledger.
    let identifier: String
    /// The file's path; nil when there is none.
    let path: String?
    /// The file's digest; nil when there is none.
    let checksum: String?
  }

  /// The migrations in their order.
  let entries: [Entry]

  /// The folder of SQL files; nil when the migrations are an app's own.
  let folder: String?

  /// What the reader should know of the folder and its files.
  let notices: [String]

  /// The migrations that run nothing, and do not say that this is meant.
  let leftEmpty: Set<String>

  /// Whether a migration of that name is there, or merged into one that is.
  let knows: (String) -> Bool

  /// The migrations that a command works with.
  init(_ source: MigrationSource) {
    entries = source.migrator.migrations.map { identifier in
      let file = source.file(identifier)
      return Entry(identifier: identifier, path: file?.path, checksum: file?.checksum)
    }
    folder = source.folder?.path
    notices = source.folder?.notices ?? []
    leftEmpty = Self.leftEmpty(source.folder?.files ?? [])
    knows = source.migrator.knows
  }

  /// The files of a folder, as far as a ledger does not vouch for them.
  ///
  /// A file that is as it was when it was applied had nothing wrong with it then; it is not looked into. All others are,
  /// and all of them where one may stand for an entry that no file is named after.
  ///
  /// - Throws: ``ToolFailure`` of wrong usage with every problem that was found.
  init(_ scripts: MigrationScripts, ledger: [LedgerEntry], toolName: String) throws(ToolFailure) {
    let readers = scripts.readers
    let countInStep = ledger.countInStep(with: readers.lazy.map(\.identifier))
    var checksums = Dictionary(ledger[countInStep...].map { ($0.identifier, $0.checksum) }) { first, _ in first }
    var entries: [Entry] = []
    entries.reserveCapacity(readers.count)
    var changed: Set<String> = []
    for (index, reader) in readers.enumerated() {
      let entry = Entry(identifier: reader.identifier, path: reader.path, checksum: reader.checksum)
      let recorded =
        index < countInStep ? .some(ledger[index].checksum) : checksums.removeValue(forKey: entry.identifier)
      if recorded != .some(entry.checksum) { changed.insert(entry.identifier) }
      entries.append(entry)
    }
    let files: [MigrationFile]
    do {
      files = try scripts.files { !checksums.isEmpty || changed.contains($0.identifier) }
    } catch {
      throw ErrorReport.folder(error, toolName: toolName)
    }
    let merged = Set(files.flatMap(\.merges))
    self.entries = entries
    folder = scripts.path
    notices = []
    leftEmpty = Self.leftEmpty(files)
    knows = merged.contains
  }

  private static func leftEmpty(_ files: [MigrationFile]) -> Set<String> {
    Set(files.filter(\.isLeftEmpty).map(\.identifier))
  }
}

extension [LedgerEntry] {
  /// How many migrations from the first on were applied in the order of these identifiers: most often all of them, so that
  /// no entry needs to be looked for.
  func countInStep(with identifiers: some Sequence<String>) -> Int {
    var count = 0
    for identifier in identifiers {
      guard count < self.count, self[count].identifier == identifier else { break }
      count += 1
    }
    return count
  }
}
