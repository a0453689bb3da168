internal import Migrator

extension EngineOpener {
  /// Refuses a database without encryption, before a key is tried on it.
  func refusePlaintext(_ connection: EngineConnection, path: String) throws(DatabaseError) {
    guard let header = try connection.fileHeader(), header.isPlaintext else { return }
    throw DatabaseError(
      .plaintextDatabase, engine: library.description.name,
      message: "\(path) is a database without encryption, and a key was given for it",
      remedy: """
        Open it without a key, or encrypt it with SQLCipher.encrypt or `migrator encrypt`; it was not changed.
        """)
  }

  /// An error met after the file was opened, with what is known about the file.
  func explained(_ error: DatabaseError, probe: FileProbe, header: FileHeader?) -> DatabaseError {
    var error = error
    // With a readable header and a wrong key or salt, SQLCipher takes the first page for damaged.
    if unlock != nil, error.condition == .corrupt, let header, header.isReadableThoughEncrypted {
      error.condition = .wrongKey
      error.remedy = Remedy.text(for: .wrongKey)
    }
    switch error.condition {
    case .busy where probe.isBeingConverted,
      // The file is not yet what it is opened as.
      .plaintextDatabase where probe.isBeingConverted,
      .wrongKey where probe.isBeingConverted,
      .notADatabase where probe.isBeingConverted:
      error = .beingConverted(probe.path, library)
    case .wrongKey:
      // The smallest page has 512 bytes, and a database has whole pages.
      let size = probe.size ?? 0
      if (1..<512).contains(size) { error.condition = .notADatabase }
      let hint = size % 512 == 0 ? "" : "; with \(size) bytes it is cut off, or another kind of file"
      error.message = "\(probe.path) does not open with this key (\(error.message))\(hint)"
      error.sql = nil
    case .notADatabase:
      error.message = "\(probe.path) is encrypted or not a database (\(error.message))"
      error.sql = nil
    case .cannotOpen, .permissionDenied, .readOnly:
      // The file itself was opened by then, so that it is another one that cannot be. Readers of a write-ahead log need
      // its index beside it (https://www.sqlite.org/wal.html#read_only_databases).
      error.condition = .readOnly
      error.message = "\(probe.path) can be opened, but not the files beside it (\(error.message))"
      error.remedy = """
        A database in WAL mode needs its -wal and -shm files beside it, and one with a journal left by a crash needs to \
        remove it: let the folder be written, or copy the database with these files to where it can.
        """
      error.sql = nil
    default:
      break
    }
    return error
  }
}
