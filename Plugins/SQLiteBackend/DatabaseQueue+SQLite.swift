public import Migrator

extension DatabaseQueue {
  /// Opens a database without encryption, and creates the file if it does not exist and the configuration allows
  /// writing.
  ///
  /// - Parameters:
  ///   - path: The file; `:memory:` for an in-memory database.
  ///   - configuration: The options for opening and using the database.
  /// - Throws: ``DatabaseError``, as `.notADatabase` when the file is encrypted; see ``SQLite/connect(_:)``.
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    try self.init(SQLite(path: path), configuration: configuration)
  }

  /// Opens a new in-memory database, which is discarded when the queue is closed.
  ///
  /// - Throws: ``DatabaseError``, for instance when SQLite's library is missing.
  public convenience init(configuration: Configuration = Configuration()) throws {
    try self.init(SQLite.inMemory, configuration: configuration)
  }
}

extension DatabasePool {
  /// Opens a database without encryption, and creates the file if it does not exist and the configuration allows
  /// writing.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - configuration: The options for opening and using the database.
  /// - Throws: ``DatabaseError``, as `.unsupported` for the path `:memory:`, and as `.notADatabase` when the file is
  ///   encrypted; see ``SQLite/connect(_:)``.
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    try self.init(SQLite(path: path), configuration: configuration)
  }
}
