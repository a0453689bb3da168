import Foundation
import Migrator
import SQLiteBackend
import SQLCipherBackend
import SQLiteDialect
import TestEngines
import Testing

@testable import SQLiteEngine

@Suite("Libraries")
struct LibraryTests {
  @Test("All engines run side by side in one process, each with its own functions")
  func sideBySide() throws {
    let libraries = try TestEngine.allCases.map { try $0.library() }
    let connections = try TestEngine.allCases.map { try $0.connectInMemory() }
    let versions = try connections.map { try $0.text("SELECT sqlite_version()") }
    for (library, version) in zip(libraries, versions) {
      #expect(library.description.version.contains(try #require(version)))
    }
    #expect(Set(libraries.map(\.path)).count == libraries.count)
    // Two engines may contain the same version of SQLite, or be the same version of SQLCipher.
    let ciphers = connections.map { (try? $0.text("PRAGMA cipher_version")) ?? "" }
    let distinct = Set(zip(versions, ciphers).map { "\($0 ?? "") \($1)" }).count
    #expect(distinct == Set(libraries.map(\.description.version)).count && distinct > 1)
  }

  @Test("The engines match their names and report their abilities")
  func abilities() throws {
    let sqlite = try TestEngine.sqlite.engineDescription()
    #expect(sqlite.name == "SQLite")
    #expect(sqlite.abilities.isDisjoint(with: .encryption))
    for engine in TestEngine.encrypting {
      #expect(try engine.engineDescription().name == "SQLCipher")
      #expect(try engine.engineDescription().abilities.contains(.encryption))
    }
    #expect(try TestEngine.sqlCipher4.library().cipherMajorVersion == 4)
    for engine in TestEngine.allCases {
      let connection = try engine.connectInMemory()
      try connection.execute("CREATE TABLE t(a, b)")
      let attempts: [(EngineAbilities, String)] = [
        (.renameColumn, "ALTER TABLE t RENAME COLUMN a TO c"), (.dropColumn, "ALTER TABLE t DROP COLUMN b"),
        (.upsert, "INSERT INTO t DEFAULT VALUES ON CONFLICT DO NOTHING"), (.returning, "DELETE FROM t RETURNING 1"),
        (.strictTables, "CREATE TABLE s(a INTEGER) STRICT"), (.generatedColumns, "CREATE TABLE g(a, b AS (a))"),
        (.windowFunctions, "SELECT row_number() OVER () FROM t"),
      ]
      for (ability, sql) in attempts where ability != .upsert {
        let works = (try? connection.execute(sql)) != nil
        #expect(connection.engine.abilities.contains(ability) == works, "\(engine): \(sql)")
      }
      #expect(
        connection.engine.abilities.contains(.upsert)
          == ((try? connection.execute("CREATE TABLE u(a UNIQUE); INSERT INTO u VALUES (1) ON CONFLICT DO NOTHING"))
            != nil))
    }
  }

  @Test("Loading a library again returns the same one")
  func cached() throws {
    #expect(try EngineLibrary.load(.sqlite) === EngineLibrary.load(.sqlite))
    #expect(try EngineLibrary.load(.sqlite, from: .library("libsqlite3.so.0")) === EngineLibrary.load(.sqlite))
  }

  @Test("The error for a missing library lists the searched names and the package to install")
  func missing() throws {
    let family = EngineFamily(
      name: "SQLCipher", libraryNames: ["libnothing.so.1", "libnothing.so"], advice: EngineFamily.sqlCipher.advice,
      isEncrypting: true)
    let error = try databaseError { _ = try EngineLibrary.load(family) }
    #expect(error.condition == .libraryMissing)
    let packages = ["libsqlcipher2", "libsqlcipher1", "libsqlcipher0"]
    for text in ["SQLCipher", "libnothing.so.1", "libnothing.so", "Debian"] + packages {
      #expect("\(error)".contains(text))
    }
  }

  @Test("A missing library that the caller named is reported, and no other one is used")
  func missingNamed() throws {
    let folder = try TemporaryFolder()
    let backend = SQLite(path: folder.file("db"), engine: .library(folder.file("libsqlite3.so")))
    let error = try databaseError { _ = try backend.connect(ConnectionOptions()) }
    #expect(error.condition == .libraryMissing)
    #expect(error.message.contains(folder.file("libsqlite3.so")))
    #expect(try folder.names().isEmpty)
  }

  @Test("Plain SQLite is rejected where SQLCipher is required, before any file is created")
  func notSQLCipher() throws {
    let folder = try TemporaryFolder()
    let sqlite = try TestEngine.sqlite.loadablePath()
    let backend = SQLCipher(path: folder.file("db"), key: TestKey.passphrase.encryptionKey, engine: .library(sqlite))
    let error = try databaseError { _ = try backend.connect(ConnectionOptions()) }
    #expect(error.condition == .libraryUnsuitable)
    #expect(try folder.names().isEmpty)
  }

  @Test("A library that is not SQLite is rejected, and the missing functions are listed")
  func notSQLite() throws {
    // The C math library, which every machine has under this name.
    let error = try databaseError { _ = try EngineLibrary.load(.sqlite, from: .library("libm.so.6")) }
    #expect(error.condition == .libraryUnsuitable)
    #expect(error.message.contains("sqlite3_open_v2"))
  }

  @Test("SQLCipher also runs databases without encryption")
  func plainThroughSQLCipher() throws {
    let folder = try TemporaryFolder()
    let library = try TestEngine.sqlCipher4.loadablePath()
    let connection = try SQLite(path: folder.file("db"), engine: .library(library)).connect(ConnectionOptions())
    try connection.setUserVersion(3)
    try connection.close()
    #expect(try TestEngine.sqlite.connect(folder.file("db")).userVersion() == 3)
  }

  @Test("A SQLite that exports functions for keys, as Apple's does, gets no key and no guard")
  func keysWithoutEncryption() throws {
    let folder = try TemporaryFolder()
    let functions = """
      #include <stdlib.h>
      int sqlite3_key_v2(void *database, const char *schema, const void *key, int count) {
        setenv("MIGRATOR_TEST_KEY_FUNCTION", "called", 1);
        return 0;
      }
      int sqlite3_rekey_v2(void *database, const char *schema, const void *key, int count) { return 0; }
      """
    try folder.write(functions.utf8, to: "keys.c")
    let archive = "-Wl,--whole-archive -l:libsqlite3.a -Wl,--no-whole-archive -lm"
    try ShellScript.run(
      "clang -w -fPIC -shared keys.c -o engine.so -Wl,-Bsymbolic \(archive)", in: folder.path)
    let engine = EngineSource.library(folder.file("engine.so"))
    let library = try EngineLibrary.load(.sqlite, from: engine)
    #expect(library.description.name == "SQLite" && library.path == folder.file("engine.so"))
    // The guard uses a library with a key first.
    #expect(getenv("MIGRATOR_TEST_KEY_FUNCTION") == nil)
    let error = try databaseError { _ = try EngineLibrary.load(.sqlCipher, from: engine) }
    #expect(error.condition == .libraryUnsuitable && error.message.contains("without encryption"))
  }

  // MARK: Linked engines

  @Test("A linked engine is a copy of its own, and the same one each time", arguments: LinkedEngine.allCases)
  func linked(engine: LinkedEngine) throws {
    let family: EngineFamily = engine == .sqlite ? .sqlite : .sqlCipher
    let library = try EngineLibrary.load(family, from: engine.source())
    #expect(try library === EngineLibrary.load(family, from: engine.source()))
    #expect(try library !== EngineLibrary.load(family))
    #expect((library.cipherVersion == nil) == (engine == .sqlite))
    #expect(library.derivesKeys)
  }

  @Test("Plain SQLite that is linked is rejected where SQLCipher is required, and what is to be linked is named")
  func linkedWithoutEncryption() throws {
    let folder = try TemporaryFolder()
    let key = TestKey.passphrase.encryptionKey
    let backend = try SQLCipher(path: folder.file("db"), key: key, engine: LinkedEngine.sqlite.source())
    let error = try databaseError { _ = try backend.connect(ConnectionOptions()) }
    #expect(error.condition == .libraryUnsuitable)
    #expect(error.message.contains("the engine that is linked into the program: it is SQLite"))
    #expect(error.remedy?.contains("Link SQLCipher into the program") == true)
    #expect(try folder.names().isEmpty)
  }

  @Test(
    "A connection of an engine with hidden functions is lent by naming the engine", arguments: LinkedEngine.allCases)
  func lentLinked(engine: LinkedEngine) throws {
    let owner = try #require(engine.inMemoryBackend().connect(ConnectionOptions()) as? EngineConnection)
    let database = try #require(owner.handle).database
    let family: EngineFamily = engine == .sqlite ? .sqlite : .sqlCipher
    func lend(_ source: EngineSource) throws -> EngineConnection? {
      let backend = BorrowedBackend(database, of: family, engine: source, preparingScratch: nil)
      return try backend.connect(ConnectionOptions()) as? EngineConnection
    }
    let error = try databaseError { _ = try lend(.automatic) }
    #expect(error.condition == .libraryUnsuitable)
    #expect(error.remedy?.contains("engine:") == true)
    let other = try databaseError { _ = try lend(.library(TestEngine.sqlCipher4.loadablePath())) }
    #expect(other.condition == .libraryUnsuitable)
    let connection = try #require(try lend(engine.source()))
    #expect(try connection.text("SELECT 'x'") == "x")
    try connection.close()
    try owner.close()
  }
}
