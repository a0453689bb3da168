internal import Foundation
public import Migrator

/// A backend to check, with a closure that creates the backend for new databases.
public struct BackendUnderTest: Sendable {
  /// The backend's name, for messages.
  public let name: String
  /// The folder for the databases, which the caller creates and removes.
  public let folder: String
  /// Whether the locations passed to ``makeBackend`` are file paths, so that rules about files apply.
  public let locationsAreFiles: Bool

  /// The closure that creates a backend for a location; for nil, it creates a backend whose databases exist only as
  /// long as their connection.
  ///
  /// Two backends created for one location open the same database. The location is new: there is no database until a
  /// connection is opened. If the backend has no databases without a location, the closure throws ``DatabaseError`` as
  /// `unsupported` for nil.
  public let makeBackend: @Sendable (String?) throws -> any DatabaseBackend

  /// The closure that creates a backend with a key that does not open the databases of ``makeBackend``; nil if the
  /// backend has no keys.
  public var makeBackendWithAnotherKey: (@Sendable (String) throws -> any DatabaseBackend)?
  /// The closure that opens a connection to a new location, as an application does, and creates a backend that borrows
  /// this connection; nil if the backend cannot borrow connections.
  public var makeLentBackend: (@Sendable (String) throws -> any DatabaseBackend)?
  /// The distance between the calls that fail, one in each run, in the rules about failing calls; a number above 1 makes
  /// the check of a slow engine shorter.
  public var failureStep = 1
  /// Texts that must never appear in labels, descriptions and errors, such as keys.
  public var secrets: [String] = []

  /// Describes a backend to check.
  public init(
    name: String, folder: String, locationsAreFiles: Bool = true,
    makeBackend: @escaping @Sendable (String?) throws -> any DatabaseBackend
  ) {
    self.name = name
    self.folder = folder
    self.locationsAreFiles = locationsAreFiles
    self.makeBackend = makeBackend
  }
}

extension BackendUnderTest {
  /// Returns a location at which there is no database; if it is a file path, the folder is new and empty.
  func newLocation(named name: String = "database.db") throws -> String {
    let folder = "\(folder)/\(UUID().uuidString)"
    if locationsAreFiles {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    return "\(folder)/\(name)"
  }

  func newBackend() throws -> any DatabaseBackend { try makeBackend(newLocation()) }

  /// Opens and closes the database at a location.
  func open(_ location: String, isReadOnly: Bool = false) throws {
    try makeBackend(location).withConnection(ConnectionOptions(isReadOnly: isReadOnly)) { _ in }
  }

  func requireFiles() throws {
    try require(locationsAreFiles, orSkip: "its databases are not files")
  }
}

extension DatabaseBackend {
  func withConnection<Value>(
    _ options: ConnectionOptions = ConnectionOptions(), _ body: (any DatabaseConnection) throws -> Value
  ) throws -> Value {
    let connection = try connect(options)
    let value: Value
    do {
      value = try body(connection)
    } catch {
      // An error from the body is more useful than a subsequent failure to close.
      try? connection.close()
      throw error
    }
    try connection.close()
    return value
  }
}

extension ConnectionOptions {
  /// Options that switch off foreign key enforcement, as for migrations that alter tables.
  static var withoutForeignKeys: ConnectionOptions { ConnectionOptions(enforcesForeignKeys: false) }
  static var impatient: ConnectionOptions { ConnectionOptions(busyTimeout: .zero) }

  func journal(_ mode: JournalMode) -> ConnectionOptions {
    var options = self
    options.journalMode = mode
    return options
  }
}
