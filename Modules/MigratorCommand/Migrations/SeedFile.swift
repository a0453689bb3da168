internal import SQLMigrations

/// A file of SQL that fills a database, read by the same rules as a migration's.
enum SeedFile {
  /// Reads and checks the file.
  ///
  /// - Throws: ``ToolFailure`` of wrong usage with every problem of the file.
  static func read(_ path: String, toolName: String) throws(ToolFailure) -> MigrationFile {
    guard let name = MigrationName(path: path) else {
      throw .usage("\(path) is no SQL file", remedy: "Name a file that ends in .sql.")
    }
    let file = MigrationFile(name)
    // A link to what is gone is reported as such.
    if file.readingProblem?.kind == .unreadable(.missing), !FileSystem.exists(path) {
      throw .usage("there is no file \(path)", remedy: "Check the path.")
    }
    guard file.problems.isEmpty else {
      throw ErrorReport.folder(MigrationFolderError(folder: path, problems: file.problems), toolName: toolName)
    }
    return file
  }
}
