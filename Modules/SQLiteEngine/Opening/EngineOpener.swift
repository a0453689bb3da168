internal import CSQLiteLoader
package import Migrator
internal import SQLiteDialect

/// The location of a database, the library that runs it, and the options: all that is needed to open a connection.
package struct EngineOpener {
  /// A location of a database.
  package enum Place: Sendable, Equatable {
    /// The database is in a file.
    case file(String)
    /// The database is in memory, until the connection is closed.
    case memory
  }

  /// A closure that sets the key and cipher settings of a connection before the connection reads anything.
  package typealias Unlock = (EngineConnection) throws(DatabaseError) -> Void

  /// The library that runs the connection.
  package let library: EngineLibrary
  /// The location of the database.
  package let place: Place
  /// The connection options from the core.
  package let options: ConnectionOptions
  let unlock: Unlock?

  /// Describes how to open a database; nothing is opened yet.
  package init(library: EngineLibrary, place: Place, options: ConnectionOptions, unlock: Unlock? = nil) {
    self.library = library
    self.place = place
    self.options = options
    self.unlock = unlock
  }

  /// Opens the connection, unlocks it, reads the database once, and applies the options.
  ///
  /// - Throws: ``DatabaseError``, with a different condition for each cause. An existing file is unchanged.
  package func open() throws(DatabaseError) -> EngineConnection {
    switch place {
    case .memory:
      let database = try openDatabase(":memory:")
      let handle = EngineHandle(
        library: library, database: database, file: nil, isKeyed: false, busyTimeout: options.busyTimeout)
      let connection = EngineConnection(handle: handle, isReadOnly: options.isReadOnly)
      try connection.setEnforcesForeignKeys(options.enforcesForeignKeys)
      if options.isReadOnly { try connection.execute("PRAGMA query_only = 1") }
      return connection
    case .file(let path):
      return try afterConversions { () throws(DatabaseError) in
        try unlock == nil ? openFile(path) : openKeyedFile(path)
      }
    }
  }

  func openFile(_ path: String) throws(DatabaseError) -> EngineConnection {
    let probe = try probe(path)
    let handle: EngineHandle
    do throws(DatabaseError) {
      // A journal or a log with content would be ignored.
      let isUnchanging = options.isUnchanging && !probe.hasJournal
      let name = isUnchanging ? Self.immutableURI(of: probe.absolutePath) : probe.absolutePath
      handle = try openHandle(path, as: name, isKeyed: unlock != nil)
    } catch {
      throw error.condition == .cannotOpen ? probe.creationError ?? error : error
    }
    let connection = EngineConnection(handle: handle, isReadOnly: options.isReadOnly)
    let patience = patience(isNew: probe.isEmpty)
    connection.handle?.busyWait.timeout = patience
    connection.handle?.busyWait.onLockWait = options.onLockWait
    if !options.trustsSchema { connection.distrustSchema() }
    do throws(DatabaseError) {
      if let unlock {
        try refusePlaintext(connection, path: path)
        try unlock(connection)
      }
      try connection.readSchemaTrustingIfNeeded()
      guard !connection.hasMoved() else { throw DatabaseError.replaced(path, library) }
      if unlock != nil, probe.isEmpty, !connection.isReadOnly { try writeFirstPage(connection) }
      try connection.setEnforcesForeignKeys(options.enforcesForeignKeys)
      if let mode = options.journalMode, !connection.isReadOnly {
        try connection.setJournalMode(mode, within: patience)
      }
    } catch {
      // The header is used only to explain the error.
      let explained = explained(error, probe: probe, header: try? connection.fileHeader())
      // Whether the path no longer refers to the file that was opened. A conversion that ends now has either been found by
      // the explanation, or has replaced the file before this look.
      let hasMoved = connection.hasMoved()
      // The connection was never returned to the caller; report the first error.
      try? connection.close()
      throw hasMoved ? DatabaseError.replaced(path, library) : explained
    }
    connection.handle?.busyWait.timeout = options.busyTimeout
    return connection
  }

  func probe(_ path: String) throws(DatabaseError) -> FileProbe {
    try FileProbe(path: path, engine: library.description.name, mayCreate: !options.isReadOnly && options.createsFile)
  }

  /// Opens and registers a file; the engine gets `name` instead of the path.
  private func openHandle(_ path: String, as name: String, isKeyed: Bool) throws(DatabaseError) -> EngineHandle {
    // Declared here, because the closures may run while the registry is locked and can return only Sendable values.
    var database: OpaquePointer?
    let file = try OpenFileRegistry.shared.register(path: path, library: library) { () throws(DatabaseError) in
      let opened = try openDatabase(name)
      database = opened
      return opened
    } close: {
      // Closing fails only if there are statements, and this connection has none.
      _ = library.functions.close(database)
    }
    guard let database else {
      throw DatabaseError(.cannotOpen, engine: library.description.name, message: "\(path) could not be opened")
    }
    return EngineHandle(
      library: library, database: database, file: file, isKeyed: isKeyed, busyTimeout: options.busyTimeout)
  }

  private func openDatabase(_ name: String) throws(DatabaseError) -> OpaquePointer {
    var database: OpaquePointer?
    let creation = options.createsFile || place == .memory ? SQLITE_OPEN_CREATE : 0
    let access = options.isReadOnly && place != .memory ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | creation
    // Only names that this module creates are URIs; a caller's path is changed so that it cannot be one.
    let uri = name.hasPrefix("file:") ? SQLITE_OPEN_URI : 0
    let code = library.functions.open_v2(name, &database, access | uri | SQLITE_OPEN_NOMUTEX, nil)
    if code == SQLITE_OK, let database { return database }
    let detail = database.map { library.functions.extended_errcode($0) } ?? code
    let systemError = database.map { library.functions.system_errno($0) } ?? 0
    let text = library.functions.errstr(code).map { String(cString: $0) } ?? "error \(code)"
    // A connection must be closed even when opening it failed (https://www.sqlite.org/c3ref/open.html); it has no
    // statements that could prevent that.
    _ = library.functions.close(database)
    let condition = ResultCode.condition(detail, systemError: systemError)
    let reason = systemError == 0 ? text : "\(text) (\(SystemError.text(systemError)))"
    throw DatabaseError(
      condition, engine: library.description.name, resultCode: detail, message: "\(name): \(reason)",
      remedy: Remedy.text(for: condition))
  }
}

