/// A file that is a migration, told from its name alone.
struct MigrationCandidate: Equatable {
  /// What the name says.
  let name: MigrationName

  /// The path of the SQL file, as it is shown and read.
  let path: String

  /// True when a file beside it asks for no transaction: diesel's `metadata.toml`, or Flyway's `.sql.conf`.
  var asksForNoTransaction = false

  /// What is wrong with the file beside it.
  var problems: [MigrationProblem] = []

  /// The layout, as far as the name tells it.
  var layout: MigrationLayout {
    if case .forward(let layout) = name.role { layout } else { .versioned }
  }

  /// The order of application: by number, and those without a number after them; the same number by name.
  static func precedes(_ lhs: MigrationCandidate, _ rhs: MigrationCandidate) -> Bool {
    switch (lhs.name.version, rhs.name.version) {
    case (let left?, let right?) where left != right: left < right
    case (_?, nil): true
    case (nil, _?): false
    default: (lhs.name.identifier, lhs.path) < (rhs.name.identifier, rhs.path)
    }
  }
}
