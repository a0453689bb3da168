internal import CSQLite
internal import Migrator

/// One conversion of a file, which has the exclusive right to open the file and its copy in this process.
final class ConversionClaim: Sendable {
  /// The conversion that this thread performs; files are opened on its behalf.
  @TaskLocal static var current: ConversionClaim?

  init() {}
}

/// The files that this process has open, each with the copy of an engine that has opened it.
///
/// File locks belong to the process: when one copy of SQLite closes a file, the locks that another copy holds on it are
/// lost, and committed rows can be lost too
/// (https://www.sqlite.org/howtocorrupt.html#_multiple_copies_of_sqlite_linked_into_the_same_application). So a file is
/// open through one copy at a time, and this registry rejects the second one.
final class OpenFileRegistry: Sendable {
  static let shared = OpenFileRegistry()

  private struct Entry {
    let library: EngineLibrary
    var count = 0
  }

  private struct Refused {
    let library: EngineLibrary
    let address: UInt
  }

  private struct State {
    var entries: [FileIdentity: Entry] = [:]
    /// Openings of files that were refused once they were open: closing them would drop the locks of the copy that has the
    /// file open, so they are kept until that one has closed it.
    var refused: [FileIdentity: Refused] = [:]
    /// The files that only a conversion may open.
    var claims: [FileIdentity: ConversionClaim] = [:]
  }

  private let state = Lock(State())

  private init() {}

  /// Opens a file and registers it, as one step.
  ///
  /// A file that other code of the process has open is opened only when that code uses the same copy of the engine, which
  /// knows of its own locks.
  ///
  /// - Parameters:
  ///   - path: The file; it may not exist yet.
  ///   - open: Opens the file, and creates it where it is missing. It must neither lock nor read it: it runs while the
  ///     registry is held, since the file's identity is known before it is opened or after it was created, and no other
  ///     copy may open it in between. Returns the engine's connection.
  ///   - close: Takes back what `open` did.
  /// - Returns: What to give to ``unregister(_:)``, once the file is closed.
  func register(
    path: String, library: EngineLibrary, open: () throws(DatabaseError) -> OpaquePointer, close: () -> Void
  ) throws(DatabaseError) -> FileIdentity {
    try state.withLock { state throws(DatabaseError) in
      let expected = FileIdentity(path: path)
      if let expected { Self.closeRefused(expected, in: &state) }
      let foreign = try expected.flatMap { (file) throws(DatabaseError) in
        try Self.check(file, in: state, path: path, library: library)
      }
      let offset = foreign == nil ? -1 : library.connectionCountOffset
      let refused = expected.flatMap { state.refused[$0] }
      if let foreign, offset < 0 || refused?.library.image == library.image { throw foreign }
      let database = try open()
      if let foreign, let expected, library.connectionCount(of: database, at: offset) < 2 {
        state.refused[expected] = Refused(library: library, address: UInt(bitPattern: database))
        throw foreign
      }
      guard let opened = FileIdentity(path: path), expected == nil || expected == opened else {
        close()
        throw .replaced(path, library)
      }
      if let holder = state.entries[opened]?.library, holder.image != library.image {
        close()
        throw Self.refusal(path: path, library: library, holder: holder.description)
      }
      if let claim = state.claims[opened], claim !== ConversionClaim.current {
        close()
        throw .beingConverted(path, library)
      }
      state.entries[opened, default: Entry(library: library)].count += 1
      return opened
    }
  }

  /// Removes one opening of a file, after it was closed.
  func unregister(_ file: FileIdentity) {
    state.withLock { state in
      state.entries[file]?.count -= 1
      if state.entries[file]?.count == 0 { state.entries[file] = nil }
    }
  }

