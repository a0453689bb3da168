internal import Migrator
internal import SQLiteEngine

/// Tries settings on a file, each with a connection of its own: a key and its settings count from the first read on.
struct CipherTrial {
  enum Result {
    /// The key opens the file.
    case opens(EngineConnection)
    /// The key opens the first page, which speaks of pages that are not there.
    case isCutOff
    /// The key does not open the file with these settings.
    case fails
  }

  let inspection: FileInspection
  let key: EncryptionKey
  let engineKey: SecretBytes

  /// Kept for this diagnosis only: most of them open nothing.
  let derivedKeys: DerivedKeys

  func result(of settings: CipherSettings) throws(DatabaseError) -> Result {
    let connection = try unlocked(settings)
    do throws(DatabaseError) {
      _ = try connection.integer("SELECT count(*) FROM sqlite_master")
      return .opens(connection)
    } catch {
      switch error.condition {
      case .wrongKey: return .fails
      case .corrupt:
        // With a readable header a wrong key or salt looks like this.
        if settings.plaintextHeaderSizeInBytes ?? 0 > 0 { return .fails }
        return try connection.opensAsDamaged() ? .isCutOff : .fails
      default: throw error
      }
    }
  }

  /// A connection that has the key and the settings, and has read nothing.
  func unlocked(_ settings: CipherSettings) throws(DatabaseError) -> EngineConnection {
    let unlocking = unlocking(settings)
    let connection = try inspection.connect(isKeyed: true)
    do throws(DatabaseError) {
      try unlocking.unlock(connection, derives: unlocking.canDerive)
      return connection
    } catch {
      guard error.condition == .unsupported, unlocking.canDerive else { throw error }
    }
    let other = try inspection.connect(isKeyed: true)
    try unlocking.unlock(other, derives: false)
    return other
  }

  /// The key of the encryption with these settings, its salt behind it where the file has it; nil when it is unknown.
  func encryptionKey(_ settings: CipherSettings) throws(DatabaseError) -> SecretBytes? {
    guard key.form == .passphrase else { return key.secret }
    let unlocking = unlocking(settings)
    guard unlocking.canDerive else { return nil }
    return try unlocking.deriveKey(of: try inspection.connect(isKeyed: true))?.key
  }

  /// The size of a page that these settings mean.
  func pageSizeInBytes(_ settings: CipherSettings) throws(DatabaseError) -> Int64 {
    try unlocked(settings).pageSizeInBytes()
  }

  private func unlocking(_ settings: CipherSettings) -> CipherUnlocking {
    CipherUnlocking(
      key: key, engineKey: engineKey, settings: settings, library: inspection.library, derivedKeys: derivedKeys)
  }
}
