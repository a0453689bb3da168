public import Migrator

extension DatabaseQueue {
  /// Opens an unencrypted database; creates the file if it does not exist and the configuration allows writing.
  ///
  /// - Parameters:
  ///   - path: The path of the file, or `:memory:` for an in-memory database.
  ///   - engine: The SQLite that runs the database; see ``SQLite/init(path:engine:)``.
  ///   - configuration: The options for opening and using the database.
  /// - Throws: ``DatabaseError``, as `.notADatabase` when the file is encrypted; see ``SQLite/connect(_:)``.
  public convenience init(
    path: String, engine: EngineSource = .automatic, configuration: Configuration = Configuration()
  ) throws {
    try self.init(SQLite(path: path, engine: engine), configuration: configuration)
  }

  /// Opens a new in-memory database, which is lost when the queue is closed.
  ///
  /// - Throws: ``DatabaseError``, for example when the SQLite library is missing.
  public convenience init(
    engine: EngineSource = .automatic, configuration: Configuration = Configuration()
  ) throws {
    try self.init(SQLite.inMemory(engine: engine), configuration: configuration)
  }
}

extension DatabasePool {
  /// Opens an unencrypted database; creates the file if it does not exist and the configuration allows writing.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - engine: The SQLite that runs the database; see ``SQLite/init(path:engine:)``.
  ///   - configuration: The options for opening and using the database.
  /// - Throws: ``DatabaseError``, as `.unsupported` for the path `:memory:`, and as `.notADatabase` when the file is
  ///   encrypted; see ``SQLite/connect(_:)``.
  public convenience init(
    path: String, engine: EngineSource = .automatic, configuration: Configuration = Configuration()
  ) throws {
    try self.init(SQLite(path: path, engine: engine), configuration: configuration)
  }
}
