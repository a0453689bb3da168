internal import Migrator
internal import SQLiteDialect
internal import SQLiteEngine

/// An examination that determines the state of a file, and whether a key opens it, without changing the file.
struct CipherExamination {
  let path: String
  let library: EngineLibrary
  /// Whether to read and verify every page.
  let checksPages: Bool

  /// Determines the state of the file; `credentials`, called only if the file may be encrypted, returns the key and the
  /// settings to try first, or nil.
  func run(
    _ credentials: () throws(DatabaseError) -> CipherCredentials?
  ) throws(DatabaseError) -> CipherDiagnosis {
    let probe: FileProbe
    do throws(DatabaseError) {
      probe = try FileProbe(path: path, engine: library.description.name, mayCreate: false)
    } catch {
      guard error.condition == .fileMissing else { throw error }
      return .missing
    }
    guard let size = probe.size, size > 0 else { return .empty }
    let connection = try EngineOpener.inspect(probe, by: library, isKeyed: true)
    let header = try connection.fileHeader()
    if header?.isPlaintext ?? false { return try plainDiagnosis(probe, size) }
    // The smallest page size is 512 bytes.
    guard size >= 512 else { return .notADatabase }
    guard var credentials = try credentials() else { return .noKey }
    // The examination has a separate store for derived keys, since most of the keys that it derives open nothing.
    credentials.derivedKeys = DerivedKeys()
    let trial = CipherTrial(probe: probe, size: size, credentials: credentials)
    for settings in candidates(credentials, size, hasReadableHeader: header?.isReadableThoughEncrypted ?? false) {
      switch try trial.result(of: settings) {
      case .opens(let connection):
        return checksPages ? try deepDiagnosis(connection, trial, settings) : .encrypted(settings)
      case .isCutOff: return probe.hasJournal ? .needsRecovery : .truncated(sizeInBytes: size)
      case .fails: continue
      }
    }
    let first = try connection.fileBytes(at: 0, count: 512)
    let last = try connection.fileBytes(at: size - 512, count: 512)
    // Either page may be damaged so that all of its bytes are zero.
    let looksRandom = FirstPage.looksRandom(first) || FirstPage.looksRandom(last)
    return try failureDiagnosis(trial, looksRandom: looksRandom)
  }

  /// Returns the diagnosis of a file whose header can be read without a key.
  private func plainDiagnosis(_ probe: FileProbe, _ size: Int64) throws(DatabaseError) -> CipherDiagnosis {
    let connection = try EngineOpener.inspect(probe, by: library, isKeyed: false)
    do throws(DatabaseError) {
      _ = try connection.integer("SELECT count(*) FROM sqlite_master")
      return .plaintext
    } catch {
      if probe.hasJournal { return .needsRecovery }
      switch error.condition {
      case .corrupt:
        return try connection.opensAsDamaged() ? .truncated(sizeInBytes: size) : .damaged(pages: [1])
      case .notADatabase: return .notADatabase
      // The schema contains text that this engine cannot parse, such as the syntax of a newer version.
      default: return .plaintext
      }
    }
  }

  /// Returns the diagnosis of a file that the key opens; reads the whole file.
  private func deepDiagnosis(
    _ connection: EngineConnection, _ trial: CipherTrial, _ settings: CipherSettings
  ) throws(DatabaseError) -> CipherDiagnosis {
    let isWhole = try trial.size % Int64(connection.pageSizeInBytes()) == 0
    let damaged = isWhole ? try trial.damagedPages(settings) ?? [] : []
    if isWhole, damaged.isEmpty { return .encrypted(settings) }
    if trial.probe.hasJournal { return .needsRecovery }
    return isWhole ? .damaged(pages: damaged) : .truncated(sizeInBytes: trial.size)
  }

  /// Returns the diagnosis of a file that the key does not open.
  private func failureDiagnosis(_ trial: CipherTrial, looksRandom: Bool) throws(DatabaseError) -> CipherDiagnosis {
    let size = trial.size
    if checksPages {
      // If other pages are authentic, the key and settings are correct, and only the first page is damaged.
      for settings in [trial.credentials.settings, CipherSettings(compatibility: 3)] {
        guard let damaged = try trial.damagedPages(settings) else { continue }
        let page = try trial.unlocked(settings).pageSizeInBytes()
        if damaged.count < Int((size + page - 1) / page) { return .damaged(pages: damaged) }
      }
    }
    if size % 512 != 0 { return .truncated(sizeInBytes: size) }
    return looksRandom ? .wrongKeyOrDamagedFirstPage : .notADatabase
  }

  // MARK: - Candidates

  private static let pageSizes = [4096, 1024, 8192, 16384, 2048, 32768, 65536, 512]

  /// Returns the settings with which the file may have been created: first the given settings, then likely ones.
  private func candidates(
    _ credentials: CipherCredentials, _ size: Int64, hasReadableHeader: Bool
  ) -> [CipherSettings] {
    let form = credentials.material.form
    let major = library.cipherMajorVersion ?? 0
    var likely =
      [CipherSettings()] + stride(from: major - 1, through: 1, by: -1).map { CipherSettings(compatibility: $0) }
    if hasReadableHeader {
      // The file does not contain its salt: unless the key does, only the given settings can be tried.
      guard form == .rawWithSalt, major >= 4 else { return [credentials.settings] }
      likely = [32, 16, 48, 64, 80, 96].flatMap { header in
        likely.prefix(2).map { settings in
          var settings = settings
          settings.plaintextHeaderSizeInBytes = header
          return settings
        }
      }
    } else if form != .passphrase || library.derivesKeys {
      // Once the key is derived, another page size takes little time to try.
      for base in [nil, 3].filter({ $0 ?? major <= major }) {
        likely += Self.pageSizes.filter { size % Int64($0) == 0 }.map { pageSize in
          var settings = CipherSettings(compatibility: base)
          settings.pageSizeInBytes = pageSize
          return settings
        }
      }
    }
    return [credentials.settings] + likely.filter { $0 != credentials.settings }
  }
}

extension EngineConnection {
  /// Whether the database can be read if the engine ignores damage: if so, the first page is readable, and only its
  /// information about other pages is wrong (https://www.sqlite.org/pragma.html#pragma_writable_schema).
  func opensAsDamaged() throws(DatabaseError) -> Bool {
    try execute("PRAGMA writable_schema = 1")
    do throws(DatabaseError) {
      _ = try integer("SELECT count(*) FROM sqlite_master")
      return true
    } catch {
      return error.condition != .corrupt && error.condition != .wrongKey && error.condition != .notADatabase
    }
  }

  /// Returns the page size of the encrypted file in bytes.
  func pageSizeInBytes() throws(DatabaseError) -> Int64 { try integer("PRAGMA cipher_page_size") ?? 4096 }
}
