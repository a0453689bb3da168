#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
internal import Migrator
internal import SQLSyntax

/// The migrations in a folder of SQL files.
///
/// Reading a folder does not run anything.
///
/// ```swift
/// for problem in MigrationFolder(folder).problems { print(problem) }
/// ```
///
/// The layouts of other tools are supported for forward migrations only. The layout is determined for each file, so a
/// folder may contain several layouts. Files whose names begin with a number come first, in numeric order, followed by
/// the files without a number. Files with the same number, and files without a number, are in the Unicode order of
/// their names.
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
  /// The problems with file names.
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
    let found = files.flatMap(\.problems) + nameProblems + duplicates + unknownRepairs
    guard files.isEmpty, found.isEmpty else { return found }
    let below = skippedFiles.keys.sorted()
    return [MigrationProblem(below.isEmpty ? .noMigrations : .migrationsBelow(below), path: path)]
  }

  /// The notes about skipped files, about files that share a number, and about how the files were interpreted.
  public var notices: [String] { nameNotices + sharedNumbers + files.flatMap(\.notices) }

  /// The warnings about subfolders whose files are not read, each with the next step.
  package var warnings: [(what: String, remedy: String)] {
    skippedFiles.sorted { $0.key < $1.key }.map { skipped, paths in
      let names = paths.map { String(decoding: $0.utf8.dropFirst(skipped.utf8.count + 1), as: UTF8.self) }
      return (
        "\(skipped) holds \(counted(paths.count, "SQL file")) that \(paths.count == 1 ? "is" : "are") not read: \(listed(names))",
        "Move migrations into \(path), or name their folder with --migrations; move other files out of \(path)."
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
    let lonely = listing.found.filter { $0.role == .down && !identifiers.contains($0.identifier) }
    nameNotices =
      listing.notices + lonely.map { "\($0.path): skipped; it undoes a migration that the folder does not contain" }
    files = forward.sorted { $0.precedes($1) }.map(MigrationFile.init)
    let undoing = SimilarFiles.undoing(in: files).map { MigrationProblem(.undoName, path: $0.path) }
    (nameProblems, skippedFiles) = (listing.problems + refused + undoing, listing.skipped)
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

  /// The notes about the order of plain files that share a number, which sqlx and other tools would reject.
  private var sharedNumbers: [String] {
    zip(files, files.dropFirst()).compactMap { earlier, later in
      guard let version = later.name.version, later.name.sharesNumber(with: earlier.name) else { return nil }
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

/// The comparison of files with each other: one may undo another one, or be its copy.
private enum SimilarFiles {
  /// Returns the files that seem to undo another one.
  ///
  /// The name says so, and is that of no other file; or it is similar to that of another file, as that of `1_a.rev.sql` to
  /// that of `1_a.fwd.sql`, and the statements decide.
  static func undoing(in files: [MigrationFile]) -> [MigrationFile] {
    let named = files.map { (file: $0, name: SeparatedName($0.identifier)) }
    let versions = Set(named.compactMap { $0.name.undoes ? nil : $0.file.name.version })
    let undoesAll = named.count > 1 && named.allSatisfy(\.name.undoes)
    // All numbers count: the first one alone may be the year of a date.
    let groups = Dictionary(grouping: named) { $0.name.words.prefix(while: SectionHeading.isNumber) }
    let pairs = Dictionary(grouping: named) { $0.name.words.sorted() }
    let versioned = files.filter { $0.name.layout == .versioned }
    return named.filter { file, name in
      guard !file.isWhole else { return false }
      let words = name.words
      let version = file.name.version
      if name.undoes, undoesAll || version.map(versions.contains) ?? false { return true }
      if name.isOnlyDirection, !file.makes || files.contains(where: file.removes(what:)) { return true }
      // `2-1.sql` beside `1-2.sql`, as in pg-migrator, and `a--1.1--1.0.sql` beside `a--1.0--1.1.sql`.
      let swapped = pairs[words.sorted(), default: []].filter { isSwapped(words, $0.name.words) }
      if swapped.contains(where: { file.removes(what: $0.file) }) { return true }
      // Flyway does not read a name such as `U1_a.sql`.
      if version == nil, !versioned.isEmpty, file.drops, versioned.contains(where: file.removes(what:)) { return true }
      // Without a number, the files of the whole folder would be compared with each other.
      guard version != nil || words.contains(where: SectionHeading.meansUndoing) else { return false }
      return groups[words.prefix(while: SectionHeading.isNumber), default: []].contains { other in
        other.file.path != file.path && undoes(words, file, other.name.words, other.file)
      }
    }.map(\.file)
  }

  /// Whether two names differ only in that the versions between which they migrate are swapped.
  private static func isSwapped(_ words: [String], _ others: [String]) -> Bool {
    let numbers = words.filter(SectionHeading.isNumber), swapped = others.filter(SectionHeading.isNumber)
    return numbers != swapped
      && words.filter { !numbers.contains($0) } == others.filter { !numbers.contains($0) }
      && numbers.indices.contains { Array(numbers[$0...] + numbers[..<$0]) == swapped }
  }

  private static func undoes(
    _ words: [String], _ file: MigrationFile, _ otherWords: [String], _ other: MigrationFile
  ) -> Bool {
    let own = words.drop(while: SectionHeading.isNumber), others = otherWords.drop(while: SectionHeading.isNumber)
    let base = others.filter { !SectionHeading.meansApplying($0) }
    let added = own.filter { !base.contains($0) }
    let isLonger = own.count - added.count >= base.count
    guard isLonger || own.count == others.count && zip(own, others).count(where: { $0 != $1 }) == 1 else {
      return false
    }
    let saysUndoing = added.contains(where: SectionHeading.meansUndoing)
    guard saysUndoing || file.name.version != nil else { return false }
    return file.removes(what: other)
      || saysUndoing && isLonger && !file.statements.isEmpty && !file.makes
  }

  /// Returns the identifiers of the other files with the same statements, by identifier.
  ///
  /// Such files are beside each other in the order, or add the same rows under the same title: what is repeated after other
  /// migrations is meant. Files without a statement, those that can run any number of times, and those that say that they
  /// are meant are left out.
  static func twins(in files: [MigrationFile]) -> [String: [String]] {
    var groups: [[MigrationFile]] = []
    var groupsByTitle: [[String]: Int] = [:]
    var previous: Int?
    for file in files where !file.statements.isEmpty && !file.isRepeatable {
      let title = SectionHeading.words(of: file.identifier).drop(while: SectionHeading.isNumber)
      let key = [file.checksum] + title
      var group: Int?
      if let same = groupsByTitle[key], !title.isEmpty, file.onlyAddsRows {
        group = same
      } else if let previous, file.hasSameStatements(as: groups[previous][0]) {
        group = previous
      }
      if group == nil { groups.append([]) }
      let place = group ?? groups.count - 1
      groups[place].append(file)
      groupsByTitle[key] = groupsByTitle[key] ?? place
      previous = place
    }
    var twins: [String: [String]] = [:]
    for group in groups where group.count > 1 {
      for file in group where !file.isNoCopy {
        twins[file.identifier] = group.map(\.identifier).filter { $0 != file.identifier }
      }
    }
    return twins
  }
}

extension MigrationFile {
  /// Whether a statement makes an object or a column.
  fileprivate var makes: Bool { statements.contains { ReversibleChange($0.text).makes } }
  /// Whether a statement drops an object or a column.
  fileprivate var drops: Bool { statements.contains { ReversibleChange($0.text).removes } }

  /// Whether the file drops something that another one has made.
  fileprivate func removes(what other: MigrationFile) -> Bool {
    let (count, all) = (other.statements.count, (other.statements + statements).map(\.text))
    return Undoing.all(in: all).contains { $0.dropped != nil && $0.maker < count && $0.undoer >= count }
  }

  /// Whether both files have the same statements; comments, whitespace and empty statements do not count.
  fileprivate func hasSameStatements(as other: MigrationFile) -> Bool {
    guard statements.count == other.statements.count else { return false }
    return checksum == other.checksum
      || zip(statements, other.statements).allSatisfy { own, others in
        let (left, right) = (SQLTokenizer(own.text), SQLTokenizer(others.text))
        return left.lazy.filter { !$0.isTrivia }.map(left.text).elementsEqual(
          right.lazy.filter { !$0.isTrivia }.map(right.text))
      }
  }

  /// Whether each statement only adds rows.
  fileprivate var onlyAddsRows: Bool { statements.allSatisfy { ReversibleChange($0.text).inserts } }
}
