internal import Migrator

/// What the tool says of a database that cannot be opened, in terms of its own options.
enum OpeningWords {
  /// What happened, and what to do.
  static func of(
    _ error: DatabaseError, location: ToolLocation, backend: ToolBackend
  ) -> (what: String, remedy: String?) {
    let path = location.path
    return switch error.condition {
    case .wrongKey:
      (
        "the key does not open \(path)",
        "Check the key and where it comes from, and that the file is a database. One that was made by an older SQLCipher or "
          + "with other settings needs --cipher-compatibility 1, 2 or 3, or the cipher options it was made with; one of a "
          + "newer SQLCipher needs that library, after --\(backend.name)-library."
      )
    case .plaintextDatabase:
      ("\(path) is not encrypted, but a key was given", "Leave the key out to work on the plain database.")
    case .notADatabase:
      (
        "\(path) is encrypted, or not a database at all",
        "If it is encrypted, give its key with --key-file PATH, --key-env NAME or --key-fd N; else name another file."
      )
    case .invalidKey:
      (
        "the key for \(path) cannot be used",
        error.remedy ?? "Give the key with --key-file PATH, --key-env NAME or --key-fd N."
      )
    case .folderMissing where FileSystem.exists(FileSystem.folder(of: path)):
      ("\(path) cannot be opened", "Name a file in a folder.")
    case .folderMissing:
      (
        "the folder of \(path) does not exist",
        "Create it with `mkdir -p \(FileSystem.folder(of: path).shellWord)`, or name another file."
      )
    case .fileMissing:
      ("there is no database at \(path)", "Check the path, or create the database with `migrate`.")
    case .isDirectory:
      ("\(path) is a folder, not a database", "Name the file in it.")
    case .permissionDenied:
      ("access to \(path) is denied", error.remedy)
    case .libraryMissing where location.library != nil:
      (
        "the \(backend.title) library \(location.library ?? "") cannot be loaded",
        "Check the path after --\(backend.name)-library, or leave it out to use the one that is found."
      )
    case .libraryMissing:
      (
        "the \(backend.title) library is not on this machine",
        error.remedy ?? "Install it, or name it with --\(backend.name)-library PATH."
      )
    case .libraryUnsuitable:
      (
        "the \(backend.title) library cannot be used",
        error.remedy ?? "Name another one with --\(backend.name)-library PATH."
      )
    case .busy:
      ("\(path) is locked by another connection", error.remedy)
    default:
      ("\(path) cannot be opened", error.remedy)
    }
  }
}
