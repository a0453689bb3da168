/// The files of a folder's migrations, read but not understood yet.
///
/// What a file does takes longer to find out than whether it is the one that a ledger remembers, which is all that some
/// commands want to know of most files.
package struct MigrationScripts {
  /// The folder's path as it was given.
  package let path: String

  private let scripts: [Script]
  private let problems: [MigrationProblem]
  private let notices: [String]

  /// One file, or why it could not be read; small in either case, since there are hundreds.
  private enum Script {
    case read(MigrationFileReader)
    indirect case unreadable(MigrationCandidate, MigrationProblem)

    /// Reads the file of a candidate.
    init(_ candidate: MigrationCandidate) {
      do {
        self = .read(try MigrationFileReader(candidate))
      } catch {
        self = .unreadable(candidate, error)
      }
    }

    var reader: MigrationFileReader? {
      if case .read(let reader) = self { reader } else { nil }
    }

    var path: String {
      switch self {
      case .read(let reader): reader.path
      case .unreadable(let candidate, _): candidate.path
      }
    }

    var identifier: String {
      switch self {
      case .read(let reader): reader.identifier
      case .unreadable(let candidate, _): candidate.name.identifier
      }
    }

    var version: MigrationVersion? {
      switch self {
      case .read(let reader): reader.version
      case .unreadable(let candidate, _): candidate.name.version
      }
    }

    var layout: MigrationLayout {
      switch self {
      case .read(let reader): reader.layout
      case .unreadable(let candidate, _): candidate.layout
      }
    }
  }

  /// Reads the files of a folder.
  ///
  /// - Throws: The problem of a folder that cannot be listed; those of its files are told when these are understood.
  package init(_ path: String) throws(MigrationFolderError) {
    self.path = path
    let listing: FolderListing
    do {
      listing = try FolderListing(path)
    } catch {
      throw MigrationFolderError(folder: path, problems: [error])
    }
    scripts = listing.candidates.map { Script($0) }
    notices = listing.notices
    var problems = listing.problems + Self.duplicates(scripts)
    if scripts.isEmpty, problems.isEmpty { problems.append(MigrationProblem(.noMigrations, path: path)) }
    self.problems = problems
  }

  /// The files that could be read, in the order of application.
  package var readers: [MigrationFileReader] {
    var readers: [MigrationFileReader] = []
    readers.reserveCapacity(scripts.count)
    for case .read(let reader) in scripts { readers.append(reader) }
    return readers
  }

  /// Understands the files that are wanted, in the order of application.
  ///
  /// - Throws: All problems at once: those of the folder, of names, of files that cannot be read, and of the text of the
  ///   wanted ones.
  package func files(where isWanted: (MigrationFileReader) -> Bool) throws(MigrationFolderError) -> [MigrationFile] {
    var files: [MigrationFile] = []
    var found: [MigrationProblem] = []
    for script in scripts {
      if case .unreadable(_, let problem) = script { found.append(problem) }
      guard let reader = script.reader, isWanted(reader) else { continue }
      let (file, problems) = reader.migration()
      found += problems
      if let file { files.append(file) }
    }
    found += problems
    guard found.isEmpty else { throw MigrationFolderError(folder: path, problems: found) }
    return files
  }

  /// The folder with every file understood.
  ///
  /// - Throws: All problems at once.
  package func folder() throws(MigrationFolderError) -> MigrationFolder {
    let files = try files { _ in true }
    return MigrationFolder(
      path: path, files: files, layout: Self.layout(of: files),
      notices: notices + Self.sharedNumbers(scripts) + files.flatMap(\.notices))
  }

  private static func layout(of files: [MigrationFile]) -> MigrationLayout {
    let first = files.first?.layout ?? .plain
    return files.allSatisfy { $0.layout == first } ? first : .mixed
  }

  /// Files that share an identifier, or a number that their layout's tools do not let them share.
  ///
  /// - Parameter scripts: In the order of their numbers.
  private static func duplicates(_ scripts: [Script]) -> [MigrationProblem] {
    var pathsByIdentifier = [String: String](minimumCapacity: scripts.count)
    var previous: Int?
    var problems: [MigrationProblem] = []
    for index in scripts.indices {
      let (identifier, path) = (scripts[index].identifier, scripts[index].path)
      if let other = pathsByIdentifier.updateValue(path, forKey: identifier) {
        problems.append(MigrationProblem(.duplicateIdentifier(identifier, other: other), path: path))
        // The first one stays the one that is named.
        pathsByIdentifier[identifier] = other
        continue
      }
      defer { previous = index }
      guard let other = previous, let version = scripts[index].version,
        version == scripts[other].version,
        scripts[other].layout.demandsUniqueVersions || scripts[index].layout.demandsUniqueVersions
      else { continue }
      let kind = MigrationProblem.Kind.duplicateVersion(version.description, other: scripts[other].path)
      problems.append(MigrationProblem(kind, path: path))
    }
    return problems
  }

  /// Says of plain files with one number in which order they come, for sqlx and others would refuse them.
  private static func sharedNumbers(_ scripts: [Script]) -> [String] {
    zip(scripts, scripts.dropFirst()).compactMap { earlier, later in
      guard let version = later.version, version == earlier.version else { return nil }
      return
        "\(later.path): has number \(version) as \(earlier.path) has; it comes second, by its name"
    }
  }
}
