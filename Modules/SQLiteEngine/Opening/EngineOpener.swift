internal import CSQLite
package import Migrator
internal import SQLiteDialect

/// Opens databases: the place of one, the library that runs it, and the options.
package struct EngineOpener {
  /// Where a database is.
  package enum Place: Sendable, Hashable {
    /// In a file.
    case file(String)
    /// In memory, until its connection is closed.
    case memory
  }

  /// Gives the key and the cipher's settings to a connection that has not read anything yet.
  package typealias Unlock = (EngineConnection) throws(DatabaseError) -> Void

  /// The library that runs the connection.
  package let library: EngineLibrary
  /// Where the database is.
  package let place: Place
  /// The wishes of the core.
  package let options: ConnectionOptions
  let unlock: Unlock?

  /// Describes a database; nothing is opened yet.
  package init(library: EngineLibrary, place: Place, options: ConnectionOptions, unlock: Unlock? = nil) {
    self.library = library
    self.place = place
    self.options = options
    self.unlock = unlock
  }

  /// Opens the connection, unlocks it, reads the database once, and sets it up as asked.
  ///
  /// - Throws: ``DatabaseError``, a condition for each cause. An existing file is left as it was.
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
      handle = try openHandle(path)
    } catch {
      throw error.condition == .cannotOpen ? probe.creationError ?? error : error
    }
    let connection = EngineConnection(handle: handle, isReadOnly: options.isReadOnly)
    let patience = patience(isNew: probe.isEmpty)
    connection.handle?.busyWait.timeout = patience
    do throws(DatabaseError) {
      if let unlock {
        try refusePlaintext(connection, path: path)
        try unlock(connection)
      }
      // The first read recovers what a crash left behind, and proves that the file is a database that the key opens.
      // It reads the schema, too, which the connection needs anyway.
      _ = try connection.integer("SELECT count(*) FROM sqlite_master")
      guard !connection.hasMoved else { throw DatabaseError.replaced(path, library) }
      if unlock != nil, probe.isEmpty, !connection.isReadOnly { try writeFirstPage(connection) }
      try connection.setEnforcesForeignKeys(options.enforcesForeignKeys)
      if let mode = options.journalMode, !connection.isReadOnly {
        try connection.setJournalMode(mode, within: patience)
      }
    } catch {
      let hasMoved = connection.hasMoved
      // What the file begins with only helps to explain the error.
      let header = try? connection.fileHeader()
      // The connection was never handed out; its error matters less than the first one.
      try? connection.close()
      // What was read is not what the path leads to by now.
      if hasMoved { throw DatabaseError.replaced(path, library) }
      throw explained(error, probe: probe, header: header)
    }
    connection.handle?.busyWait.timeout = options.busyTimeout
    return connection
  }

  func probe(_ path: String) throws(DatabaseError) -> FileProbe {
    try FileProbe(path: path, engine: library.description.name, mayCreate: !options.isReadOnly)
  }

  /// Opens and registers a file, for the engine by another name where one is given.
  private func openHandle(_ path: String, as name: String? = nil) throws(DatabaseError) -> EngineHandle {
    // Held outside of the closures, which run while the registry is held and may hand out nothing that is not Sendable.
    var database: OpaquePointer?
    let file = try OpenFileRegistry.shared.register(path: path, library: library) { () throws(DatabaseError) in
      let opened = try openDatabase(name ?? Self.literalPath(path))
      database = opened
      return opened
    } close: {
      // The connection has done nothing yet and holds no statements, the only cause of failing.
      _ = library.functions.close(database)
    }
    guard let database else {
      throw DatabaseError(.cannotOpen, engine: library.description.name, message: "\(path) could not be opened")
    }
    return EngineHandle(
      library: library, database: database, file: file, isKeyed: unlock != nil, busyTimeout: options.busyTimeout)
  }

  private func openDatabase(_ name: String) throws(DatabaseError) -> OpaquePointer {
    var database: OpaquePointer?
    let access =
      options.isReadOnly && place != .memory ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    // Only names of our own making are URIs; a path is written so that it cannot be one.
    let uri = name.hasPrefix("file:") ? SQLITE_OPEN_URI : 0
    let code = library.functions.open_v2(name, &database, access | uri | SQLITE_OPEN_NOMUTEX, nil)
    if code == SQLITE_OK, let database { return database }
    let detail = database.map { library.functions.extended_errcode($0) } ?? code
    let systemError = database.map { library.functions.system_errno($0) } ?? 0
    let text = library.functions.errstr(code).map { String(cString: $0) } ?? "error \(code)"
    // A connection that could not be opened must be closed all the same (https://www.sqlite.org/c3ref/open.html); it
    // holds nothing that could keep it open.
    _ = library.functions.close(database)
    let condition = ResultCode.condition(detail, systemError: systemError)
    let reason = systemError == 0 ? text : "\(text) (\(SystemError.text(systemError)))"
    throw DatabaseError(
      condition, engine: library.description.name, resultCode: detail, message: "\(name): \(reason)",
      remedy: Remedy.text(for: condition))
  }

  /// The path, written so that no engine reads another meaning into it: neither a URI (some are built to read them,
  /// https://www.sqlite.org/uri.html) nor the name of a database in memory.
  private static func literalPath(_ path: String) -> String {
    path.hasPrefix("/") ? path : "./\(path)"
  }
}

// MARK: - Errors

extension EngineOpener {
  /// Refuses a database without encryption, before a key is tried on it.
  private func refusePlaintext(_ connection: EngineConnection, path: String) throws(DatabaseError) {
    guard let header = try connection.fileHeader(), header.isPlaintext else { return }
    throw DatabaseError(
      .plaintextDatabase, engine: library.description.name,
      message: "\(path) is a database without encryption, and a key was given for it",
      remedy: """
        Open it without a key, or encrypt it with SQLCipher.encrypt or `migrator encrypt`; it was not changed.
        """)
  }

  /// An error met after the file was opened, with what is known about the file.
  private func explained(_ error: DatabaseError, probe: FileProbe, header: FileHeader?) -> DatabaseError {
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

// MARK: - Looking at files

extension EngineOpener {
  /// Opens a connection that only looks at a file, whoever has it open; nothing was read yet.
  ///
  /// The engine is asked to take the file for one that does not change (https://www.sqlite.org/uri.html#uriimmutable): it then neither locks
  /// nor recovers anything, and makes no files. What a journal or a log beside the file holds is not seen. The file is
  /// opened by the engine and not by ourselves, since closing it must not drop the locks of other connections.
  ///
  /// - Parameter isKeyed: Whether the connection is going to be given a key.
  /// - Throws: ``DatabaseError`` as `.openedByAnotherEngine`, `.cannotOpen` and others.
  package static func inspect(
    _ probe: FileProbe, by library: EngineLibrary, isKeyed: Bool
  ) throws(DatabaseError) -> EngineConnection {
    let unlock: Unlock? = isKeyed ? { (_: EngineConnection) throws(DatabaseError) in } : nil
    let opening = EngineOpener(
      library: library, place: .file(probe.path), options: ConnectionOptions(isReadOnly: true), unlock: unlock)
    let handle = try opening.openHandle(probe.path, as: immutableURI(of: probe.absolutePath))
    return EngineConnection(handle: handle, isReadOnly: true)
  }

  /// - Parameter path: An absolute path: what follows two slashes would be a host.
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
