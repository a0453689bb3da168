import Migrator
import SQLiteBackend
import SQLCipherBackend
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

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
    // Two engines may contain the same version of SQLite; only one that encrypts has a version of its own.
    let ciphers = connections.map { (try? $0.text("PRAGMA cipher_version")) ?? "" }
    #expect(Set(zip(versions, ciphers).map { "\($0 ?? "") \($1)" }).count == libraries.count)
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
    #expect(try EngineLibrary.load(.sqlite, path: "libsqlite3.so.0") === EngineLibrary.load(.sqlite))
  }

  @Test("The error for a missing library lists the searched names and the package to install")
  func missing() throws {
    let family = EngineFamily(
      name: "SQLCipher", libraryNames: ["libnothing.so.1", "libnothing.so"], debianPackage: "libsqlcipher-dev",
      isEncrypting: true)
    let error = try databaseError { _ = try EngineLibrary.load(family) }
    #expect(error.condition == .libraryMissing)
    for text in ["SQLCipher", "libnothing.so.1", "libnothing.so", "apt-get install libsqlcipher-dev"] {
      #expect("\(error)".contains(text))
    }
  }

  @Test("A missing library that the caller named is reported, and no other one is used")
  func missingNamed() throws {
    let folder = try TemporaryFolder()
    let backend = SQLite(path: folder.file("db"), library: folder.file("libsqlite3.so"))
    let error = try databaseError { _ = try backend.connect(ConnectionOptions()) }
    #expect(error.condition == .libraryMissing)
    #expect(error.message.contains(folder.file("libsqlite3.so")))
    #expect(try folder.names().isEmpty)
  }

  @Test("Plain SQLite is rejected where SQLCipher is required, before any file is created")
  func notSQLCipher() throws {
    let folder = try TemporaryFolder()
    let sqlite = try TestEngine.sqlite.loadablePath()
    let backend = SQLCipher(path: folder.file("db"), key: TestKey.passphrase.encryptionKey, library: sqlite)
    let error = try databaseError { _ = try backend.connect(ConnectionOptions()) }
    #expect(error.condition == .libraryUnsuitable)
    #expect(try folder.names().isEmpty)
  }

  @Test("A library that is not SQLite is rejected, and the missing functions are listed")
  func notSQLite() throws {
    // The C math library, which every machine has under this name.
    let error = try databaseError { _ = try EngineLibrary.load(.sqlite, path: "libm.so.6") }
    #expect(error.condition == .libraryUnsuitable)
    #expect(error.message.contains("sqlite3_open_v2"))
  }

  @Test("SQLCipher also runs databases without encryption")
  func plainThroughSQLCipher() throws {
    let folder = try TemporaryFolder()
    let library = try TestEngine.sqlCipher4.loadablePath()
    let connection = try SQLite(path: folder.file("db"), library: library).connect(ConnectionOptions())
    try connection.setUserVersion(3)
    try connection.close()
    #expect(try TestEngine.sqlite.connect(folder.file("db")).userVersion() == 3)
  }
}
