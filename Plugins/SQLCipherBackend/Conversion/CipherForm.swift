internal import Migrator
internal import SQLiteEngine

/// What a database file is, or is to become, as far as encryption goes.
enum CipherForm {
  /// Without encryption.
  case plaintext
  /// Encrypted, with a key and with settings.
  case encrypted(EncryptionKey, CipherSettings)

  /// How a library opens such a file, and prepares a new one.
  ///
  /// - Throws: ``DatabaseError`` as `.invalidKey`, `.unsupported` or `.misuse`, before any file is touched.
  func form(_ library: EngineLibrary, named name: String?) throws(DatabaseError) -> FileConversion.Form {
    switch self {
    case .plaintext: return Self.plaintextForm(library)
    case .encrypted(let key, let settings):
      let engineKey = try key.engineKey()
      try settings.check(library, form: key.form)
      return FileConversion.Form(
        isEncrypted: true, marksPages: settings.usesHMAC ?? (settings.compatibility != 1)
      ) { path, options throws(DatabaseError) in
        try Self.open(SQLCipher(path: path, key: key, settings: settings, library: name), options, library)
      } prepare: { connection, schema throws(DatabaseError) in
        try connection.setKey(engineKey, ofAttached: schema)
        try connection.changingEncryption { () throws(DatabaseError) in
          try settings.apply(to: connection, schema: schema)
        }
      }
    }
  }

  /// Whether what opens files of this form opens those of another one, too: the same raw key, without a salt of its own.
  func opens(_ other: CipherForm) -> Bool {
    guard case .encrypted(let key, let settings) = self, case .encrypted(let otherKey, let otherSettings) = other,
      key.form == .raw, otherKey.form != .passphrase, settings == otherSettings
    else { return false }
    return key.hasRawBytes(of: otherKey)
  }

  private static func plaintextForm(_ library: EngineLibrary) -> FileConversion.Form {
    FileConversion.Form(isEncrypted: false, marksPages: false) { path, options throws(DatabaseError) in
      let connection = try EngineOpening(library: library, place: .file(path), options: options).open()
      // What is read from a file without encryption is on its way into one with it.
      try CipherOpening.keepTemporariesInMemory(connection)
      try connection.execute("PRAGMA cipher_log_level = NONE")
      return connection
    } prepare: { original, schema throws(DatabaseError) in
      // Such a file tells the size of its pages itself, so that it may keep the original's.
      let size = try original.integer("PRAGMA main.page_size") ?? 4096
      try original.execute("PRAGMA \(schema).page_size = \(size)")
    }
  }

  private static func open(
    _ backend: SQLCipher, _ options: ConnectionOptions, _ library: EngineLibrary
  ) throws(DatabaseError) -> EngineConnection {
    let connection = try backend.connect(options)
    guard let connection = connection as? EngineConnection else {
      throw DatabaseError(
        .unsupported, engine: library.description.name, message: "the connection is none of SQLCipher's")
    }
    return connection
  }
}

extension CipherForm {
  /// The formats that the library reads, the newest first.
  static func formats(_ options: ConversionOptions) throws(DatabaseError) -> [Int] {
    let library = try EngineLibrary.load(.sqlCipher, path: options.library)
    // Newer ones of the library's own are as its settings say.
    return Array((1...min(max(library.cipherMajorVersion ?? 1, 1), 4)).reversed())
  }
}
