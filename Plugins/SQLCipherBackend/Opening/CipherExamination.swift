internal import Migrator
internal import SQLiteEngine

/// Finds out what a file is.
struct Diagnosing {
  let path: String
  let key: EncryptionKey?

  /// What is tried first.
  let settings: CipherSettings

  let library: EngineLibrary

  /// Looks at the file, and at all its pages if that is asked for.
  func perform(checksPages: Bool) throws(DatabaseError) -> CipherDiagnosis {
    let inspection: FileInspection
    do throws(DatabaseError) {
      inspection = try FileInspection(path: path, library: library)
    } catch {
      guard error.condition == .fileMissing else { throw error }
      return .missing
    }
    guard inspection.size > 0 else { return .empty }
    let start = try FileStart(inspection)
    if start.isPlaintext { return try plainDiagnosis(inspection) }
    // The smallest page has 512 bytes.
    guard inspection.size >= 512 else { return .notADatabase }
    guard let key else { return .noKey }
    try settings.check(library, form: key.form)
    let trial = CipherTrial(
      inspection: inspection, key: key, engineKey: try key.engineKey(), derivedKeys: DerivedKeys())
    for settings in [settings] + CipherCandidates(library, start, key, inspection.size).all(except: settings) {
      switch try trial.result(of: settings) {
      case .opens(let connection):
        guard checksPages else { return .encrypted(settings) }
        return try deepDiagnosis(inspection, connection, trial, settings)
      case .isCutOff: return inspection.hasJournal ? .needsRecovery : .truncated(sizeInBytes: inspection.size)
      case .fails: continue
      }
    }
    return try failureDiagnosis(trial, start, checksPages: checksPages)
  }

  /// What is said of a file whose header no key is needed for.
  private func plainDiagnosis(_ inspection: FileInspection) throws(DatabaseError) -> CipherDiagnosis {
    let connection = try inspection.connect(isKeyed: false)
    do throws(DatabaseError) {
      _ = try connection.integer("SELECT count(*) FROM sqlite_master")
      return .plaintext
    } catch {
      if inspection.hasJournal { return .needsRecovery }
      switch error.condition {
      case .corrupt:
        return try connection.opensAsDamaged() ? .truncated(sizeInBytes: inspection.size) : .damaged(pages: [1])
      case .notADatabase: return .notADatabase
      // Something else in the schema that this engine does not read, such as a newer version's words.
      default: return .plaintext
      }
    }
  }

  /// What is said of a file that the key opens, after all of it was read.
  private func deepDiagnosis(
    _ inspection: FileInspection, _ connection: EngineConnection, _ trial: CipherTrial, _ settings: CipherSettings
  ) throws(DatabaseError) -> CipherDiagnosis {
    let isWhole = try inspection.size % Int64(connection.pageSizeInBytes()) == 0
    let damaged = isWhole ? try PageCheck(trial: trial, settings: settings).damagedPages() ?? [] : []
    if isWhole, damaged.isEmpty { return .encrypted(settings) }
    if inspection.hasJournal { return .needsRecovery }
    return isWhole ? .damaged(pages: damaged) : .truncated(sizeInBytes: inspection.size)
  }

  /// What is said of a file that the key does not open.
  private func failureDiagnosis(
    _ trial: CipherTrial, _ start: FileStart, checksPages: Bool
  ) throws(DatabaseError) -> CipherDiagnosis {
    let size = trial.inspection.size
    if checksPages {
      // Where other pages are authentic, key and settings are right, and it is the first one that is damaged.
      for settings in [settings, CipherSettings(compatibility: 3)] {
        guard let damaged = try PageCheck(trial: trial, settings: settings).damagedPages() else { continue }
        let page = try trial.pageSizeInBytes(settings)
        if damaged.count < Int((size + page - 1) / page) { return .damaged(pages: damaged) }
      }
    }
    if size % 512 != 0 { return .truncated(sizeInBytes: size) }
    return start.looksRandom ? .wrongKeyOrDamagedFirstPage : .notADatabase
  }
}

extension EngineConnection {
  /// Whether the database can be read when the engine is told to put up with damage: its first page is readable then, and
  /// what it said of the rest was wrong.
  ///
  /// https://www.sqlite.org/pragma.html#pragma_writable_schema
  func opensAsDamaged() throws(DatabaseError) -> Bool {
    try execute("PRAGMA writable_schema = 1")
    do throws(DatabaseError) {
      _ = try integer("SELECT count(*) FROM sqlite_master")
      return true
    } catch {
      return error.condition != .corrupt && error.condition != .wrongKey && error.condition != .notADatabase
    }
  }

  /// The size of a page as the cipher has it.
  func pageSizeInBytes() throws(DatabaseError) -> Int64 { try integer("PRAGMA cipher_page_size") ?? 4096 }
}
