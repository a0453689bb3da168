#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
internal import Migrator

/// The migrations in a folder of SQL files.
///
/// Reading a folder does not run anything.
///
/// ```swift
/// for problem in MigrationFolder(folder).problems { print(problem) }
/// ```
///
/// The layouts of other tools are supported for forward migrations only. The layout is determined for each file, so a
/// folder may contain several layouts. Files whose names begin with a number are in numeric order, and those with the same
/// number in the Unicode order of their names. Where no name has a number, that is the order of all files; a file without a
/// number beside one that has a number is refused.
public struct MigrationFolder: Sendable {
  /// The folder's path as given.
  public let path: String
  /// The files in the order of application, including files with problems.
  package private(set) var files: [MigrationFile] = []
  /// The names in the folder that begin with a dot, which are not those of migrations.
  package private(set) var hiddenNames: Set<String> = []
  /// The reason why the folder cannot be listed; nil if it was listed.
  package private(set) var listingProblem: MigrationProblem?
  /// The notes about files that are skipped, or that are read differently than their names suggest.
  private var nameNotices: [String] = []
  /// The paths of the SQL files that are not read because they are in a subfolder, by the path of that subfolder.
  package private(set) var skippedFiles: [String: [String]] = [:]
  /// The paths of files that an editor or a file manager has given another ending than `.sql`.
  private var misspelledFiles: [String] = []
  private var nameProblems: [MigrationProblem] = []

  /// Reads a folder and its files.
  public init(_ path: String) {
    self.path = path
    do {
      list(try ScriptFile.entries(in: path))
    } catch {
      listingProblem = error
    }
  }

  /// Reads a folder; throws if its migrations cannot be run.
  ///
  /// - Throws: An error with all problems of the folder, the file names, and the text of each file.
  package static func read(_ path: String) throws(MigrationFolderError) -> MigrationFolder {
    let folder = MigrationFolder(path)
    let problems = folder.problems
    guard problems.isEmpty else { throw MigrationFolderError(folder: path, problems: problems) }
    return folder
  }

  /// The migrations in the order of application; they can be run if there are no ``problems``.
  public var migrations: [SQLMigration] { files.map(SQLMigration.init) }

  /// All reasons why the migrations cannot be run: first the problems in the files, in order, then the problems with
  /// the file names.
  public var problems: [MigrationProblem] {
    if let listingProblem { return [listingProblem] }
    let found = files.flatMap(\.problems) + nameProblems + duplicates + unknownRepairs + laterRequirements
    guard files.isEmpty, found.isEmpty else { return found }
    let below = skippedFiles.keys.sorted()
    return [MigrationProblem(below.isEmpty ? .noMigrations : .migrationsBelow(below), path: path)]
  }

  /// The notes about skipped files, about files that share a number, and about how the files were interpreted.
  public var notices: [String] { nameNotices + sharedNumbers + files.flatMap(\.notices) }

  /// The warnings about subfolders whose files are not read, and about misspelled endings, each with the next step.
  package var warnings: [(what: String, remedy: String)] {
    skippedFiles.sorted { $0.key < $1.key }.map { skipped, paths in
      let names = paths.map { String(decoding: $0.utf8.dropFirst(skipped.utf8.count + 1), as: UTF8.self) }
      return (
        "\(skipped) holds \(counted(paths.count, "SQL file")) that \(paths.count == 1 ? "is" : "are") not read: \(listed(names))",
        "Move migrations into \"\(path)\", or name their folder with --migrations; move other files out of \"\(path)\"."
      )
    }
      + misspelledFiles.map { file in
        (
          "\"\(file)\" is not read: its name does not end in .sql",
          "Rename it if it is a migration; otherwise move it out of \(path)."
        )
      }
  }

  // MARK: Names

  private mutating func list(_ entries: [(name: String, isFolder: Bool)]) {
    let names = entries.map(\.name)
    hiddenNames = Set(names.filter { $0.hasPrefix(".") })
    guard !DirectedName.isFolderOfUndoing(path) || !names.contains(where: { $0.dropping(".sql") != nil }) else {
      listingProblem = MigrationProblem(.undoFolder, path: path)
      return
    }
    guard !Self.isSingleMigration(names) else {
      listingProblem = MigrationProblem(.singleMigrationFolder, path: path)
      return
    }
    // graphile-migrate: `current.sql` is the next migration, which is not finished (https://github.com/graphile/migrate).
    if names.contains("current.sql"), entries.contains(where: { $0.name == "committed" && $0.isFolder }) {
      listingProblem = MigrationProblem(.migrationsBelow(["\(path)/committed"]), path: path)
      return
    }
    let configurations = Set(names.filter { $0.hasSuffix(".conf") })
    var listing = FolderListing(path: path, names: Set(names))
    for (name, isFolder) in entries where !name.hasPrefix(".") {
      let path = listing.path(of: name)
      if name.contains("\u{FFFD}"), !ScriptFile.exists(path) {
        listing.problems.append(MigrationProblem(.nameNotUTF8, path: path))
      } else if isFolder {
        Self.readInnerFolder(path, &listing)
      } else if var file = MigrationName(path: path) {
        if configurations.contains(name + ".conf") { file.setting = .flyway(path) }
        listing.found.append(file)
      } else if Self.hasMisspelledEnding(name) {
        misspelledFiles.append(path)
      } else if Self.looksLikeMigration(name) {
        listing.notices.append("\(path): skipped, because its name does not end in .sql")
      }
    }
    for layout in MigrationLayout.all { listing.settle(layout) }
    settle(listing)
  }

