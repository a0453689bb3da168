extension MigrationLayout {
  /// `name/up.sql` with `name/down.sql`.
  package static let diesel = MigrationLayout(title: "diesel", ending: "/up.sql")
}

/// A folder in the folder of migrations: a migration of diesel, or nothing to this migrator.
enum DieselFolder {
  /// A migration.
  case migration(MigrationName)
  /// A folder that was meant to be a migration, or cannot be read.
  case problem(MigrationProblem)
  /// A folder with SQL files that are not read.
  case passedOver(notice: String)
  /// A folder without SQL files.
  case other

  /// Looks into a folder.
  init(_ path: String) {
    let names: [String]
    do {
      names = try ScriptFile.names(in: path)
    } catch {
      self = .problem(error)
      return
    }
    let isCalledLikeAFile = path.dropping(".sql") != nil
    if names.contains("up.sql") {
      var name = MigrationName(dieselFolder: path)
      if names.contains("metadata.toml") {
        name.setting = TransactionSetting(path: path + "/metadata.toml", key: "run_in_transaction")
      }
      self = .migration(name)
    } else if names.contains("down.sql") || isCalledLikeAFile {
      self = .problem(MigrationProblem(.missingUpFile, path: path))
    } else if names.contains(where: { $0.dropping(".sql") != nil }) {
      self = .passedOver(notice: "\(path): not read; folders inside the folder are read only when they contain up.sql")
    } else {
      self = .other
    }
  }

  /// Whether the names in a folder are those of one migration, not of a folder of migrations.
  static func isMigration(_ names: [String]) -> Bool { names.contains("up.sql") && names.contains("down.sql") }
}

extension MigrationName {
  /// The name of a folder that holds one migration of diesel.
  package init(dieselFolder path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    self.init(
      path: path + "/up.sql", identifier: name, version: MigrationVersion(prefixOf: name), layout: .diesel)
  }
}
