/// The migrations that a folder contains, read without running anything.
///
/// Layouts of other tools are read as they are, forward only (``MigrationLayout``); each file is judged for itself, so a
/// folder may hold several layouts. Files whose names begin with a number come first, in the order of their numbers; those
/// with the same number, and then those without one, in the order of their names by Unicode.
package struct MigrationFolder: Hashable, Sendable {
  /// The folder's path as it was given.
  package let path: String

  /// The migrations in the order of application; at least one, each identifier once.
  package let files: [MigrationFile]

  /// The layout of all the files, or `mixed`.
  package let layout: MigrationLayout

  /// What the reader should know: what was left out of the folder, then what was changed in its files.
  package let notices: [String]

  /// Reads a folder and every migration in it.
  ///
  /// Throws all problems at once: those of the folder, of names, and of the text of every file.
  package static func read(_ path: String) throws(MigrationFolderError) -> MigrationFolder {
    let listing: FolderListing
    do {
      listing = try FolderListing(path)
    } catch {
      throw MigrationFolderError(folder: path, problems: [error])
    }
    var readings: [(candidate: MigrationCandidate, layout: MigrationLayout)] = []
    var files: [MigrationFile] = []
    var problems: [MigrationProblem] = []
    for candidate in listing.candidates {
      let (file, found) = migration(of: candidate)
      readings.append((candidate, file?.layout ?? candidate.layout))
      problems += found
      if let file { files.append(file) }
    }
    problems += listing.problems + duplicates(readings)
    if listing.candidates.isEmpty, problems.isEmpty { problems.append(MigrationProblem(.noMigrations, path: path)) }
    guard problems.isEmpty else { throw MigrationFolderError(folder: path, problems: problems) }
    let notices = listing.notices + sharedNumbers(readings) + files.flatMap(\.notices)
    return MigrationFolder(path: path, files: files, layout: layout(of: files), notices: notices)
  }

  private static func migration(
    of candidate: MigrationCandidate
  ) -> (file: MigrationFile?, problems: [MigrationProblem]) {
    do {
      return try MigrationFileReader(candidate).migration()
    } catch {
      return (nil, [error])
    }
  }

  private static func layout(of files: [MigrationFile]) -> MigrationLayout {
    let layouts = Set(files.map(\.layout))
    return layouts.count == 1 ? layouts.first ?? .plain : .mixed
  }

  private typealias Reading = (candidate: MigrationCandidate, layout: MigrationLayout)

  /// Files that share an identifier, or a number that their layout's tools do not let them share.
  private static func duplicates(_ readings: [Reading]) -> [MigrationProblem] {
    var byIdentifier: [String: String] = [:]
    var byVersion: [MigrationVersion: Reading] = [:]
    var problems: [MigrationProblem] = []
    for reading in readings {
      let (identifier, path) = (reading.candidate.name.identifier, reading.candidate.path)
      if let other = byIdentifier[identifier] {
        problems.append(MigrationProblem(.duplicateIdentifier(identifier, other: other), path: path))
        continue
      }
      byIdentifier[identifier] = path
      guard let version = reading.candidate.name.version else { continue }
      let other = byVersion[version]
      byVersion[version] = reading
      if let other, other.layout.demandsUniqueVersions || reading.layout.demandsUniqueVersions {
        let kind = MigrationProblem.Kind.duplicateVersion(version.description, other: other.candidate.path)
        problems.append(MigrationProblem(kind, path: path))
      }
    }
    return problems
  }

  /// Says of plain files with one number in which order they come, for sqlx and others would refuse them.
  private static func sharedNumbers(_ readings: [Reading]) -> [String] {
    zip(readings, readings.dropFirst()).compactMap { (earlier: Reading, later: Reading) -> String? in
      guard let version = later.candidate.name.version, version == earlier.candidate.name.version else { return nil }
      return
        "\(later.candidate.path): has number \(version) as \(earlier.candidate.path) has; it comes second, by its name"
    }
  }
}
