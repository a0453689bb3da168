internal import SQLMigrations

/// A file of SQL that fills a database, read by the same rules as a migration's.
enum SeedFile {
  /// Reads and checks the file.
  ///
  /// - Throws: ``ToolFailure`` of wrong usage with every problem of the file.
  static func read(_ path: String, toolName: String) throws(ToolFailure) -> MigrationFile {
    guard let name = MigrationName(fileName: FileSystem.name(of: path)) else {
      throw .usage("\(path) is no SQL file", remedy: "Name a file that ends in .sql.")
    }
    let found: (file: MigrationFile?, problems: [MigrationProblem])
    do {
      found = try MigrationFileReader(MigrationCandidate(name, path: path)).migration()
    } catch {
      // A link to what is gone is told as such.
      guard error.kind != .unreadable(.missing) || FileSystem.exists(path) else {
        throw .usage("there is no file \(path)", remedy: "Check the path.")
      }
      throw ErrorReport.problem(error, toolName: toolName)
    }
    if let file = found.file { return file }
    throw ErrorReport.folder(MigrationFolderError(folder: path, problems: found.problems), toolName: toolName)
  }
}
