internal import Migrator

/// A convention for the names and contents of migration files, which one or more tools follow.
///
/// Each layout is a static property in a file of this folder and an element of ``all``. Its properties describe its file
/// names, the folders that are one migration, the comments that divide a file, the rules that depend on the whole
/// folder, and the name and text of a new file.
package final class MigrationLayout: Sendable {
  /// The parts of a file name: the identifier, the number and the role.
  typealias NameParts = (identifier: String, version: MigrationVersion?, role: MigrationName.Role)

  /// All layouts; of those with a ``readName``, the first that can parse the name of a file applies.
  ///
  /// The last one can parse every name.
  static let all: [MigrationLayout] = [
    .upDown, .versioned, .diesel, .prisma, .dbmate, .goose, .sqlMigrate, .headed, .drizzle, .atlas, .plain,
  ]

  /// Whether the tools of this layout identify a migration by its number and therefore reject duplicate numbers.
  package let requiresUniqueVersions: Bool
  /// Parses a file name without its `.sql`; returns nil if the name belongs to another layout.
  let readName: @Sendable (_ stem: String) -> NameParts?
  /// The files of a folder that is one migration; nil if each migration is a file.
  let folder: MigrationSubfolder?
  /// The comments that separate the forward part of a file from the part that undoes it; nil if the whole file is the
  /// forward part.
  let sections: SectionSyntax?
  /// The content of a comment that ends a statement, with or without a semicolon before it.
  let statementEnd: String?
  /// The path, in the folder, of the file that lists the migrations; nil for a layout without one.
  let list: String?
  /// Applies the rules that depend on more than one name.
  ///
  /// For a layout with a ``list``, called only if the folder contains that file.
  let settle: @Sendable (inout FolderListing) -> Void
  /// The end of a new migration's path, after the identifier.
  package let ending: String
  /// The separator between number and title in a new migration's name; nil to use the same separator as the last
  /// migration.
  package let separator: String?
  /// Returns the text of a new migration.
  package let template: @Sendable (_ comment: String) -> String

  init(
    requiresUniqueVersions: Bool = true,
    readName: @escaping @Sendable (_ stem: String) -> NameParts? = { _ in nil }, folder: MigrationSubfolder? = nil,
    sections: SectionSyntax? = nil, statementEnd: String? = nil, list: String? = nil,
    settle: @escaping @Sendable (inout FolderListing) -> Void = { _ in }, ending: String = ".sql",
    separator: String? = nil, template: @escaping @Sendable (_ comment: String) -> String = { $0 + "\n" }
  ) {
    self.requiresUniqueVersions = requiresUniqueVersions
    (self.readName, self.folder, self.sections) = (readName, folder, sections)
    (self.statementEnd, self.list, self.settle) = (statementEnd, list, settle)
    self.ending = folder.map { "/\($0.forward)" } ?? ending
    (self.separator, self.template) = (separator, template)
  }

  /// The separator between the parts of the time in a new migration's name; nil if the layout has no such names.
  ///
  /// The first migration of diesel and Prisma may have the number zero; later migrations then have a time, such as
  /// `2024-01-31-235959`.
  package var timeSeparator: String? { folder?.timeSeparator }

  /// Returns the name of a new migration of this layout; nil if no migration can have this name.
  package func name(ofNew stem: String) -> MigrationName? {
    folder == nil ? MigrationName(path: stem + ending) : MigrationName(folder: stem, self)
  }
}

extension MigrationLayout: Equatable {
  /// Returns whether both are the same object; there is one object for each layout.
  package static func == (one: MigrationLayout, other: MigrationLayout) -> Bool { one === other }
}

/// The files of a folder that is one migration.
struct MigrationSubfolder: Sendable {
  /// The file that makes a folder a migration.
  let forward: String
  /// The file that undoes the migration.
  let backward = "down.sql"
  /// The file and the key of the setting that may turn off the transaction.
  var setting: (file: String, key: String)?
  /// The separator between the parts of the time in the name of the folder.
  let timeSeparator: String
}

/// The names in a folder of migrations, and the roles that the layouts give them.
struct FolderListing {
  let path: String
  /// The names of all files and folders in the folder.
  let names: Set<String>
  /// The SQL files, and the folders that are one migration.
  var found: [MigrationName] = []
  /// The paths of the SQL files that are not read, by the path of the subfolder that contains them.
  var skipped: [String: [String]] = [:]
  var notices: [String] = []
  var problems: [MigrationProblem] = []

  /// Applies the rules of a layout that depend on more than one name.
  mutating func settle(_ layout: MigrationLayout) {
    if let list = layout.list {
      guard names.contains(list.prefix { $0 != "/" }.description), ScriptFile.exists(path(of: list)) else { return }
    }
    layout.settle(&self)
  }

  /// Returns the path of a file in the folder.
  func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }
}

extension MigrationLayout {
  /// The layout `name.sql`: this migrator's own files, and those of `sqlx migrate add`.
  package static let plain = MigrationLayout(
    requiresUniqueVersions: false,
    readName: { stem in (stem, MigrationVersion(prefixOf: stem), .forward) })

  /// The layout of diesel: `name/up.sql` with `name/down.sql`.
  package static let diesel = MigrationLayout(
    folder: MigrationSubfolder(
      forward: "up.sql", setting: ("metadata.toml", "run_in_transaction"), timeSeparator: "-"))