// MARK: - Errors

extension EngineOpener {
  private func refusePlaintext(_ connection: EngineConnection, path: String) throws(DatabaseError) {
    guard let header = try connection.fileHeader(), header.isPlaintext else { return }
    throw DatabaseError(
      .plaintextDatabase, engine: library.description.name,
      message: "\(path) is not encrypted, but a key was given",
      remedy: """
        Open it without a key, or encrypt it with SQLCipher.encrypt or `migrator encrypt`. It was not changed.
        """)
  }

  /// Returns an error from reading the open file, with an explanation that is based on the state of the file.
  private func explained(_ error: DatabaseError, probe: FileProbe, header: FileHeader?) -> DatabaseError {
    var error = error
    // If the header is plaintext and the key or salt is wrong, SQLCipher reports the first page as damaged.
    if unlock != nil, error.condition == .corrupt, let header, header.isReadableThoughEncrypted {
      error.condition = .wrongKey
      error.remedy = Remedy.text(for: .wrongKey)
    }
    switch error.condition {
    case .busy where probe.isBeingConverted,
      // The file is not yet in the expected form.
      .plaintextDatabase where probe.isBeingConverted,
      .wrongKey where probe.isBeingConverted,
      .notADatabase where probe.isBeingConverted:
      error = .beingConverted(probe.path, library)
    case .wrongKey:
      // The smallest page size is 512 bytes, and a database consists of whole pages.
      let size = probe.size ?? 0
      if (1..<512).contains(size) { error.condition = .notADatabase }
      let hint =
        size % 512 == 0
        ? "" : "; its size of \(size) bytes is not a multiple of 512, so it is truncated or not a database"
      error.message = "\(probe.path) does not open with this key (\(error.message))\(hint)"
      error.sql = nil
    case .notADatabase:
      error = header?.fault(of: probe, error) ?? error
      guard error.condition == .notADatabase else { break }
      error.message = "\(probe.path) is encrypted, or is not a database (\(error.message))"
      error.sql = nil
    case .cannotOpen, .permissionDenied, .readOnly:
      // The file itself was already open, so the error concerns another file: readers of a write-ahead log need the
      // log's index beside the database (https://www.sqlite.org/wal.html#read_only_databases).
      error.condition = .readOnly
      if let (file, owner) = probe.fileOfAnotherUser {
        error.message = "\(probe.path) can be opened, but not \(file), which belongs to the user with the ID \(owner)"
        error.remedy =
          "Give this user access to \(file), for example with chown or chmod. A program of the other user, such as root, has "
          + "opened the database; the file may hold the latest changes, so do not remove it."
      } else {
        error.message = "\(probe.path) can be opened, but not the files beside it (\(error.message))"
        error.remedy = """
          SQLite writes files beside a database in WAL mode (-wal, -shm), and needs a journal that a crash has left to \
          restore the database; do not remove these files. Make the folder writable, or copy the database with them to a \
          writable folder.
          """
      }
      error.sql = nil
    default:
      break
    }
    return error
  }
}

// MARK: - Inspecting files

extension EngineOpener {
  /// Opens a connection that only inspects a file, even if other connections have it open; nothing has been read yet.
  ///
  /// The engine opens the file as immutable (https://www.sqlite.org/uri.html#uriimmutable): it takes no lock, recovers
  /// nothing, creates no files, and ignores a journal or log beside the file. This module must not open the file
  /// itself: closing a separate descriptor would drop the locks of other connections.
  ///
  /// - Parameter isKeyed: Whether the caller will set a key on the connection.
  /// - Throws: ``DatabaseError`` as `.openedByAnotherEngine`, `.cannotOpen` and others.
  package static func inspect(
    _ probe: FileProbe, by library: EngineLibrary, isKeyed: Bool
  ) throws(DatabaseError) -> EngineConnection {
    let opener = EngineOpener(library: library, place: .file(probe.path), options: ConnectionOptions(isReadOnly: true))
    let name = immutableURI(of: probe.absolutePath)
    let handle = try opener.openHandle(probe.path, as: name, isKeyed: isKeyed)
    return EngineConnection(handle: handle, isReadOnly: true)
  }

  /// Returns the URI of a file, given by its absolute path, to open as immutable: SQLite reads text after two slashes
  /// as a host.
  private static func immutableURI(of path: String) -> String {
    var text = "file:"
    for byte in path.utf8 {
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        || [0x2f, 0x2e, 0x2d, 0x5f].contains(byte)
      text += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return text + "?immutable=1"
  }
}
