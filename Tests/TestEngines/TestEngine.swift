package import Migrator
package import SQLCipherBackend
internal import SQLiteBackend
package import SQLiteEngine

/// The engines that every test of an engine runs on.
///
/// The names are those of Debian 12. If another system's `libsqlcipher` is version 4, as in Debian 13, ``sqlCipher3`` is
/// that one; ``description`` contains the version that runs.
package enum TestEngine: String, CaseIterable, Sendable {
  /// The system's SQLite: 3.40.1 in Debian 12.
  case sqlite
  /// The system's SQLCipher: 3.4.1 in Debian 12, with SQLite 3.15.2 inside.
  case sqlCipher3 = "sqlcipher3"
  /// SQLCipher 4, which `Tools/setup` installs in the build folder.
  case sqlCipher4 = "sqlcipher4"

  /// The engines that encrypt.
  package static let encrypting: [TestEngine] = [.sqlCipher3, .sqlCipher4]

  /// Whether the system's SQLCipher is version 3: without it, the tests of what only that version does are skipped.
  package static let hasSQLCipher3 = (try? TestEngine.sqlCipher3.library().cipherMajorVersion) == 3

  /// Returns an engine that lacks an ability; nil if none does, on a system whose engines are all newer.
  package static func lacking(_ ability: EngineAbilities) -> TestEngine? {
    allCases.first { engine in (try? engine.engineDescription().abilities.isDisjoint(with: ability)) == true }
  }

  /// Whether the engine's files are encrypted.
  package var isEncrypted: Bool { self != .sqlite }

  /// Returns a backend for a file; its connections fail with an error that names `Tools/setup` when the engine is
  /// missing.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - key: The key to use; ignored by SQLite. A raw key by default, since deriving a key from a passphrase takes a tenth
  ///     of a second for each file.
  ///   - settings: The cipher's settings; ignored by SQLite.
  package func backend(
    path: String, key: TestKey = .raw, settings: CipherSettings = CipherSettings()
  ) -> any DatabaseBackend {
    guard isEncrypted else { return available(SQLite(path: path, engine: source)) }
    return available(SQLCipher(path: path, key: key.encryptionKey, settings: settings, engine: source))
  }

  /// A backend for an in-memory database.
  package var inMemoryBackend: any DatabaseBackend {
    guard isEncrypted else { return available(SQLite.inMemory(engine: source)) }
    return available(SQLCipher.inMemory(engine: source))
  }

  /// Returns a queue on a file.
  package func queue(
    path: String, key: TestKey = .raw, configuration: Configuration = Configuration()
  ) throws -> DatabaseQueue {
    try DatabaseQueue(backend(path: path, key: key), configuration: configuration)
  }

  /// Returns a queue on an in-memory database.
  package func inMemoryQueue(configuration: Configuration = Configuration()) throws -> DatabaseQueue {
    try DatabaseQueue(inMemoryBackend, configuration: configuration)
  }

  /// Returns the name and version of the engine that runs.
  ///
  /// - Throws: ``DatabaseError`` that names `Tools/setup` when the engine is missing.
  package func engineDescription() throws(DatabaseError) -> EngineDescription { try library().description }

  /// Returns the loaded library, for tests of the engine layer.
  package func library() throws(DatabaseError) -> EngineLibrary {
    do throws(DatabaseError) {
      return try EngineLibrary.load(isEncrypted ? .sqlCipher : .sqlite, from: source)
    } catch {
      throw Self.missing(error)
    }
  }

  /// The library to load; nil for the one that the system's loader finds by its usual names.
  package var libraryPath: String? { self == .sqlCipher4 ? BuiltEngines.sqlCipher4 : nil }

  /// The source of the engine's functions.
  package var source: EngineSource { EngineSource(libraryPath: libraryPath) }

  /// Returns a path for loading the library, also by a backend of another kind.
  package func loadablePath() throws(DatabaseError) -> String {
    if let libraryPath { return libraryPath }
    return try library().path
  }

  private func available(_ backend: some DatabaseBackend) -> any DatabaseBackend {
    do throws(DatabaseError) {
      _ = try library()
      return backend
    } catch {
      return MissingEngine(label: backend.label, isShared: backend.isShared, error: error)
    }
  }

  private static func missing(_ error: DatabaseError) -> DatabaseError {
    var error = error
    error.remedy = "Run Tools/setup, which installs every engine that the tests need."
    return error
  }
}

extension TestEngine: CustomStringConvertible {
  /// The engine and its version, shown with a test's name.
  package var description: String {
    do throws(DatabaseError) {
      let engine = try engineDescription()
      return "\(engine.name) \(engine.version)"
    } catch {
      return "\(rawValue) (missing: run Tools/setup)"
    }
  }
}

/// A backend that fails because its engine is not on this machine.
private struct MissingEngine: DatabaseBackend {
  let label: String
  let isShared: Bool
  let error: DatabaseError

  func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection { throw error }

  func scratch() throws(DatabaseError) -> any DatabaseBackend { throw error }
}
