public import Migrator

extension DatabaseQueue {
  /// Opens a database without encryption, and creates the file when there is none and it may be written.
  ///
  /// - Parameters:
  ///   - path: The file; `:memory:` for a database in memory.
  ///   - configuration: How it is opened and used.
  /// - Throws: ``DatabaseError``, as `.notADatabase` when the file is encrypted; see ``SQLite/connect(_:)``.
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    try self.init(SQLite(path: path), configuration: configuration)
  }

  /// Opens a new database in memory, gone when the queue is closed.
  ///
  /// - Throws: ``DatabaseError``, for instance when SQLite's library is not there.
  public convenience init(configuration: Configuration = Configuration()) throws {
    try self.init(SQLite.inMemory, configuration: configuration)
  }
}

extension DatabasePool {
  /// Opens a database without encryption, and creates the file when there is none and it may be written.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - configuration: How it is opened and used.
  /// - Throws: ``DatabaseError``, as `.unsupported` for the path `:memory:`, and as `.notADatabase` when the file is
  ///   encrypted; see ``SQLite/connect(_:)``.
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    try self.init(SQLite(path: path), configuration: configuration)
  }
}
