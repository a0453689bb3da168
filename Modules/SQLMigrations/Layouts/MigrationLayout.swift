/// A convention for the names and the contents of migration files: that of a tool, or of several.
///
/// A layout is a value in a file of this folder, and an element of `all`. The differences between layouts of files are
/// properties here: how files are called, which comments part them, and what a new file looks like.
package struct MigrationLayout: Sendable {
  /// The identifier, the number and the role that a file's name stands for.
  typealias NameParts = (identifier: String, version: MigrationVersion?, role: MigrationName.Role)

  /// The name of the layout for people.
  package let title: String
  /// Whether the tools of this layout identify a migration by its number, and refuse two with the same.
  package var requiresUniqueVersions = true
  /// Reads the name of a file without its `.sql`; nil for the name of another layout.
  var readName: @Sendable (_ stem: String) -> NameParts? = { _ in nil }
  /// The comments that part a file into what goes forward and what goes back; nil where all of a file goes forward.
  var sections: SectionSyntax?
  /// The end of a new migration's path, after its identifier.
  package var ending = ".sql"
  /// The characters between the number and the words of a new migration's name; nil for those of the last migration.
  package var separator: String?
  /// Returns the text of a new migration.
  package var template: @Sendable (_ comment: String) -> String = { $0 + "\n" }
  /// The layouts that a file may have; its name is read by the first one that can.
  static let all: [MigrationLayout] = [.upDown, .versioned, .diesel, .dbmate, .goose, .sqlMigrate, .plain]
  /// Files of several layouts in one folder.
  package static let mixed = MigrationLayout(title: "files of several layouts", requiresUniqueVersions: false)
}

extension MigrationLayout: Equatable {
  /// Compares by the title, which no two layouts share.
  package static func == (one: MigrationLayout, other: MigrationLayout) -> Bool { one.title == other.title }
}

extension MigrationLayout {
  /// `name.sql`: this migrator's own files, and those of `sqlx migrate add`.
  package static let plain = MigrationLayout(
    title: "plain SQL files", requiresUniqueVersions: false,
    readName: { stem in (stem, MigrationVersion(prefixOf: stem), .forward) })

  /// `name/up.sql` with `name/down.sql`.
  package static let diesel = MigrationLayout(title: "diesel", ending: "/up.sql")

  /// `1_name.up.sql` with `1_name.down.sql`: golang-migrate, and `sqlx migrate add -r`; yoyo's `1_name.rollback.sql`.
  package static let upDown = MigrationLayout(
    title: "up and down files (sqlx, golang-migrate)",
    readName: { stem in
      if let up = stem.dropping(".up"), !up.isEmpty { return (up, MigrationVersion(prefixOf: up), .forward) }
      if let down = stem.dropping(".down") ?? stem.dropping(".rollback") {
        return (down, MigrationVersion(prefixOf: down), .down)
      }
      return stem.dropping("down") == "" ? (stem, nil, .down) : nil
    },
    ending: ".up.sql")
}
