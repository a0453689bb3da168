internal import Migrator
internal import SQLiteDialect
internal import SQLiteEngine

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

/// The form of an unencrypted file, which SQLCipher opens.
struct PlaintextForm: FileForm {
  let library: EngineLibrary

  var isEncrypted: Bool { false }

  var authenticatesPages: Bool { false }

  func open(_ path: String, _ options: ConnectionOptions) throws(DatabaseError) -> EngineConnection {
    let connection = try EngineOpener(library: library, place: .file(path), options: options).open()
    // The content of the unencrypted file is about to be written to an encrypted file.
    try CipherCredentials.keepTemporariesInMemory(connection)
    try CipherCredentials.silence(connection)
    return connection
  }

  func prepare(_ schema: String, attachedTo original: EngineConnection) throws(DatabaseError) {
    // An unencrypted file stores its page size, so it can have the original's page size.
    let size = try original.integer("PRAGMA main.page_size") ?? 4096
    try original.execute("PRAGMA \(schema).page_size = \(size)")
  }

  /// Whether the file exists and begins like an unencrypted database.
  static func isForm(of path: String, by engine: EngineSource) throws(DatabaseError) -> Bool {
    do throws(DatabaseError) {
      let library = try EngineLibrary.load(.sqlCipher, from: engine)
      let probe = try FileProbe(path: path, engine: library.description.name, mayCreate: false)
      guard !probe.isEmpty else { return false }
      return try EngineOpener.inspect(probe, by: library, isKeyed: true).fileHeader()?.isPlaintext ?? false
    } catch {
      switch error.condition {
      // There is no such file, or another process is encrypting it at this moment.
      case .fileMissing, .beingConverted, .fileReplaced: return false
      default: throw error
      }
    }
  }
}