  /// Claims a file that is not open in this process for a conversion, which alone may open it from then on.
  ///
  /// - Throws: ``DatabaseError`` as `.busy` when connections of this process have the file open, `.beingConverted` when
  ///   another conversion has it, `.openedByAnotherEngine` when other code of the process has it open.
  func claim(_ path: String, for claim: ConversionClaim, library: EngineLibrary) throws(DatabaseError) {
    try state.withLock { state throws(DatabaseError) in
      guard let file = FileIdentity(path: path), state.claims[file] !== claim else { return }
      if state.claims[file] == nil, let count = state.entries[file]?.count {
        throw DatabaseError(
          .busy, engine: library.description.name,
          message: "the file \(path) is open in this process through \(count) connection\(count == 1 ? "" : "s")",
          remedy: "Close its queues and pools first: a conversion replaces the file.")
      }
      Self.closeRefused(file, in: &state)
      if let foreign = try Self.check(file, in: state, path: path, library: library) { throw foreign }
      state.claims[file] = claim
    }
  }

  /// Claims a file that a conversion has created, although the conversion itself has the file open.
  func claim(_ file: FileIdentity, for claim: ConversionClaim) {
    state.withLock { $0.claims[file] = claim }
  }

  /// Releases a file so that it can be opened again, or before it is removed and another file gets its inode number.
  func release(_ file: FileIdentity) { state.withLock { $0.claims[file] = nil } }

  /// Releases the files of a conversion so that they can be opened again.
  func release(_ claim: ConversionClaim) {
    state.withLock { state in state.claims = state.claims.filter { $0.value !== claim } }
  }

  /// Refuses a file that another copy of the engine has open, or a conversion.
  ///
  /// - Returns: The error to throw unless the code that has the file open uses the same copy; nil when none has.
  private static func check(
    _ file: FileIdentity, in state: State, path: String, library: EngineLibrary
  ) throws(DatabaseError) -> DatabaseError? {
    if let claim = state.claims[file] {
      // Its own descriptors are no others: it closes them when no connection has the file open any longer.
      guard claim !== ConversionClaim.current else { return nil }
      throw .beingConverted(path, library)
    }
    if let entry = state.entries[file] {
      guard entry.library.image != library.image else { return nil }
      throw refusal(path: path, library: library, holder: entry.library.description)
    }
    // No connection of ours has the file. A descriptor that is open on it all the same belongs to the application's own
    // connections, or to code that will drop our locks when it closes the file.
    let descriptor = csqlite_find_descriptor(file.device, file.inode)
    guard descriptor >= 0 else { return nil }
    return DatabaseError(
      .openedByAnotherEngine, engine: library.description.name,
      message: "the file \(path) is already open in this process (descriptor \(descriptor)), through other code",
      remedy: """
        Close it there first: when that code closes the file, this engine's locks on it would be gone. Or migrate the \
        connection that is open, with `borrowing(_:)`, or open the file with the library that has it open.
        """)
  }

  /// Closes an opening that was refused, once nothing else has the file open.
  private static func closeRefused(_ file: FileIdentity, in state: inout State) {
    guard let refused = state.refused[file], csqlite_count_descriptors(file.device, file.inode) <= 1 else { return }
    state.refused[file] = nil
    // It holds no statement, the only cause of failing.
    _ = refused.library.functions.close(OpaquePointer(bitPattern: refused.address))
  }

  private static func refusal(path: String, library: EngineLibrary, holder: EngineDescription) -> DatabaseError {
    DatabaseError(
      .openedByAnotherEngine, engine: library.description.name,
      message: "the file \(path) is open in this process through \(holder.name) \(holder.version)",
      remedy: "Close that connection first: two engines in one process drop each other's locks.")
  }
}

extension DatabaseError {
  /// Returns the error of opening a file while it is converted.
  static func beingConverted(_ path: String, _ library: EngineLibrary) -> DatabaseError {
    DatabaseError(
      .beingConverted, engine: library.description.name,
      message: "\(path) is being converted (its encryption, key or format is changing)",
      remedy: "Try again later, or set a longer busy timeout.")
  }

  /// Returns the error of a file that was no longer at its path when it was opened.
  static func replaced(_ path: String, _ library: EngineLibrary) -> DatabaseError {
    DatabaseError(
      .fileReplaced, engine: library.description.name,
      message: "the file \(path) was replaced while it was being opened",
      remedy: "Try again.")
  }
}
