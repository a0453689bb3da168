extension MigrationLayout {
  /// `V1__name.sql`: Flyway and refinery.
  package static let versioned = MigrationLayout(
    title: "versioned files (Flyway, refinery)",
    readName: { stem in
      if stem.hasPrefix("R__") { return (stem, nil, .refused(.repeatableMigration)) }
      guard let letter = stem.first, "VvUB".contains(letter), let version = Flyway.version(of: stem) else { return nil }
      switch letter {
      case "U": return (stem, version, .undo)
      case "B": return (stem, version, .refused(.baselineMigration))
      default: return (stem, version, .forward)
      }
    },
    separator: "__")
}

/// The rules of Flyway that depend on more than one file name.
enum Flyway {
  /// Returns the version in a name such as `V1.2__name`, whose parts are separated by `.` or `_`.
  fileprivate static func version(of stem: String) -> MigrationVersion? {
    guard let end = stem.firstRange(of: "__")?.lowerBound else { return nil }
    let parts = stem[..<end].dropFirst().split(omittingEmptySubsequences: false) { $0 == "." || $0 == "_" }
    guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return nil }
    return MigrationVersion(parts.map(String.init))
  }

  /// Determines the role of files such as `U1__name.sql`: undo migrations in a Flyway folder that has a V file of the
  /// same version; forward migrations if all files are U files, as only in refinery; otherwise ambiguous.
  /// - Parameter isFlyway: Whether the folder contains files that only Flyway uses.
  static func settleUndo(
    _ undo: [MigrationName], _ forward: inout [MigrationName], isFlyway: Bool, _ notices: inout [String],
    _ problems: inout [MigrationProblem]
  ) {
    guard !undo.isEmpty else { return }
    let versions = Set(forward.filter { $0.layout == .versioned }.compactMap(\.version))
    let isPaired = { (file: MigrationName) in file.version.map(versions.contains) ?? false }
    if versions.isEmpty, !isFlyway {
      forward += undo
      notices += undo.map { "\($0.path): read as a forward migration of refinery" }
    } else if isFlyway || undo.contains(where: isPaired) {
      for file in undo where !isPaired(file) {
        notices.append("\(file.path): skipped; it undoes a version that the folder does not contain")
      }
    } else {
      problems += undo.map { MigrationProblem(.ambiguousUndo, path: $0.path) }
    }
  }

  /// Rejects Flyway callbacks, such as `afterMigrate.sql` and `beforeEachMigrate__log.sql`, in a Flyway folder
  /// (https://documentation.red-gate.com/fd/callbacks-275218509.html).
  static func refuseCallbacks(_ forward: inout [MigrationName], _ problems: inout [MigrationProblem]) {
    guard forward.contains(where: { $0.layout == .versioned }) else { return }
    let events = [
      "Each", "Migrate", "Versioned", "Repeatables", "Undo", "Clean", "Connect", "Validate", "Baseline", "Repair",
      "Info",
    ]
    let isCallback = { (file: MigrationName) in
      ["before", "after"].contains { time in events.contains { file.identifier.hasPrefix(time + $0) } }
    }
    problems += forward.filter(isCallback).map { MigrationProblem(.flywayCallback, path: $0.path) }
    forward.removeAll(where: isCallback)
  }
}
