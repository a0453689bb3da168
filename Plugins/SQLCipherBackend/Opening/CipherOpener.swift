internal import Migrator
internal import SQLiteEngine

/// Opens an encrypted file: with the key as it is, or with the one that was derived from a passphrase before.
struct CipherOpening {
  let path: String
  let key: EncryptionKey

  /// What SQLCipher takes for the key.
  let engineKey: SecretBytes

  let settings: CipherSettings
  let library: EngineLibrary
  let options: ConnectionOptions

  /// Whether connections share a derived key; otherwise the engine derives one for each.
  let sharesDerivedKeys: Bool

  private var unlocking: CipherUnlocking {
    CipherUnlocking(
      key: key, engineKey: engineKey, settings: settings, library: library, derivedKeys: key.derivedKeys)
  }

  /// Opens the file.
  ///
  /// - Throws: ``DatabaseError``; see ``SQLCipher/connect(_:)``. Where the file is at fault, it tells what the file is.
  func open() throws(DatabaseError) -> EngineConnection {
    try settings.check(library, form: key.form)
    do throws(DatabaseError) {
      return try openUndiagnosed()
    } catch {
      throw diagnosed(error)
    }
  }

  private func openUndiagnosed() throws(DatabaseError) -> EngineConnection {
    guard sharesDerivedKeys, unlocking.canDerive else { return try open(derives: false) }
    do throws(DatabaseError) {
      return try open(derives: true)
    } catch {
      // The file may have been replaced after its salt was read, or the engine may derive its keys in another way than it
      // says. Its own way decides.
      guard error.condition == .wrongKey || error.condition == .unsupported else { throw error }
      return try open(derives: false)
    }
  }

  private func open(derives: Bool) throws(DatabaseError) -> EngineConnection {
    let unlocking = unlocking
    let keying = EngineOpening.Keying { (connection: EngineConnection) throws(DatabaseError) in
      try settings.refuseOtherHeader(of: connection, path: path)
      try unlocking.unlock(connection, derives: derives)
      try CipherUnlocking.keepTemporariesInMemory(connection)
    }
    return try EngineOpening(library: library, place: .file(path), options: options, keying: keying).open()
  }

  /// Makes sure that there are no temporary files; see ``CipherUnlocking``.
  static func keepTemporariesInMemory(_ connection: EngineConnection) throws(DatabaseError) {
    try CipherUnlocking.keepTemporariesInMemory(connection)
  }

  /// The error with what the file is, found out without changing it: an app's user needs to know whether it was the key.
  private func diagnosed(_ error: DatabaseError) -> DatabaseError {
    guard [.wrongKey, .notADatabase, .plaintextDatabase, .corrupt].contains(error.condition) else { return error }
    let diagnosing = Diagnosing(path: path, key: key, settings: settings, library: library)
    // What cannot be found out leaves the error as it was.
    guard let diagnosis = try? diagnosing.perform(checksPages: false) else { return error }
    var error = error
    error.diagnosis = diagnosis
    // The file may have become readable in the meantime; then there is nothing to add.
    if let remedy = diagnosis.remedy { error.remedy = remedy }
    return error
  }
}
