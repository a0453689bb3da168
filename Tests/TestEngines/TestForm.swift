package import Migrator
package import SQLCipherBackend
internal import SQLiteBackend
internal import SQLiteEngine

/// A form of a database file: without encryption, or with a key and settings.
package struct TestForm: Sendable {
  /// The key; nil for no encryption.
  package var key: EncryptionKey?

  /// The settings of the encryption.
  package var settings = CipherSettings()

  /// Describes a form.
  package init(key: EncryptionKey?, settings: CipherSettings = CipherSettings()) {
    self.key = key
    self.settings = settings
  }

  /// Opens a connection to a file of this form, always through the library of an encrypting engine.
  package func connect(
    _ path: String, _ engine: TestEngine, patience: Duration = .zero
  ) throws(DatabaseError) -> any DatabaseConnection {
    let options = ConnectionOptions(busyTimeout: patience, enforcesForeignKeys: false)
    guard let key else {
      return try SQLite(path: path, engine: .library(engine.loadablePath())).connect(options)
    }
    return try SQLCipher(path: path, key: key, settings: settings, engine: engine.source).connect(options)
  }
}
