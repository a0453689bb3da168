extension MigrationLayout {
  /// The layout of Flyway and refinery: `V1__name.sql`.
  package static let versioned = MigrationLayout(
    readName: { stem in
      if stem.hasPrefix("R__") { return (stem, nil, .refused(.repeatableMigration)) }
      guard let letter = stem.first, "VvUB".contains(letter), let version = Flyway.version(of: stem) else { return nil }
      switch letter {
      case "U": return (stem, version, .undo)
      case "B": return (stem, version, .refused(.baselineMigration))
      default: return (stem, version, .forward)
      }
    },
    settle: Flyway.settle, separator: "__")
}

/// The rules of Flyway that depend on more than one file name.
private enum Flyway {
  /// Returns the version in a name such as `V1.2__name`; the parts of the version are separated by `.` or `_`.
  static func version(of stem: String) -> MigrationVersion? {
    guard let end = stem.firstRange(of: "__")?.lowerBound else { return nil }
    let parts = stem[..<end].dropFirst().split(omittingEmptySubsequences: false) { $0 == "." || $0 == "_" }
    guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return nil }
    return MigrationVersion(parts.map(String.init))
  }

  @Sendable static func settle(_ listing: inout FolderListing) {
    readFolders(&listing)
    guard listing.found.contains(where: { $0.layout == .versioned }) else { return }
    settleUndo(&listing)
    let hasMigrations = listing.found.contains { $0.layout == .versioned && $0.role == .forward }
    for index in listing.found.indices where hasMigrations && isCallback(listing.found[index]) {
      listing.found[index].role = .refused(.flywayCallback)
    }
  }

  /// Adds the files in subfolders, which Flyway and refinery also search; does nothing if a file in the folder has
  /// another layout.
  ///
  /// See https://documentation.red-gate.com/fd/flyway-locations-setting-277579008.html.
  private static func readFolders(_ listing: inout FolderListing) {
    guard listing.found.allSatisfy({ $0.layout == .versioned || isCallback($0) }) else { return }
    let below = listing.skipped.mapValues { paths in paths.compactMap(MigrationName.init) }
    guard (listing.found + below.values.joined()).contains(where: { $0.layout == .versioned }) else { return }
    for (folder, files) in below {
      let read = files.filter { $0.layout == .versioned || isCallback($0) }
      let paths = Set(read.map(\.path))
      let rest = listing.skipped[folder, default: []].filter { !paths.contains($0) }
      listing.skipped[folder] = rest.isEmpty ? nil : rest
      listing.found += read.map { file in
        var file = file
        if ScriptFile.exists(file.path + ".conf") { file.setting = .flyway(file.path) }
        return file
      }
    }
    listing.found.sort { $0.path < $1.path }
  }

  /// Determines the role of files such as `U1__name.sql`.
  ///
  /// They are undo migrations in a folder with a V file of the same version, or with other files that only Flyway has.
  /// They are forward migrations if all files are U files, as only refinery allows. Otherwise, they are ambiguous.
  private static func settleUndo(_ listing: inout FolderListing) {
    // Files that only Flyway knows.
    let isFlyway = listing.found.contains { if case .refused = $0.role { true } else { false } }
    let forward = listing.found.filter { $0.layout == .versioned && $0.role == .forward }
    let versions = Set(forward.compactMap(\.version))
    let isPaired = { (file: MigrationName) in file.version.map(versions.contains) ?? false }
    let hasPairs = listing.found.contains { $0.role == .undo && isPaired($0) }
    for index in listing.found.indices where listing.found[index].role == .undo {
      let file = listing.found[index]
      if versions.isEmpty, !isFlyway {
        listing.found[index].role = .forward
        listing.notices.append("\(file.path): read as a forward migration of refinery")
      } else if !isFlyway, !hasPairs {
        listing.found[index].role = .refused(.ambiguousUndo)
      } else if !isPaired(file) {
        listing.notices.append("\(file.path): skipped; it undoes a version that the folder does not contain")
      }
    }
  }

  /// Whether a file is a callback, such as `afterMigrate.sql` and `beforeEachMigrate__log.sql`
  /// (https://documentation.red-gate.com/fd/callbacks-275218509.html).
  private static func isCallback(_ file: MigrationName) -> Bool {
    let events = [
      "Each", "Migrate", "Versioned", "Repeatables", "Undo", "Clean", "Connect", "Validate", "Baseline", "Repair",
      "Info",
    ]
    return file.layout == .plain
      && ["before", "after"].contains { time in events.contains { file.identifier.hasPrefix(time + $0) } }
  }
}
