import Migrator
import SQLCipherBackend
import SQLiteBackend

/// The samples of "On iOS".
enum OnIOS {
  static func opened(_ migrator: DatabaseMigrator, path: String) throws -> DatabaseQueue? {
    // sample
    var configuration = Configuration()
    configuration.readonly = true
    let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
    let isReady = try dbQueue.read { db in
      try migrator.hasCompletedMigrations(db) && !migrator.hasBeenSuperseded(db)
    }
    return isReady ? dbQueue : nil
    // end of sample
  }

  @MainActor
  static func migrate(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) async throws {
    // sample
    let migration = Task { try await migrator.migrate(dbQueue) }
    let task = UIApplication.shared.beginBackgroundTask { migration.cancel() }
    defer { UIApplication.shared.endBackgroundTask(task) }
    try await migration.value
    // end of sample
  }

  enum KeychainItem {
    case found([UInt8])
    case locked
    case missing
  }

  static func credentials(
    _ readKeychain: @escaping @Sendable () -> KeychainItem
  ) -> (settings: CipherSettings, key: EncryptionKey) {
    // sample
    var settings = CipherSettings()
    settings.plaintextHeaderSizeInBytes = 32
    let key = EncryptionKey.provided { request in
      switch readKeychain() {
      case .found(let keyAndSalt): return .key(.rawWithSalt(keyAndSalt))
      case .locked: return .notAvailableNow(reason: "the device was not unlocked since it started")
      case .missing where request.databaseExists: return .missing
      case .missing: return .notAvailableNow(reason: "the app has not created a key yet")
      }
    }
    // end of sample
    return (settings, key)
  }
}

/// A stand-in for UIKit's class; its time runs out when a test says so.
@MainActor
final class UIApplication {
  static let shared = UIApplication()

  private(set) var handlers: [Int: @MainActor @Sendable () -> Void] = [:]
  private var lastTask = 0

  func beginBackgroundTask(expirationHandler: (@MainActor @Sendable () -> Void)? = nil) -> Int {
    lastTask += 1
    handlers[lastTask] = expirationHandler
    return lastTask
  }

  func endBackgroundTask(_ task: Int) { handlers[task] = nil }
}