  /// Whether the SQL files in a folder together are a single migration.
  private static func isSingleMigration(_ names: [String]) -> Bool {
    let files = Set(names.filter { $0.dropping(".sql") != nil })
    return MigrationLayout.all.compactMap(\.folder).contains { folder in
      files == [folder.forward] || files.isSuperset(of: [folder.forward, folder.backward])
    }
  }

  /// Reads a subfolder: adds it to the listing if it is a migration, and adds the paths of its SQL files that are not
  /// read.
  ///
  /// Records a problem if the subfolder cannot be read, or looks like a migration but lacks the file with the forward
  /// migration.
  private static func readInnerFolder(_ path: String, _ listing: inout FolderListing) {
    let (names, files): ([String], [String])
    do {
      (names, files) = (try ScriptFile.names(in: path), try ScriptFile.sqlFiles(below: path))
    } catch {
      return listing.problems.append(error)
    }
    let layouts = MigrationLayout.all.filter { $0.folder != nil }
    let layout = layouts.first { $0.folder.map { names.contains($0.forward) } ?? false }
    let own = layout?.folder.map { ["\(path)/\($0.forward)", "\(path)/\($0.backward)"] } ?? []
    let skipped = files.filter { !own.contains($0) }
    if layout == nil, DirectedName.isFolderOfUndoing(path), !files.isEmpty {
      listing.notices.append("\(path): skipped; its files undo migrations")
    } else if !skipped.isEmpty {
      listing.skipped[path] = skipped
    }
    if let layout {
      var name = MigrationName(folder: path, layout)
      if let setting = layout.folder?.setting, names.contains(setting.file) {
        name.setting = TransactionSetting(path: "\(path)/\(setting.file)", key: setting.key)
      }
      listing.found.append(name)
    } else if layouts.contains(where: { $0.folder.map { names.contains($0.backward) } ?? false })
      || path.dropping(".sql") != nil
    {
      listing.problems.append(MigrationProblem(.missingUpFile, path: path))
    }
  }

  /// Selects the forward migrations among the names, and sorts them.
  private mutating func settle(_ listing: FolderListing) {
    var listing = listing
    CopyMark.settle(&listing.found)
    let refused = listing.found.compactMap { file in
      if case .refused(let kind) = file.role { MigrationProblem(kind, path: file.path) } else { nil }
    }
    let forward = listing.found.filter { $0.role == .forward }
    let identifiers = Set(forward.map(\.identifier))
    // The name may mean something else, as `2_down_payments` does.
    let undoing = listing.found.filter { $0.role == .down && !identifiers.contains($0.identifier) }
      .map(MigrationFile.init)
    files = (forward.map(MigrationFile.init) + undoing.filter(\.isWhole)).sorted { $0.name.precedes($1.name) }
    let misnamed = Set(SimilarFiles.misnamed(undoing.filter { !$0.isWhole }, beside: files).map(\.path))
    nameNotices =
      listing.notices
      + undoing.filter { !$0.isWhole && !misnamed.contains($0.path) }.map {
        "\($0.path): skipped, because its name says that it undoes a migration"
      }
    let misplaced = misplaced(listing), paths = Set(misplaced.map(\.path))
    nameProblems =
      listing.problems + refused + misplaced + SimilarFiles.problems(in: files.filter { !paths.contains($0.path) })
      + misnamed.sorted().map { MigrationProblem(.undoName, path: $0) }
    skippedFiles = listing.skipped
  }

  /// The problems of files that the journal does not list, or that have no version while another file has one.
  ///
  /// In a folder without numbers, the files are migrations in the order of their names, unless Sqitch has a plan for them.
  private func misplaced(_ listing: FolderListing) -> [MigrationProblem] {
    let files = self.files.filter { $0.name.original == nil && $0.name.layout.folder == nil && $0.name.place == nil }
    if self.files.contains(where: { $0.name.layout == .drizzle }) {
      return files.map { MigrationProblem(.notInJournal, path: $0.path) }
    }
    let strays = files.filter { $0.name.version == nil }
    guard !strays.isEmpty else { return [] }
    let plans = ["sqitch.plan", "../sqitch.plan"].map(listing.path)
    if let plan = plans.first(where: ScriptFile.exists) {
      return [MigrationProblem(.unreadPlan, path: plan)]
    }
    let names = self.files.map(\.name)
    let needsVersions = names.contains { $0.layout.folder != nil || $0.isNumbered(beside: names) }
    return needsVersions ? strays.map { MigrationProblem(.noPlace, path: $0.path) } : []
  }

