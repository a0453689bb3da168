internal import Migrator
internal import SQLiteDialect
internal import SQLiteEngine

/// A validated key and settings, with which connections of one library can be unlocked.
struct CipherCredentials {
  let material: KeyMaterial
  /// The key in the form that SQLCipher expects.
  private let engineKey: SecretBytes
  var settings: CipherSettings
  let library: EngineLibrary
  var derivedKeys: DerivedKeys
  /// Whether connections share a derived key; if not, the engine derives a key for each connection.
  var sharesDerivedKeys = true

  /// Validates a key and settings, before any file is opened.
  init(_ material: KeyMaterial, _ settings: CipherSettings, engine: EngineSource) throws(DatabaseError) {
    self.material = material
    // The key is checked first: without a usable key, no file is opened or created.
    engineKey = try material.engineKey()
    library = try EngineLibrary.load(.sqlCipher, from: engine)
    self.settings = settings
    derivedKeys = material.derivedKeys
    try settings.check(library, form: material.form)
  }

  /// Whether this module can derive the key; if not, the engine derives it for each connection.
  var canDerive: Bool { material.form == .passphrase && library.derivesKeys }

  /// Sets the key of a connection that has not read anything yet; `derives` is whether this module, not the engine,
  /// derives the key from the passphrase.
  func unlock(_ connection: EngineConnection, derives: Bool) throws(DatabaseError) {
    try Self.silence(connection)
    if derives, let derived = try deriveKey(of: connection) {
      try connection.setKey(KeyMaterial.rawText(of: derived.key))
      try settings.apply(to: connection)
      // The passphrase must open a file that this connection may create.
      guard try CipherSettings.confirms(derived.how, connection) else {
        throw connection.error(.unsupported, "this SQLCipher derives keys differently than it reports")
      }
    } else {
      if material.form == .passphrase { derivedKeys.noteDerivation() }
      try connection.setKey(engineKey)
      try settings.apply(to: connection)
    }
  }

  func prepare(_ schema: String, attachedTo connection: EngineConnection) throws(DatabaseError) {
    try connection.setKey(engineKey, of: schema)
    try settings.apply(to: connection, schema: schema)
  }

  /// Derives the key of the file that a connection has just opened; nil if this module cannot derive it.
  ///
  /// If the file is empty, chooses the salt, which the engine then writes to the file.
  func deriveKey(of connection: EngineConnection) throws(DatabaseError) -> (how: KeyDerivation, key: SecretBytes)? {
    let salt: [UInt8]
    if let known = settings.salt {
      salt = known
    } else if let header = try connection.fileHeader() {
      guard let known = header.salt else { return nil }
      salt = known
    } else {
      // The system's random number generator is cryptographically secure:
      // https://developer.apple.com/documentation/swift/systemrandomnumbergenerator
      salt = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    }
    guard let how = try settings.derivation(salt: salt, on: connection),
      let key = derivedKeys.key(how, from: engineKey, by: library)
    else { return nil }
    return (how, key)
  }

  /// Prevents SQLCipher 4.6 and later from writing warnings to standard error; older versions ignore the setting
  /// (https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_log_level).
  static func silence(_ connection: EngineConnection) throws(DatabaseError) {
    try connection.execute("PRAGMA cipher_log_level = NONE")
  }

  /// Prevents temporary files, which SQLCipher does not encrypt (https://www.zetetic.net/sqlcipher/design/).
  ///
  /// The setting has no effect if SQLite was built with SQLITE_TEMP_STORE=0 (https://www.sqlite.org/tempfiles.html).
  static func keepTemporariesInMemory(_ connection: EngineConnection) throws(DatabaseError) {
    try connection.execute("PRAGMA temp_store = MEMORY")
    let ignores = try connection.integer("SELECT sqlite_compileoption_used('TEMP_STORE=0')") == 1
    let isInMemory = try connection.integer("PRAGMA temp_store") == 2
    guard ignores || !isInMemory else { return }
    throw connection.error(
      .libraryUnsuitable, "this SQLCipher stores temporary tables in files without encryption",
      remedy: "Use a library that was built with SQLITE_TEMP_STORE=2.")
  }
}

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

  /// Returns advice for a file that a newer SQLCipher may have created; nil if the library is new enough, or if the
  /// diagnosis found another cause.
  private func newerFileRemedy(_ diagnosis: CipherDiagnosis) -> String? {
    let major = library.cipherMajorVersion ?? 4
    guard diagnosis == .wrongKeyOrDamagedFirstPage, major < 4 else { return nil }
    let version = library.description.version.prefix { $0 != " " }
    return "SQLCipher \(version) cannot open files that SQLCipher \(major + 1) or later created: if one did, use its "
      + "library. "
  }
}

/// The form of an encrypted file: its key and settings.
extension CipherCredentials: FileForm {
  var isEncrypted: Bool { true }

  var authenticatesPages: Bool { settings.usesHMAC ?? (settings.compatibility != 1) }

  /// Whether this form can also open files of another form: true if both have the same raw key and settings, and this
  /// form specifies no salt.
  func opensFiles(of other: any FileForm) -> Bool {
    guard let other = other as? CipherCredentials, material.form == .raw, other.material.form != .passphrase,
      settings == other.settings
    else { return false }
    return material.hasRawBytes(of: other.material)
  }
}
