import Migrator
import SQLCipherBackend
import SQLiteBackend
import TestEngines

@testable import SQLiteEngine

/// A backend whose connections are opened by one owner each, who lends it to the driver at once.
struct LentBackend: DatabaseBackend {
  /// Opens the owner's connections.
  let base: any DatabaseBackend
  let family: EngineFamily

  init(_ base: any DatabaseBackend, of engine: TestEngine) {
    self.base = base
    family = engine.isEncrypted ? .sqlCipher : .sqlite
  }

  var label: String { base.label }
  var isShared: Bool { base.isShared }

  func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    let owner = try Owner(base, options)
    let lent = try BorrowedBackend(owner.handle.database, of: family, engine: .automatic, preparingScratch: nil)
      .connect(options)
    (lent as? EngineConnection)?.keepUntilClosed(owner)
    return lent
  }

  func scratch() throws(DatabaseError) -> any DatabaseBackend {
    let owner = try Owner(base.scratch(), ConnectionOptions())
    return try BorrowedBackend(owner.handle.database, of: family, engine: .automatic, preparingScratch: nil).scratch()
  }
}

/// The owner of a connection, which is closed when the loan has ended.
///
/// `@unchecked Sendable` is right because nothing of it is used but its end.
private final class Owner: @unchecked Sendable {
  private let connection: EngineConnection
  let handle: EngineHandle

  init(_ backend: any DatabaseBackend, _ options: ConnectionOptions) throws(DatabaseError) {
    guard let connection = try backend.connect(options) as? EngineConnection, let handle = connection.handle else {
      throw DatabaseError(.other, engine: "", message: "not an engine of this process")
    }
    self.connection = connection
    self.handle = handle
  }

  deinit { try? connection.close() }
}
