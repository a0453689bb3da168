#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
public import Migrator

/// A backend as the checks see it: something that makes databases at new places.
public struct BackendUnderTest: Sendable {
  /// The backend's name for people.
  public let name: String
  /// A folder for the databases; whoever made it removes it.
  public let folder: String
  /// Whether the places that ``makeBackend`` is given are paths of files, so that rules about files apply.
  public let locationsAreFiles: Bool

  /// Makes a backend for a place, or for nil one whose databases live no longer than their connection.
  ///
  /// Two backends made for one place open the same database. The place is new: nothing is there until a connection
  /// is opened. For nil, one that cannot do that throws ``DatabaseError`` as unsupported.
  public let makeBackend: @Sendable (String?) throws -> any DatabaseBackend

  /// Makes a backend with a key that does not open the databases that ``makeBackend`` makes; nil where there are no keys.
  public var makeBackendWithAnotherKey: (@Sendable (String) throws -> any DatabaseBackend)?
  /// Texts that must never be seen in labels, descriptions and errors, such as keys.
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
  /// A place where no database is; if places are files, alone in a folder of its own.
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
      // What the body threw tells more than a failure to close afterwards.
      try? connection.close()
      throw error
    }
    try connection.close()
    return value
  }
}

extension ConnectionOptions {
  /// Does not enforce foreign keys: migrations alter tables so.
  static var withoutForeignKeys: ConnectionOptions { ConnectionOptions(enforcesForeignKeys: false) }
  static var impatient: ConnectionOptions { ConnectionOptions(busyTimeout: .zero) }

  func journal(_ mode: JournalMode) -> ConnectionOptions {
    var options = self
    options.journalMode = mode
    return options
  }
}
