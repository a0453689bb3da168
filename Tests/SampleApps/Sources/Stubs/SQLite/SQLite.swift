// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CSQLite3

// The part of SQLite.swift's interface that the app `Contacts` uses, with its names and signatures.

public protocol Binding {}

extension Int64: Binding {}

public final class Connection {
  public var handle: OpaquePointer { opened }

  private let opened: OpaquePointer

  public init(_ filename: String, readonly: Bool = false) throws {
    var opened: OpaquePointer?
    guard sqlite3_open(filename, &opened) == SQLITE_OK, let opened else { throw Result.error }
    self.opened = opened
  }

  deinit { sqlite3_close(opened) }

  public func execute(_ sql: String) throws {
    guard sqlite3_exec(opened, sql, nil, nil, nil) == SQLITE_OK else { throw Result.error }
  }

  public func scalar(_ sql: String) throws -> (any Binding)? {
    let statement = try Statement(self, sql)
    return sqlite3_step(statement.handle) == SQLITE_ROW ? sqlite3_column_int64(statement.handle, 0) : nil
  }
}

public final class Statement {
  let handle: OpaquePointer?

  init(_ connection: Connection, _ sql: String) throws {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(connection.handle, sql, -1, &prepared, nil) == SQLITE_OK else { throw Result.error }
    handle = prepared
  }

  deinit { sqlite3_finalize(handle) }
}

public enum Result: Error {
  case error
}
