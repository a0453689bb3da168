internal import Dispatch
internal import Migrator
internal import SQLiteDialect
internal import SQLiteEngine

/// A conversion of a database file, as requested by the caller.
///
/// Even a new passphrase is set by a conversion rather than `PRAGMA rekey`, which takes longer and rewrites the only
/// copy of the data. The pragma also reports success even if it failed; the next write then destroys the file
/// (https://www.zetetic.net/sqlcipher/sqlcipher-api/#rekey).
struct CipherConversion: Sendable {
  enum Change: Sendable {
    case encrypt(EncryptionKey, CipherSettings)
    case decrypt(EncryptionKey, CipherSettings)
    case rekey(from: EncryptionKey, to: EncryptionKey, CipherSettings)
    /// Changes the settings of an encrypted database; if `from` is nil, tries the formats that the library supports.
    case upgrade(EncryptionKey, from: CipherSettings?, to: CipherSettings)
  }

  let path: String
  let change: Change
  let options: ConversionOptions

  init(_ path: String, _ change: Change, _ options: ConversionOptions) {
    self.path = path
    self.change = change
    self.options = options
  }

  /// Converts the file on the current thread; stops if the current task is canceled.
  func run() throws -> ConversionOutcome { try run { Task.isCancelled } }

  /// Converts the file on another thread, since a conversion blocks its thread, and key providers may block it, too.
  func runAside() async throws -> ConversionOutcome {
    let isCancelled = Lock(false)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(with: Result { try run { isCancelled.withLock { $0 } } })
        }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  private func run(isCancelled: @escaping () -> Bool) throws -> ConversionOutcome {
    // Requests the keys first: without them, no file is opened.
    let (sources, target) = try forms()
    let library = try EngineLibrary.load(.sqlCipher, from: options.engine)
    let reading = ConnectionOptions(isReadOnly: true, busyTimeout: options.patience, enforcesForeignKeys: false)
    if triesTargetFirst, try target.opens(path, reading) {
      try FileConversion.finish(path: path, library: library)
      return .alreadyConverted
    }
    // The last form is not tried beforehand: opening the file in it reports the error for a file of no known form.
    guard var source = sources.last else { return .alreadyConverted }
    for likely in sources.dropLast() where try likely.opens(path, reading) {
      source = likely
      break
    }
    let monitor = ConversionMonitor(report: options.progress ?? { _ in }, isCancelled: isCancelled)
    var conversion = FileConversion(path: path, library: library, from: source, to: target, monitor: monitor)
    conversion.triesTargetFirst = triesTargetFirst
    conversion.mayOpenAsBefore = (source as? CipherCredentials)?.opensFiles(of: target) ?? false
    conversion.keepsOriginal = options.keepingOriginal
    conversion.patience = options.patience
    return try conversion.run()
  }

  /// Whether a file that is already in the new form might also open in an old form.
  private var triesTargetFirst: Bool {
    switch change {
    case .encrypt, .decrypt: false
    case .rekey, .upgrade: true
    }
  }

  /// Returns the forms that the file may have, in the order in which to try them, and the new form.
  private func forms() throws(DatabaseError) -> (sources: [any FileForm], target: any FileForm) {
    switch change {
    case .encrypt(let key, let settings):
      let material = try key.material(forFileAt: path) { () throws(DatabaseError) in
        try PlaintextForm.isForm(of: path, by: options.engine)
      }
      return ([try plaintext()], try encrypted(material, settings))
    case .decrypt(let key, let settings):
      return ([try encrypted(key.material(forFileAt: path), settings)], try plaintext())
    case .rekey(let old, let new, let settings):
      let oldMaterial = try old.material(forFileAt: path)
      let newMaterial = try new.material(forFileAt: path) { () throws(DatabaseError) in true }
      return ([try encrypted(oldMaterial, settings)], try encrypted(newMaterial, settings))
    case .upgrade(let key, let old, let new):
      let material = try key.material(forFileAt: path)
      let target = try encrypted(material, new)
      if let old { return ([try encrypted(material, old)], target) }
      // The newest format comes first; the library's own settings stand for all newer formats.
      let newest = min(max(target.library.cipherMajorVersion ?? 1, 1), 4)
      var sources: [any FileForm] = []
      for version in (1...newest).reversed() {
        sources.append(try encrypted(material, CipherSettings(compatibility: version)))
      }
      return (sources, target)
    }
  }

  private func encrypted(
    _ material: KeyMaterial, _ settings: CipherSettings
  ) throws(DatabaseError) -> CipherCredentials {
    try CipherCredentials(material, settings, engine: options.engine)
  }

  private func plaintext() throws(DatabaseError) -> PlaintextForm {
    PlaintextForm(library: try EngineLibrary.load(.sqlCipher, from: options.engine))
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
