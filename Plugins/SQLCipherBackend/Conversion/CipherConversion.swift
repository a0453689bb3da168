internal import Dispatch
internal import Migrator
internal import SQLiteEngine

/// A requested conversion of a file.
///
/// A new passphrase uses the same steps as every other conversion, and not `PRAGMA rekey`: that reports success even
/// when it failed, and the next write then destroys the file; it rewrites the only copy; and it takes longer
/// (https://www.zetetic.net/sqlcipher/sqlcipher-api/#rekey).
struct CipherConversion: Sendable {
  enum Change: Sendable {
    case encrypt(EncryptionKey, CipherSettings)
    case decrypt(EncryptionKey, CipherSettings)
    case rekey(from: EncryptionKey, to: EncryptionKey, CipherSettings)
    /// An encrypted database gets other settings; without the old settings, the formats of the library are tried.
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

  /// Converts on this thread, until the current task, if there is one, is canceled.
  func run() throws -> ConversionOutcome { try run { Task.isCancelled } }

  /// Converts on another thread, since a conversion blocks its thread, and key providers may do so too.
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
    // Read the keys first: without them, nothing is opened.
    let (sources, target) = try forms()
    let library = try EngineLibrary.load(.sqlCipher, path: options.library)
    let reading = ConnectionOptions(isReadOnly: true, busyTimeout: options.patience, enforcesForeignKeys: false)
    if triesTargetFirst, try target.opens(path, reading) {
      try FileConversion.finish(path: path, library: library)
      return .alreadyConverted
    }
    // Do not probe the last form: opening it reports the error for a file of no known form.
    guard var source = sources.last else { return .alreadyConverted }
    for likely in sources.dropLast() where try likely.opens(path, reading) {
      source = likely
      break
    }
    let monitor = ConversionMonitor(report: options.progress ?? { _ in }, isCancelled: isCancelled)
    var conversion = FileConversion(path: path, library: library, from: source, to: target, monitor: monitor)
    conversion.triesTargetFirst = triesTargetFirst
    conversion.mayOpenAsBefore = (source as? EncryptedForm)?.opensFiles(of: target) ?? false
    conversion.keepsOriginal = options.keepingOriginal
    conversion.patience = options.patience
    return try conversion.run()
  }

  /// Whether a file that has the new form may also open in an old one.
  private var triesTargetFirst: Bool {
    switch change {
    case .encrypt, .decrypt: false
    case .rekey, .upgrade: true
    }
  }

  /// Returns the possible forms of the file, in the order to try them, and the new form.
  private func forms() throws(DatabaseError) -> (sources: [any FileForm], target: any FileForm) {
    let isNew = { () throws(DatabaseError) in true }
    switch change {
    case .encrypt(let key, let settings):
      let material = try key.material(forFileAt: path) { () throws(DatabaseError) in
        try PlaintextForm.isForm(of: path, library: options.library)
      }
      return ([try plaintext()], try encrypted(material, settings))
    case .decrypt(let key, let settings):
      return ([try encrypted(key.material(forFileAt: path), settings)], try plaintext())
    case .rekey(let old, let new, let settings):
      let oldMaterial = try old.material(forFileAt: path)
      let newMaterial = try new.material(forFileAt: path, isNew: isNew)
      return ([try encrypted(oldMaterial, settings)], try encrypted(newMaterial, settings))
    case .upgrade(let key, let old, let new):
      let material = try key.material(forFileAt: path)
      let target = try encrypted(material, new)
      if let old { return ([try encrypted(material, old)], target) }
      // The newest first; formats newer than these match the library's own settings.
      let newest = min(max(target.credentials.library.cipherMajorVersion ?? 1, 1), 4)
      var sources: [any FileForm] = []
      for version in (1...newest).reversed() {
        sources.append(try encrypted(material, CipherSettings(compatibility: version)))
      }
      return (sources, target)
    }
  }

  private func encrypted(_ material: KeyMaterial, _ settings: CipherSettings) throws(DatabaseError) -> EncryptedForm {
    EncryptedForm(credentials: try CipherCredentials(material, settings, library: options.library))
  }

  private func plaintext() throws(DatabaseError) -> PlaintextForm {
    PlaintextForm(library: try EngineLibrary.load(.sqlCipher, path: options.library))
  }
}
