import Migrator
import SQLCipherBackend
import SQLiteBackend

/// The samples of the backends' pages.
enum Opening {
  static func plain(_ migrator: DatabaseMigrator, path: String) throws -> DatabaseQueue {
    // sample
    let dbQueue = try DatabaseQueue(path: path)
    try migrator.migrate(dbQueue)
    // end of sample
    return dbQueue
  }

  static func encrypted(_ migrator: DatabaseMigrator, path: String, secret: String) throws -> DatabaseQueue {
    // sample
    let dbQueue = try DatabaseQueue(path: path, key: .passphrase(secret))
    try migrator.migrate(dbQueue)
    // end of sample
    return dbQueue
  }

  enum Outcome {
    case opened(DatabaseQueue)
    case refused(String)
  }

  static func diagnosed(_ migrator: DatabaseMigrator, path: String, key: EncryptionKey) throws -> Outcome {
    // sample
    do {
      let dbQueue = try DatabaseQueue(path: path, key: key)
      try migrator.migrate(dbQueue)
      return .opened(dbQueue)
    } catch let error as DatabaseError {
      switch error.condition {
      case .wrongKey: return .refused("The key is wrong, or the file is damaged.")
      case .plaintextDatabase: return .refused("The file is not encrypted.")
      case .invalidKey: return .refused("The key is not usable.")
      default: throw error
      }
    }
    // end of sample
  }

  static func encrypting(path: String, key: EncryptionKey) throws -> ConversionOutcome {
    // sample
    let outcome = try SQLCipher.encrypt(path, key: key, options: ConversionOptions(keepingOriginal: true))
    // end of sample
    return outcome
  }

  static func upgrading(path: String, oldKey: EncryptionKey, newKey: EncryptionKey) throws {
    // sample
    try SQLCipher.rekey(path, from: oldKey, to: newKey)
    try SQLCipher.upgrade(path, key: newKey)
    // end of sample
  }

  static func converting(path: String, key: EncryptionKey) throws -> DatabaseQueue {
    // sample
    let dbQueue = try DatabaseQueue(path: path, key: key, converting: [.plaintext, .olderFormats])
    // end of sample
    return dbQueue
  }

  static func asking(path: String, storedKey: @escaping @Sendable () -> EncryptionKey?) throws -> DatabaseQueue {
    // sample
    let key = EncryptionKey.provided { request in
      if let key = storedKey() { return .key(key) }
      return request.databaseExists ? .missing : .notAvailableNow(reason: "no key was created yet")
    }
    let dbQueue = try DatabaseQueue(path: path, key: key)
    // end of sample
    return dbQueue
  }

  static func diagnosing(path: String, key: EncryptionKey) throws -> String {
    // sample
    switch try SQLCipher.diagnose(path, key: key) {
    case .plaintext: return "It is not encrypted."
    case .encrypted(let settings) where settings.compatibility == 3: return "SQLCipher 3 created it."
    case let other: return "\(other)"
    }
    // end of sample
  }
}
