/// Tells the migrations of a folder by the names in it; reads no SQL.
package struct FolderListing {
  /// The migrations, in the order of application.
  package private(set) var candidates: [MigrationCandidate] = []

  /// What was left out, though somebody may have meant it.
  private(set) var notices: [String] = []

  /// Names that cannot be honoured.
  private(set) var problems: [MigrationProblem] = []

  /// The folder's path, to which the path of a file in it is added.
  private let prefix: String

  private var down: [MigrationCandidate] = []
  private var undo: [MigrationCandidate] = []
  private var hasFlywayFiles = false

  /// Lists a folder; throws when it is not there, not a folder, or not readable.
  package init(_ folder: String) throws(MigrationProblem) {
    prefix = Self.join(folder, "")
    let names = try ScriptFile.names(in: folder)
    if names.contains("up.sql"), names.contains("down.sql") {
      throw MigrationProblem(.singleMigrationFolder, path: folder)
    }
    // https://documentation.red-gate.com/fd/script-configuration-files-275218566.html
    let configurations = names.filter { $0.hasSuffix(".conf") }
    for name in names where !name.hasPrefix(".") {
      let path = prefix + name
      if ScriptFile.isFolder(path) {
        addFolder(name, path)
      } else {
        addFile(name, path, hasConfiguration: !configurations.isEmpty && configurations.contains(name + ".conf"))
      }
    }
    settleUndo()
    settleDown()
    settleCallbacks()
    candidates.sort(by: MigrationCandidate.precedes)
  }

  private mutating func addFile(_ fileName: String, _ path: String, hasConfiguration: Bool) {
    guard let name = MigrationName(fileName: fileName) else {
      if Self.looksLikeMigration(fileName) { notices.append("\(path): not read, for its name does not end in .sql") }
      return
    }
    var settings = MigrationCandidate.Settings()
    if hasConfiguration, case .forward = name.role {
      settings = Self.settings(at: path + ".conf", key: "executeInTransaction")
    }
    let candidate = MigrationCandidate(name, path: path, settings: settings)
    switch name.role {
    case .forward:
      candidates.append(candidate)
    case .down:
      down.append(candidate)
    case .undo:
      undo.append(candidate)
    case .repeatable:
      hasFlywayFiles = true
      problems.append(MigrationProblem(.repeatableMigration, path: path))
    case .baseline:
      hasFlywayFiles = true
      problems.append(MigrationProblem(.baselineMigration, path: path))
    }
  }

  /// A folder in the folder: a migration of diesel, or nothing to this migrator.
  private mutating func addFolder(_ name: String, _ path: String) {
    let names: [String]
    do {
      names = try ScriptFile.names(in: path)
    } catch {
      problems.append(error)
      return
    }
    if names.contains("up.sql") {
      var settings = MigrationCandidate.Settings()
      if names.contains("metadata.toml") {
        settings = Self.settings(at: Self.join(path, "metadata.toml"), key: "run_in_transaction")
      }
      candidates.append(
        MigrationCandidate(MigrationName(dieselFolder: name), path: Self.join(path, "up.sql"), settings: settings))
    } else if names.contains("down.sql") || name.lowercased().hasSuffix(".sql") {
      // A folder that is called like a file was meant to be a migration, whatever became of its content.
      problems.append(MigrationProblem(.missingUpFile, path: path))
    } else if names.contains(where: { $0.lowercased().hasSuffix(".sql") }) {
      notices.append("\(path): not read; folders inside the folder are read only when they contain up.sql")
    }
  }

  /// Looks for `key = false` in a file of settings, one a line.
  private static func settings(at path: String, key: String) -> MigrationCandidate.Settings {
    var settings = MigrationCandidate.Settings()
    do {
      let lines = try ScriptFile.text(at: path).split { $0.isNewline }
      settings.asksForNoTransaction = lines.contains { line in
        let parts = line.prefix { $0 != "#" }.split(separator: "=", maxSplits: 1).map(\.trimmingBlanks)
        return parts == [key, "false"]
      }
    } catch {
      settings.problems.append(error)
    }
    return settings
  }

  /// Decides what `U1__name.sql` means: an undo where the folder is Flyway's, which has a V file of the same version; a
  /// forward migration where all files are U files, which only refinery has; else nobody can tell.
  private mutating func settleUndo() {
    guard !undo.isEmpty else { return }
    let versions = Set(candidates.filter { $0.layout == .versioned }.compactMap(\.name.version))
    let isPaired = { (file: MigrationCandidate) in file.name.version.map(versions.contains) ?? false }
    if versions.isEmpty, !hasFlywayFiles {
      candidates += undo
      notices += undo.map { "\($0.path): read as a migration of refinery, which goes forward" }
    } else if hasFlywayFiles || undo.contains(where: isPaired) {
      for file in undo where !isPaired(file) {
        notices.append("\(file.path): not read; it undoes a version that the folder does not contain")
      }
    } else {
      problems += undo.map { MigrationProblem(.ambiguousUndo, path: $0.path) }
    }
  }

  private mutating func settleDown() {
    guard !down.isEmpty else { return }
    let identifiers = Set(candidates.map(\.name.identifier))
    for file in down where !identifiers.contains(file.name.identifier) {
      notices.append("\(file.path): not read; it undoes a migration that the folder does not contain")
    }
  }

  private mutating func settleCallbacks() {
    guard candidates.contains(where: { $0.layout == .versioned }) else { return }
    problems += candidates.filter(\.name.isFlywayCallback).map { MigrationProblem(.flywayCallback, path: $0.path) }
    candidates.removeAll(where: \.name.isFlywayCallback)
  }
}

extension FolderListing {
  /// True for names of migrations in other languages, and for copies such as `1_name.sql.bak`.
  private static func looksLikeMigration(_ fileName: String) -> Bool {
    let name = fileName.lowercased()
    guard !name.hasSuffix(".conf"), !name.hasSuffix("~") else { return false }
    if name.contains(".sql.") { return true }
    let languages = [".rs", ".go", ".js", ".ts", ".py", ".rb", ".java", ".kt", ".swift"]
    guard let language = languages.first(where: name.hasSuffix) else { return false }
    return MigrationName(fileName: fileName.dropLast(language.count) + ".sql")?.version != nil
  }

  /// A path inside a folder, written as the folder's path was.
  private static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}
