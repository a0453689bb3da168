#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
public import Migrator

/// A backend to be checked, with a closure that creates its databases at new locations.
public struct BackendUnderTest: Sendable {
  /// The backend's name for messages.
  public let name: String
  /// A folder for the databases; the caller creates and removes it.
  public let folder: String
  /// Whether the locations passed to ``makeBackend`` are file paths, so that rules about files apply.
  public let locationsAreFiles: Bool

  /// The closure that creates a backend for a location, or for nil one whose databases last only as long as their
  /// connection.
  ///
  /// Two backends created for one location open the same database. The location is new: nothing exists there until a
  /// connection is opened. For nil, a backend without such databases throws ``DatabaseError`` as `unsupported`.
  public let makeBackend: @Sendable (String?) throws -> any DatabaseBackend

  /// The closure that creates a backend with a key that does not open the databases of ``makeBackend``; nil without
  /// keys.
  public var makeBackendWithAnotherKey: (@Sendable (String) throws -> any DatabaseBackend)?
  /// Texts that must never appear in labels, descriptions and errors, such as keys.
  public var secrets: [String] = []

  /// Describes a backend.
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
  /// Returns a location without a database; a file path is in a separate, empty folder.
  func newLocation(named name: String = "database.db") throws -> String {
    let folder = "\(folder)/\(UUID().uuidString)"
    if locationsAreFiles {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    return "\(folder)/\(name)"
  }

  func newBackend() throws -> any DatabaseBackend { try makeBackend(newLocation()) }

  func withConnection(
    _ options: ConnectionOptions = ConnectionOptions(), _ body: (any DatabaseConnection) throws -> Void
  ) throws {
    try newBackend().withConnection(options, body)
  }

  func withTwoConnections(
    _ options: ConnectionOptions = .impatient,
    _ body: (_ first: any DatabaseConnection, _ second: any DatabaseConnection) throws -> Void
  ) throws {
    let backend = try newBackend()
    try backend.withConnection(options) { first in
      try backend.withConnection(options) { second in try body(first, second) }
    }
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
      // An error of the body is more useful than a failure to close afterwards.
      try? connection.close()
      throw error
    }
    try connection.close()
    return value
  }
}

extension ConnectionOptions {
  /// Options without enforcement of foreign keys, as for migrations that alter tables.
  static var withoutForeignKeys: ConnectionOptions { ConnectionOptions(enforcesForeignKeys: false) }
  static var impatient: ConnectionOptions { ConnectionOptions(busyTimeout: .zero) }

  func journal(_ mode: JournalMode) -> ConnectionOptions {
    var options = self
    options.journalMode = mode
    return options
  }
}
