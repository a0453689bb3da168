internal import Migrator
internal import SQLiteEngine

extension CipherCredentials {
  /// Opens an encrypted file, if possible with a key that was derived from the passphrase earlier.
  ///
  /// If the file is the cause of a failure, the error describes the state of the file.
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
      // The file may have been replaced after its salt was read, or the engine may derive keys in another way than it
      // reports: let the engine derive the key.
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

  /// Returns the error with a diagnosis of the file, made without changing the file: users need to know whether the
  /// key was wrong.
  private func diagnosed(_ error: DatabaseError, _ path: String) -> DatabaseError {
    guard [.wrongKey, .notADatabase, .plaintextDatabase, .corrupt].contains(error.condition) else { return error }
    // If the diagnosis fails, the error is returned unchanged.
    let examination = CipherExamination(path: path, library: library, checksPages: false)
    guard let diagnosis = try? examination.run({ self }) else { return error }
    var error = error
    error.diagnosis = diagnosis
    // If the file has become readable in the meantime, the diagnosis adds nothing.
    if let remedy = diagnosis.remedy { error.remedy = (newerFileRemedy(diagnosis) ?? "") + remedy }
    return error
  }

  /// Returns advice for a file that a newer SQLCipher may have created, and that this library therefore cannot open
  /// with any settings.
  ///
  /// Nil if the library is new enough, or if the diagnosis found another cause.
  private func newerFileRemedy(_ diagnosis: CipherDiagnosis) -> String? {
    let major = library.cipherMajorVersion ?? 4
    guard diagnosis == .wrongKeyOrDamagedFirstPage, major < 4 else { return nil }
    let version = library.description.version.prefix { $0 != " " }
    return "SQLCipher \(version) cannot open files that SQLCipher \(major + 1) or later created: if one did, use its "
      + "library. "
  }
}
