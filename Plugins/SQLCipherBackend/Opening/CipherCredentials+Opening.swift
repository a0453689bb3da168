internal import Migrator
internal import SQLiteEngine

extension CipherCredentials {
  /// Opens an encrypted file with the key itself, or with a key derived from a passphrase earlier; if the file is the
  /// cause of a failure, the error describes its state.
  func open(_ path: String, _ options: ConnectionOptions) throws(DatabaseError) -> EngineConnection {
    do throws(DatabaseError) {
      return try openUndiagnosed(path, options)
    } catch {
      throw diagnosed(error, path)
    }
  }

  private func openUndiagnosed(_ path: String, _ options: ConnectionOptions) throws(DatabaseError) -> EngineConnection {
    guard sharesDerivedKeys, canDerive else { return try open(path, options, derives: false) }
    do throws(DatabaseError) {
      return try open(path, options, derives: true)
    } catch {
      // The file may have been replaced after its salt was read, or the engine may derive keys differently than it
      // reports. Let the engine derive the key itself.
      guard error.condition == .wrongKey || error.condition == .unsupported else { throw error }
      return try open(path, options, derives: false)
    }
  }

  private func open(
    _ path: String, _ options: ConnectionOptions, derives: Bool
  ) throws(DatabaseError) -> EngineConnection {
    let opener = EngineOpener(library: library, place: .file(path), options: options) {
      (connection: EngineConnection) throws(DatabaseError) in
      try settings.refuseOtherHeader(of: connection, path: path)
      try self.unlock(connection, derives: derives)
      try Self.keepTemporariesInMemory(connection)
    }
    return try opener.open()
  }

  /// Returns the error with a diagnosis of the file, made without changing it: users need to know whether the key was
  /// wrong.
  private func diagnosed(_ error: DatabaseError, _ path: String) -> DatabaseError {
    guard [.wrongKey, .notADatabase, .plaintextDatabase, .corrupt].contains(error.condition) else { return error }
    // If the diagnosis fails, the error stays unchanged.
    let examination = CipherExamination(path: path, library: library, checksPages: false)
    guard let diagnosis = try? examination.run({ self }) else { return error }
    var error = error
    error.diagnosis = diagnosis
    // The file may have become readable in the meantime; then there is nothing to add.
    if let remedy = diagnosis.remedy { error.remedy = remedy }
    return error
  }
}
