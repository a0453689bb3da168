internal import SQLMigrations

/// A folder of migrations that is not where the command line says, mostly since the command runs in another folder.
struct MissingFolder {
  private let path: String
  private let database: String?

  /// Looks whether a missing folder is why migrations cannot be read; nil when it is not.
  init?(_ error: MigrationFolderError, _ context: CommandContext) {
    guard error.problems.map(\.kind) == [.missingFolder], !error.folder.hasPrefix("/") else { return nil }
    path = error.folder
    database = context.arguments.value(of: .database).flatMap {
      try? DatabaseAddress($0, backendNames: context.tool.backends.map(\.name)).path
    }
  }

  /// What to do where a folder of that name is nearby; nil where there is none.
  var remedy: String? {
    let here = FileSystem.resolve(".")
    if here.name == FileSystem.name(of: path), FileSystem.names(in: ".").contains(where: { $0.hasSuffix(".sql") }) {
      return "You are in a folder of that name: go to the one above it, or add `--migrations .`."
    }
    let places = [database.map { ("beside the database", FileSystem.folder(of: $0)) }, ("in the folder above", "..")]
    for (words, folder) in places.compactMap(\.self) where folder != "." {
      let near = "\(folder)/\(path)"
      guard FileSystem.isFolder(near) else { continue }
      return "There is one \(words): go there, or add `--migrations \(near.shellWord)`."
    }
    return nil
  }
}

extension CommandContext {
  /// The failure of a folder whose migrations cannot be used; of a missing one, with the place where it seems to be.
  func failure(_ error: MigrationFolderError) -> ToolFailure {
    var failure = ErrorReport.folder(error, toolName: toolName)
    if let remedy = MissingFolder(error, self)?.remedy { failure.remedy = remedy }
    return failure
  }
}