  /// Whether a file name ends in `.sql` apart from whitespace, a period, or the `.txt` of an editor.
  private static func hasMisspelledEnding(_ fileName: String) -> Bool {
    let bare = { (name: String) in String(name.reversed().drop { $0.isWhitespace || $0 == "." }.reversed()) }
    let name = bare(fileName)
    return bare(name.dropping(".txt") ?? name).dropping(".sql") != nil
  }

  /// Whether a file name looks like a migration in another language, or like a copy such as `1_name.sql.bak`.
  private static func looksLikeMigration(_ fileName: String) -> Bool {
    let name = fileName.lowercased()
    guard !name.hasSuffix(".conf"), !name.hasSuffix("~") else { return false }
    if name.contains(".sql.") { return true }
    let languages = [".rs", ".go", ".js", ".ts", ".py", ".rb", ".java", ".kt", ".swift"]
    guard let language = languages.first(where: name.hasSuffix) else { return false }
    return MigrationName(path: fileName.dropLast(language.count) + ".sql")?.version != nil
  }

  // MARK: Duplicates

  /// The problems of files that share an identifier, or that share a number in a layout whose tools require unique
  /// numbers.
  private var duplicates: [MigrationProblem] {
    var pathsByIdentifier: [String: String] = [:]
    var previous: MigrationFile?
    var problems: [MigrationProblem] = []
    for file in files {
      if let other = pathsByIdentifier[file.identifier] {
        problems.append(MigrationProblem(.duplicateIdentifier(file.identifier, other: other), path: file.path))
        continue
      }
      pathsByIdentifier[file.identifier] = file.path
      defer { previous = file }
      guard let other = previous, let version = file.name.version, version == other.name.version,
        other.layout.requiresUniqueVersions || file.layout.requiresUniqueVersions
      else { continue }
      let kind = MigrationProblem.Kind.duplicateVersion(version.description, other: other.path)
      problems.append(MigrationProblem(kind, path: file.path))
    }
    return problems
  }

  /// The identifiers of the other files with the same statements, by identifier.
  package var twins: [String: [String]] { SimilarFiles.twins(in: files) }

  /// The files with the same statements as earlier ones, each with the first of these.
  package var repetitions: [(identifier: String, original: String)] {
    let twins = twins
    return files.enumerated().compactMap { index, file in
      let original = files[..<index].first { twins[file.identifier]?.contains($0.identifier) ?? false }
      return original.map { (file.identifier, $0.identifier) }
    }
  }

  /// The problems of `violations-until` directives that do not name a later file.
  private var unknownRepairs: [MigrationProblem] {
    files.enumerated().compactMap { index, file in
      guard let repair = file.violationsUntil,
        !files[(index + 1)...].contains(where: { $0.identifier == repair.identifier })
      else { return nil }
      return MigrationProblem(
        .invalidDirective("violations-until", .noLaterMigration), path: file.path, position: repair.position)
    }
  }

  /// The problems of comments such as `-- depends: 3_c` that name a later file, and nothing but migrations: others are prose.
  private var laterRequirements: [MigrationProblem] {
    let places = Dictionary(files.enumerated().map { ($0.element.identifier, $0.offset) }) { first, _ in first }
    return files.enumerated().flatMap { index, file in
      let prose = file.requirements.filter {
        places[$0.identifier] == nil && MigrationVersion(prefixOf: $0.identifier) == nil
      }.map(\.position)
      return file.requirements.filter { places[$0.identifier, default: -1] > index && !prose.contains($0.position) }
        .map { MigrationProblem(.laterRequirement($0.identifier), path: file.path, position: $0.position) }
    }
  }

  /// The notes about the order of plain files that share a number, which sqlx and other tools would reject.
  private var sharedNumbers: [String] {
    zip(files, files.dropFirst()).compactMap { earlier, later in
      guard let version = later.name.version, later.name.followsByWords(earlier.name) else { return nil }
      return "\(later.path): has the same number, \(version), as \(earlier.path); it comes second, because of its name"
    }
  }
}

/// The error with all reasons why the migrations of a folder cannot be run, found before any migration runs.
public struct MigrationFolderError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The folder's path as given.
  public let folder: String
  /// The problems, in the order of the files and of the lines in each file; never empty.
  public let problems: [MigrationProblem]

  /// Creates the error for a folder's problems.
  package init(folder: String, problems: [MigrationProblem]) { (self.folder, self.problems) = (folder, problems) }

  /// All problems; if there are several, their number comes first.
  public var description: String {
    let texts = problems.map(\.description)
    guard texts.count > 1 else { return texts.joined() }
    return (["\(texts.count) problems in \(folder); nothing was run"] + texts).joined(separator: "\n")
  }

  /// The same text as ``description``.
  public var errorDescription: String? { description }
}
