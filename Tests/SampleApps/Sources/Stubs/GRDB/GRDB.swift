// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CSQLite3

// The part of GRDB's interface that the app `Scores` uses, with GRDB's names and signatures, over one connection.

public struct DatabaseMigrator {
  public init() {}
}

public final class DatabasePool {
  private let db: Database

  public init(path: String) throws { db = try Database(path: path) }

  public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T { try updates(db) }

  public func read<T>(_ value: (Database) throws -> T) throws -> T { try value(db) }
}

public final class Database {
  public private(set) var sqliteConnection: OpaquePointer?

  init(path: String) throws {
    guard sqlite3_open(path, &sqliteConnection) == SQLITE_OK else { throw DatabaseError(db: sqliteConnection) }
  }

  deinit { sqlite3_close(sqliteConnection) }

  public func clearSchemaCache() {}

  public func notifyChanges(in region: DatabaseRegion) throws {}
}

public struct DatabaseRegion: Sendable {
  public static let fullDatabase = DatabaseRegion()
}

public struct DatabaseError: Error {
  let message: String

  init(db: OpaquePointer?) { message = String(cString: sqlite3_errmsg(db)) }
}

extension Int {
  public static func fetchOne(_ db: Database, sql: String) throws -> Int? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(db.sqliteConnection, sql, -1, &statement, nil) == SQLITE_OK else {
      throw DatabaseError(db: db.sqliteConnection)
    }
    return sqlite3_step(statement) == SQLITE_ROW ? Int(sqlite3_column_int64(statement, 0)) : nil
  }
}