  /// The layout of Prisma, and of Drizzle since its version 1: `name/migration.sql`, with or without `down.sql`
  /// (https://www.prisma.io/docs/orm/prisma-migrate/workflows/generating-down-migrations).
  package static let prisma = MigrationLayout(
    requiresUniqueVersions: false, folder: MigrationSubfolder(forward: "migration.sql", timeSeparator: ""))

  /// The layout of golang-migrate and `sqlx migrate add -r`: `1_name.up.sql` with `1_name.down.sql`; also yoyo's
  /// `1_name.rollback.sql`, postgrator's `1.do.name.sql` with `1.undo.name.sql`, and other names that say the direction.
  package static let upDown = MigrationLayout(
    readName: DirectedName.read, settle: DirectedName.settle, ending: ".up.sql")

  /// The layout of Flyway and refinery: `V1__name.sql`.
  package static let versioned = MigrationLayout(
    readName: { stem in
      if stem.hasPrefix("R__") { return (stem, nil, .refused(.repeatableMigration)) }
      guard let letter = stem.first, "VvUuB".contains(letter), let version = Flyway.version(of: stem) else {
        return nil
      }
      switch letter {
      case "U", "u": return (stem, version, .undo)
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
    return MigrationVersion(stem[..<end].dropFirst(), separators: [".", "_"])
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

/// The comments with which other tools skip statements, run them under a condition, or decide the order of files.
enum OtherTools {
  /// Returns the comments with rules of a tool that are not followed here.
  static func rules(in comments: [ScriptComment]) -> [ScriptComment] {
    let known = comments.filter(\.isFirstOnLine).map { (comment: $0, first: $0.firstWord) }
    let isLiquibase = known.contains { $0.first == "liquibase" || isChangeset($0.comment) }
    return known.filter { comment, first in
      // https://atlasgo.io/versioned/checks, https://atlasgo.io/versioned/checkpoint
      if first.hasPrefix("atlas:") { return !["atlas:nolint", "atlas:sum", "atlas:txmode"].contains(first) }
      // https://www.npmjs.com/package/marv
      if first == "@marv" { return comment.content.contains(/skip(?!.*false)/.ignoresCase()) }
      guard isLiquibase else { return false }
      return ["precondition", "ignorelines"].contains(where: first.hasPrefix)
        || first == "property" && comment.content.contains("name:")
        || isChangeset(comment)
          && comment.content.matches(of: /(\w+)\s*:\s*("[^"]*"|'[^']*'|[^\s"']+)/).contains {
            isCondition($0.output.1.lowercased(), $0.output.2.filter { !"\"'".contains($0) }.lowercased())
          }
    }.map(\.comment)
  }

  /// Whether a comment is the heading of a changeset of Liquibase, such as `-- changeset author:id`.
  private static func isChangeset(_ comment: ScriptComment) -> Bool {
    comment.content.prefixMatch(of: /changeset\s+("[^"]*"|'[^']*'|[^\s:"']+):\S/.ignoresCase()) != nil
  }

  /// Whether an attribute of a changeset limits where, when or how its statements run
  /// (https://docs.liquibase.com/concepts/changelogs/sql-format.html).
  private static func isCondition(_ name: String, _ value: String) -> Bool {
    switch name {
    case "dbms":
      let systems = value.split(separator: ",").map(\.trimmingWhitespace)
      let isMeant = systems.contains { ["sqlite", "all"].contains($0) } || systems.allSatisfy { $0.hasPrefix("!") }
      return !isMeant || systems.contains("!sqlite")
    case "context", "contexts", "contextfilter", "labels", "runorder": return !value.isEmpty
    case "ignore": return value == "true"
    case "enddelimiter": return value != ";"
    default: return false
    }
  }

  /// Returns the beginning of a statement that makes or changes something and that only MySQL runs, such as `/*!50003 CREATE
  /// TRIGGER ... */` of a dump (https://dev.mysql.com/doc/refman/8.4/en/comments.html); nil for other comments.
  static func statementOfMySQL(in comment: ScriptComment) -> String? {
    guard comment.content.hasPrefix("!") || comment.content.hasPrefix("M!") else { return nil }
    let begin = /M?!\d{5,6}\s+(ALTER(?!.*ABLE KEYS)|CREATE|DELETE|DROP|INSERT|REPLACE|UPDATE)\b\s*\w*/.ignoresCase()
    return comment.content.prefixMatch(of: begin).map { "/*\($0.output.0) ... */" }
  }

  /// Returns the identifiers of the migrations that a comment names, such as yoyo's `-- depends: 1_a 2_b` or Sqitch's
  /// `-- requires: a`; empty for other comments.
  static func requirements(of comment: ScriptComment) -> [String] {
    let first = comment.firstWord.drop { !$0.isLetter }.prefix { $0.isLetter }
    guard ["depends", "requires"].contains(first) else { return [] }
    let words = comment.content.split { $0.isWhitespace || ",:[]\"".contains($0) }.map(String.init)
    return words.dropFirst().filter { !["on", "and"].contains($0) }.map { $0.dropping(".sql") ?? $0 }
  }
}
