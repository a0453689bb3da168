internal import CSQLiteLoader
internal import Migrator

/// The exclusive right of one conversion to open a file and its copy in this process.
final class ConversionClaim: Sendable {
  /// The claim of the conversion that the current task performs; only this task may open the claimed files.
  @TaskLocal static var current: ConversionClaim?

  init() {}
}

/// The registry of files that this process has open, each with the copy of the engine that has opened it.
///
/// On POSIX, file locks belong to the process: when one copy of SQLite closes a file, the process loses the locks that
/// another copy holds on it, and committed rows can be lost
/// (https://www.sqlite.org/howtocorrupt.html#_multiple_copies_of_sqlite_linked_into_the_same_application). So only one
/// copy at a time may open a file: this registry rejects any other.
final class OpenFileRegistry: Sendable {
  static let shared = OpenFileRegistry()

  private struct Connection {
    let file: FileIdentity
    let library: EngineLibrary
  }

  private struct Refused {
    let library: EngineLibrary
    let address: UInt
  }

  private struct State {
    /// The open connections; an array, because they are few.
    var connections: [Connection] = []
    /// Connections that were rejected after they had opened their file.
    ///
    /// Closing them would drop the locks of the engine copy that has the file open, so they stay open until that copy
    /// has closed it.
    var refused: [FileIdentity: Refused] = [:]
    /// The files that only a conversion may open, each with the claim of that conversion.
    var claims: [FileIdentity: ConversionClaim] = [:]
  }

  private let state = Lock(State())

  private init() {}

  /// Opens a file and registers it, while the registry is locked, so that no other copy can open the file before its
  /// identity is known; returns the identity to pass to ``unregister(_:)``.
  ///
  /// If other code of the process has the file open, the file is opened only if that code uses the same copy of the
  /// engine, since each copy keeps track only of its own locks.
  ///
  /// - Parameter open: Opens the file, creates it if it is missing, and returns the engine's connection. It must
  ///   neither lock nor read the file.
  func register(
    path: String, library: EngineLibrary, open: () throws(DatabaseError) -> OpaquePointer, close: () -> Void
  ) throws(DatabaseError) -> FileIdentity {
    try state.withLock { state throws(DatabaseError) in
      let expected = FileIdentity(path: path)
      if let expected { Self.closeRefused(expected, in: &state) }
      let foreign = try expected.flatMap { (file) throws(DatabaseError) in
        try Self.check(file, in: state, path: path, library: library)
      }
      let refused = expected.flatMap { state.refused[$0] }
      if let foreign, refused?.library.copy == library.copy { throw foreign }
      let database = try open()
      if let foreign, let expected, !library.sharesFile(of: database) {
        state.refused[expected] = Refused(library: library, address: UInt(bitPattern: database))
        throw foreign
      }
      guard let opened = FileIdentity(path: path), expected == nil || expected == opened else {
        close()
        throw .replaced(path, library)
      }
      if let holder = state.connections.first(where: { $0.file == opened })?.library, holder.copy != library.copy {
        close()
        throw Self.refusal(path: path, library: library, holder: holder.description)
      }
      if let claim = state.claims[opened], claim !== ConversionClaim.current {
        close()
        throw .beingConverted(path, library)
      }
      state.connections.append(Connection(file: opened, library: library))
      return opened
    }
  }

  /// Removes one registration of a file; called after the file was closed.
  func unregister(_ file: FileIdentity) {
    state.withLock { state in
      if let place = state.connections.lastIndex(where: { $0.file == file }) { state.connections.remove(at: place) }
    }
  }

  /// Claims a file, so that only the given conversion may open it; this process must not have the file open.
  ///
  /// - Throws: ``DatabaseError`` as `.busy` when connections of this process have the file open, `.beingConverted` when
  ///   another conversion has claimed it, `.openedByAnotherEngine` when other code of the process has it open.
  func claim(_ path: String, for claim: ConversionClaim, library: EngineLibrary) throws(DatabaseError) {
    try state.withLock { state throws(DatabaseError) in
      guard let file = FileIdentity(path: path), state.claims[file] !== claim else { return }
      let count = state.connections.count { $0.file == file }
      if state.claims[file] == nil, count > 0 {
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

  /// Claims a file that a conversion has created and already has open.
  func claim(_ file: FileIdentity, for claim: ConversionClaim) {
    state.withLock { $0.claims[file] = claim }
  }

  func release(_ file: FileIdentity) { state.withLock { $0.claims[file] = nil } }

  /// Releases all files of a conversion so that they can be opened again.
  func release(_ claim: ConversionClaim) {
    state.withLock { state in state.claims = state.claims.filter { $0.value !== claim } }
  }

  /// Throws if a connection of another copy of the engine, or a conversion, has the file open.
  ///
  /// - Returns: The error for a file that code outside this registry has open, which the caller may ignore if that code
  ///   uses the same copy of the engine.
  private static func check(
    _ file: FileIdentity, in state: State, path: String, library: EngineLibrary
  ) throws(DatabaseError) -> DatabaseError? {
    if let claim = state.claims[file] {
      // The open descriptors are the conversion's own; it closes them once no connection has the file open.
      guard claim !== ConversionClaim.current else { return nil }
      throw .beingConverted(path, library)
    }
    if let holder = state.connections.first(where: { $0.file == file })?.library {
      guard holder.copy != library.copy else { return nil }
      throw refusal(path: path, library: library, holder: holder.description)
    }
    // None of our connections has the file open. An open descriptor therefore belongs to the application's own
    // connections, or to code that will drop our locks when it closes the file.
    var descriptor: Int32 = -1
    guard csqlite_count_descriptors(file.device, file.inode, &descriptor) > 0 else { return nil }
    return DatabaseError(
      .openedByAnotherEngine, engine: library.description.name,
      message: "the file \(path) is already open in this process (descriptor \(descriptor)), through other code",
      remedy: """
        Close it there first: when that code closes the file, this engine would lose its locks on it. Or migrate the \
        connection that is open, with `borrowing(_:)`, or open the file with the library that has it open.
        """)
  }

  /// Closes a rejected connection, once nothing else has its file open.
  private static func closeRefused(_ file: FileIdentity, in state: inout State) {
    var descriptor: Int32 = -1
    guard let refused = state.refused[file],
      csqlite_count_descriptors(file.device, file.inode, &descriptor) <= 1
    else { return }
    state.refused[file] = nil
    // Closing fails only if there are statements, and this connection has none.
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
  static func beingConverted(_ path: String, _ library: EngineLibrary) -> DatabaseError {
    DatabaseError(
      .beingConverted, engine: library.description.name,
      message: "\(path) is being converted (its encryption, key or format is changing)",
      remedy: "Try again later, or set a longer busy timeout.")
  }

  static func replaced(_ path: String, _ library: EngineLibrary) -> DatabaseError {
    DatabaseError(
      .fileReplaced, engine: library.description.name,
      message: "the file \(path) was replaced while it was being opened",
      remedy: "Try again.")
  }
}
