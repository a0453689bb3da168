internal import Migrator
internal import SQLiteEngine

extension CipherCredentials {
  /// Opens an encrypted file with the key as it is, or with the one that was derived from a passphrase before; where
  /// the file is at fault, the error says what it is.
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
      // The file may have been replaced after its salt was read, or the engine may derive its keys in another way than it
      // says. Its own way decides.
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

  /// The error with what the file is, found out without changing it: an app's user needs to know whether it was the key.
  private func diagnosed(_ error: DatabaseError, _ path: String) -> DatabaseError {
    guard [.wrongKey, .notADatabase, .plaintextDatabase, .corrupt].contains(error.condition) else { return error }
    // What cannot be found out leaves the error as it was.
    let examination = CipherExamination(path: path, library: library, checksPages: false)
    guard let diagnosis = try? examination.run({ self }) else { return error }
    var error = error
    error.diagnosis = diagnosis
    // The file may have become readable in the meantime; then there is nothing to add.
    if let remedy = diagnosis.remedy { error.remedy = remedy }
    return error
  }
}
