/// A convention for the names and contents of migration files, which one or more tools follow.
///
/// Each layout is a static property in a file of this folder and an element of `all`. The properties of a layout
/// describe its file names, the comments that divide a file into sections, and the template for a new file.
package final class MigrationLayout: Sendable {
  /// The parts of a file name: the identifier, the number and the role.
  typealias NameParts = (identifier: String, version: MigrationVersion?, role: MigrationName.Role)

  /// The name of the layout, for display.
  package let title: String
  /// Whether the tools of this layout identify a migration by its number and therefore reject duplicate numbers.
  package let requiresUniqueVersions: Bool
  /// Parses a file name without its `.sql`; returns nil if the name belongs to another layout.
  let readName: @Sendable (_ stem: String) -> NameParts?
  /// The comments that separate the forward part of a file from the part that undoes it; nil if the whole file is the
  /// forward part.
  let sections: SectionSyntax?
  /// The end of a new migration's path, after the identifier.
  package let ending: String
  /// The separator between number and title in a new migration's name; nil to use that of the last migration.
  package let separator: String?
  /// Returns the text of a new migration.
  package let template: @Sendable (_ comment: String) -> String
  /// The layouts that a file may have; the first one that can parse the name applies.
  static let all: [MigrationLayout] = [.upDown, .versioned, .diesel, .dbmate, .goose, .sqlMigrate, .plain]
  /// The layout of a folder with files of several layouts.
  package static let mixed = MigrationLayout(title: "files of several layouts", requiresUniqueVersions: false)

  init(
    title: String, requiresUniqueVersions: Bool = true,
    readName: @escaping @Sendable (_ stem: String) -> NameParts? = { _ in nil }, sections: SectionSyntax? = nil,
    ending: String = ".sql", separator: String? = nil,
    template: @escaping @Sendable (_ comment: String) -> String = { $0 + "\n" }
  ) {
    (self.title, self.requiresUniqueVersions) = (title, requiresUniqueVersions)
    (self.readName, self.sections) = (readName, sections)
    (self.ending, self.separator, self.template) = (ending, separator, template)
  }
}

extension MigrationLayout: Equatable {
  /// Returns whether both are the same object; there is one object for each layout.
  package static func == (one: MigrationLayout, other: MigrationLayout) -> Bool { one === other }
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
