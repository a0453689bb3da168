public import Migrator
internal import SQLiteEngine

extension SQLCipher {
  /// An open connection of the application to an encrypted database, to be migrated as it is.
  ///
  ///     try migrator.migrate(SQLCipher.borrowing(connection))
  ///
  /// The connection has its key already; the key is not needed here. Statements that would change how the file is
  /// encrypted are refused as `.denied`, and the databases on which migrations are tried stay in memory.
  ///
  /// - Parameters:
  ///   - connection: The engine's connection, a `sqlite3 *`. It stays open until the calls that it is lent to have
  ///     returned, and no other thread uses it meanwhile.
  ///   - library: The SQLCipher library that owns the connection, as a path or as a name that the system's loader knows; nil
  ///     for the one that does.
  ///   - preparingScratch: Is called with the connection of each empty database on which migrations are tried, to compare
  ///     schemas, and adds what the migrations need: collations, functions, modules.
  public static func borrowing(
    _ connection: OpaquePointer, library: String? = nil,
    preparingScratch: (@Sendable (_ scratch: OpaquePointer) throws -> Void)? = nil
  ) -> BorrowedDatabase {
    BorrowedDatabase(
      BorrowedBackend(connection, of: .sqlCipher, library: library, preparingScratch: preparingScratch))
  }
}
