/// A file that is a migration, told from its name alone.
///
/// A class, since all those of a folder are sorted and handed on, and each copy of a structure costs as much as it has parts.
package final class MigrationCandidate: Sendable {
  /// What the name says.
  package let name: MigrationName

  /// The path of the SQL file, as it is shown and read.
  package let path: String

  /// What a file beside it says.
  package let settings: Settings

  /// What a file beside a migration says: diesel's `metadata.toml`, or Flyway's `.sql.conf`.
  package struct Settings: Sendable {
    package init() {}

    /// True when it asks for no transaction.
    package var asksForNoTransaction = false

    /// What is wrong with it.
    package var problems: [MigrationProblem] = []
  }

  package init(_ name: MigrationName, path: String, settings: Settings = Settings()) {
    self.name = name
    self.path = path
    self.settings = settings
  }

  /// The layout, as far as the name tells it.
  package var layout: MigrationLayout {
    if case .forward(let layout) = name.role { layout } else { .versioned }
  }

  /// The order of application: by number, and those without a number after them; the same number by name.
  package static func precedes(_ lhs: MigrationCandidate, _ rhs: MigrationCandidate) -> Bool {
    switch (lhs.name.version, rhs.name.version) {
    case (let left?, let right?) where left != right: left < right
    case (_?, nil): true
    case (nil, _?): false
    default: (lhs.name.identifier, lhs.path) < (rhs.name.identifier, rhs.path)
    }
  }
}
