package import Migrator
internal import SQLCipherBackend
internal import SQLiteBackend

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A connection that an application has opened by itself, with the engine's own functions.
package final class AppConnection {
  /// The engine that runs it.
  package let engine: TestEngine
  /// The engine's connection.
  package let pointer: OpaquePointer
  /// The library that the functions are looked up in.
  private let library: UnsafeMutableRawPointer
  private var isOpen = true

  /// An error of a function of the engine's.
  package struct Failure: Error, CustomStringConvertible {
    /// The result of the function.
    package let code: Int32
    /// The function and the engine's message.
    package let description: String

    /// Creates an error.
    package init(code: Int32, description: String) {
      self.code = code
      self.description = description
    }
  }

  /// Opens a file or a database in memory; an encrypting engine gets ``TestKey/raw`` for a file.
  ///
  /// - Parameter isKeyed: Whether the key is given, where the engine encrypts.
  package init(_ engine: TestEngine, path: String = ":memory:", isKeyed: Bool = true) throws {
    self.engine = engine
    guard let library = dlopen(try engine.loadablePath(), RTLD_LAZY | RTLD_LOCAL) else {
      throw Failure(code: 0, description: "dlopen")
    }
    self.library = library
    typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32
    var opened: OpaquePointer?
    let code = Self.function("sqlite3_open", in: library, as: Open.self)(path, &opened)
    guard code == 0, let opened else { throw Failure(code: code, description: "sqlite3_open") }
    pointer = opened
    guard engine.isEncrypted, isKeyed, path != ":memory:" else { return }
    typealias Key = @convention(c) (OpaquePointer, UnsafeRawPointer, Int32) -> Int32
    let key = Array("x'\(TestKey.rawText)'".utf8)
    let keyed = function("sqlite3_key", as: Key.self)(pointer, key, Int32(key.count))
    guard keyed == 0 else { throw Failure(code: keyed, description: "sqlite3_key") }
  }

  deinit { close() }

  /// Closes the connection and returns the engine's result.
  @discardableResult
  package func close() -> Int32 {
    guard isOpen else { return 0 }
    isOpen = false
    return function("sqlite3_close", as: (@convention(c) (OpaquePointer) -> Int32).self)(pointer)
  }

  /// A function of the engine's, by its name; its type is the caller's to get right.
  package func function<Function>(_ name: String, as type: Function.Type) -> Function {
    Self.function(name, in: library, as: type)
  }

  /// Whether the engine has a function.
  package func hasFunction(_ name: String) -> Bool { dlsym(library, name) != nil }

  private static func function<Function>(
    _ name: String, in library: UnsafeMutableRawPointer, as type: Function.Type
  ) -> Function {
    guard let symbol = dlsym(library, name) else { preconditionFailure("The engine has no function \(name).") }
    return unsafeBitCast(symbol, to: type)
  }

  /// The connection as it is lent to a migrator.
  package func borrowed(
    preparingScratch: (@Sendable (OpaquePointer) throws -> Void)? = nil
  ) -> BorrowedDatabase {
    engine.isEncrypted
      ? SQLCipher.borrowing(pointer, preparingScratch: preparingScratch)
      : SQLite.borrowing(pointer, preparingScratch: preparingScratch)
  }

  // MARK: Statements

  private typealias Prepare =
    @convention(c) (
      OpaquePointer, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>, OpaquePointer?
    ) -> Int32
  private typealias StatementCall = @convention(c) (OpaquePointer?) -> Int32
  private typealias Text = @convention(c) (OpaquePointer, Int32) -> UnsafePointer<UInt8>?

  /// Prepares a statement, to be finalized by the caller.
  package func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    let code = function("sqlite3_prepare_v2", as: Prepare.self)(pointer, sql, -1, &statement, nil)
    guard code == 0, let statement else { throw Failure(code: code, description: "\(sql): \(message)") }
    return statement
  }

  /// Runs a statement up to its next row, and returns the engine's result: 100 for a row, 101 at the end.
  package func step(_ statement: OpaquePointer) -> Int32 {
    function("sqlite3_step", as: StatementCall.self)(statement)
  }

  /// Makes a statement ready to run again.
  package func reset(_ statement: OpaquePointer) { _ = function("sqlite3_reset", as: StatementCall.self)(statement) }

  /// Releases a statement.
  package func finalize(_ statement: OpaquePointer) {
    _ = function("sqlite3_finalize", as: StatementCall.self)(statement)
  }

  /// The first column of the current row as text; nil for NULL.
  package func text(_ statement: OpaquePointer) -> String? {
    function("sqlite3_column_text", as: Text.self)(statement, 0).map { String(cString: $0) }
  }

  /// Runs statements, one a line.
  package func execute(_ script: String) throws {
    for sql in script.split(separator: "\n") { _ = try rows(String(sql)) }
  }

  /// The first column of all rows of a query, NULL as "NULL".
  package func rows(_ sql: String) throws -> [String] {
    let statement = try prepare(sql)
    defer { finalize(statement) }
    var rows: [String] = []
    while true {
      let code = step(statement)
      if code == 101 { return rows }
      guard code == 100 else { throw Failure(code: code, description: "\(sql): \(message)") }
      rows.append(text(statement) ?? "NULL")
    }
  }

  /// The engine's message for the last error.
  package var message: String {
    String(
      cString: function("sqlite3_errmsg", as: (@convention(c) (OpaquePointer) -> UnsafePointer<CChar>).self)(pointer))
  }

  /// Whether no transaction is open.
  package var isIdle: Bool {
    function("sqlite3_get_autocommit", as: (@convention(c) (OpaquePointer) -> Int32).self)(pointer) != 0
  }
}
