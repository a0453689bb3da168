internal import CSQLiteLoader
package import Migrator
package import SQLiteDialect

/// A copy of SQLite or SQLCipher in this process: its functions, version and features.
///
/// A library that was loaded stays so until the process ends; loading it again returns the same object.
package final class EngineLibrary: Sendable {
  /// The name, version and abilities of the engine.
  package let description: EngineDescription
  /// The file that contains the library, as `dladdr` reports it: the program's own if the engine is linked statically.
  package let path: String
  /// SQLite's version as one number: 3040001 is 3.40.1 (https://www.sqlite.org/c3ref/libversion.html).
  package let versionNumber: Int32
  /// The features of this version of SQLite.
  package let features: SQLiteFeatures
  /// SQLCipher's version, as the library reports it, such as "4.19.0 community"; nil for plain SQLite.
  package let cipherVersion: String?
  let functions: csqlite_functions
  let optionalFunctions: csqlite_optional_functions
  /// The key derivation functions of the engine.
  let derivation: csqlite_derivation
  /// The identity of the copy: connections of one copy share the engine's list of open files.
  let copy: UInt

  init(_ library: UnsafeMutablePointer<csqlite_library>) throws(DatabaseError) {
    let table = library.pointee
    copy = table.copy
    path = String(cString: table.path)
    versionNumber = table.functions.libversion_number()
    features = SQLiteFeatures(versionNumber: Int(versionNumber))
    let version = table.functions.libversion().map { String(cString: $0) } ?? "unknown"
    // Without memory for the version, SQLCipher returns no row instead of an error. A second attempt then has the
    // memory, or ends with the error.
    if let version = try Self.cipherVersion(of: table) {
      cipherVersion = version
    } else {
      cipherVersion = try Self.cipherVersion(of: table)
    }
    // Only SQLCipher must be guarded, although other builds of SQLite also export the functions for keys.
    if cipherVersion != nil { csqlite_guard(library) }
    functions = library.pointee.functions
    optionalFunctions = library.pointee.optional
    derivation = library.pointee.derivation
    description = EngineDescription(
      name: cipherVersion == nil ? "SQLite" : "SQLCipher",
      version: cipherVersion.map { "\($0.prefix { $0 != " " }) (SQLite \(version))" } ?? version,
      abilities: Self.abilities(of: table, encrypts: cipherVersion != nil))
  }

  /// The major version of SQLCipher; nil for plain SQLite.
  package var cipherMajorVersion: Int? {
    cipherVersion.flatMap { Int($0.prefix { $0.isNumber }) }
  }

  /// Returns whether this copy of the engine opened a connection; inspects the connection without using it.
  func owns(_ database: OpaquePointer) -> Bool {
    withUnsafePointer(to: functions) { csqlite_owns($0, UnsafeRawPointer(database)) } != 0
  }

  /// Returns whether another connection of this copy has the file of `database` open; false if that is unknown.
  func sharesFile(of database: OpaquePointer) -> Bool {
    withUnsafePointer(to: functions) { csqlite_shares_file($0, database) } != 0
  }

  private static func abilities(of table: csqlite_library, encrypts: Bool) -> EngineAbilities {
    var abilities = EngineAbilities(sqliteVersionNumber: Int(table.functions.libversion_number()))
    if table.optional.error_offset != nil { abilities.insert(.errorOffsets) }
    if encrypts { abilities.insert(.encryption) }
    // See https://www.sqlite.org/compile.html; either of two compile-time options includes the module fts4.
    let isBuiltWith = { (option: String) in table.optional.compileoption_used.map { $0(option) != 0 } ?? false }
    if isBuiltWith("ENABLE_FTS3") || isBuiltWith("ENABLE_FTS4") { abilities.insert(.fts4) }
    if isBuiltWith("ENABLE_FTS5") { abilities.insert(.fts5) }
    return abilities
  }

  /// Returns the result of `PRAGMA cipher_version`, before any file is opened; nil when the library is not SQLCipher.
  ///
  /// The presence of `sqlite3_key_v2` proves nothing: in other builds of SQLite, the function may do something else or
  /// nothing (https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_version).
  private static func cipherVersion(of table: csqlite_library) throws(DatabaseError) -> String? {
    guard table.optional.key_v2 != nil, table.optional.rekey_v2 != nil else { return nil }
    func requireMemory(_ code: Int32) throws(DatabaseError) {
      guard code & 0xff == SQLITE_NOMEM else { return }
      throw DatabaseError(.outOfMemory, engine: "SQLCipher", resultCode: code, message: "out of memory")
    }
    var database: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let opened = table.functions.open_v2(":memory:", &database, flags, nil)
    // A connection must be closed even when opening it failed (https://www.sqlite.org/c3ref/open.html). The result is
    // ignored because an empty database without statements can always be closed.
    defer { _ = table.functions.close(database) }
    try requireMemory(opened)
    guard opened == SQLITE_OK else { return nil }
    var statement: OpaquePointer?
    let prepared = table.functions.prepare_v2(database, "PRAGMA cipher_version", -1, &statement, nil)
    try requireMemory(prepared)
    guard prepared == SQLITE_OK else { return nil }
    // The result repeats that of the last step.
    defer { _ = table.functions.finalize(statement) }
    let stepped = table.functions.step(statement)
    try requireMemory(stepped)
    guard stepped == SQLITE_ROW else { return nil }
    guard let text = table.functions.column_text(statement, 0) else {
      try requireMemory(SQLITE_NOMEM)
      return nil
    }
    return String(cString: text)
  }
}
