/// What is wrong with a folder, with the names in it, or with a file as such.
extension MigrationProblem.Explanation {
  static let missingFolder = Self(
    "there is no such folder", why: "migrations are read from it", remedy: "create it, or name another")

  static let notAFolder = Self(
    "this is a file, not a folder", why: "migrations are read from a folder",
    remedy: "name the folder that contains it with --migrations DIR")

  static let noMigrations = Self(
    "the folder contains no migration",
    why: "looked for *.sql files, and for folders with an up.sql; down files and dot files do not count",
    remedy: "create one, or name another folder")

  static let singleMigrationFolder = Self(
    "this folder is one migration, not a folder of migrations", why: "it contains up.sql and down.sql",
    remedy: "name the folder above it with --migrations DIR")

  static func unreadable(_ reason: MigrationProblem.Unreadability) -> Self {
    Self(
      "cannot be read", why: reason.sentence, remedy: reason.remedy)
  }

  static func notUTF8(offset: Int) -> Self {
    Self(
      "not UTF-8 text", why: "byte \(offset) of the file does not belong to any UTF-8 character",
      remedy: "save the file as UTF-8; if it is no text, move it out of the folder")
  }

  static let utf16 = Self(
    "UTF-16 text, not UTF-8", why: "the file begins with the byte order mark of UTF-16",
    remedy: "save the file as UTF-8")

  static func duplicateIdentifier(_ identifier: String, other: String) -> Self {
    Self(
      "the identifier \"\(identifier)\" is that of \(other) too", why: "a migration is recorded by its identifier",
      remedy: "rename the one that has not been applied anywhere")
  }

  static func duplicateVersion(_ version: String, other: String) -> Self {
    Self(
      "version \(version) is that of \(other) too",
      why: "tools of this layout know a migration by its number, so their order would be chance",
      remedy: "give the one that has not been applied anywhere a higher number")
  }

  static let missingUpFile = Self(
    "the folder has no up.sql", why: "it has down.sql, or is called like an SQL file; there is nothing to apply",
    remedy: "restore up.sql, or remove the folder")

  static let repeatableMigration = Self(
    "a repeatable migration of Flyway", why: "it runs again whenever its text changes; here a migration runs once",
    remedy: "rename it to a versioned file (V<number>__name.sql), and write a new one for each later change")

  static let baselineMigration = Self(
    "a baseline migration of Flyway", why: "it replaces the migrations up to its version on new databases only",
    remedy: "rename it to a versioned file that begins with `-- migrator: merges` and the identifiers it replaces")

  static let flywayCallback = Self(
    "a script that Flyway runs at an event", why: "here only migrations run, each once",
    remedy: "move the file out of the folder, or give it a version if it is a migration")

  static let ambiguousUndo = Self(
    "a U file without a V file of its version",
    why: "it is an undo for Flyway and a forward migration for refinery; running the wrong one destroys data",
    remedy: "rename it to V<number>__name.sql if it goes forward, else move it out of the folder")
}

extension MigrationProblem.Unreadability {
  fileprivate var sentence: String {
    switch self {
    case .noPermission: "you have no permission to read it"
    case .missing: "it does not exist; it may be a link to something that is gone"
    case .other(let reason): reason
    }
  }

  fileprivate var remedy: String {
    switch self {
    case .noPermission: "give yourself permission (chmod u+r), or run as its owner"
    case .missing: "restore it, or remove the link"
    case .other: "check the file and its disk"
    }
  }
}
