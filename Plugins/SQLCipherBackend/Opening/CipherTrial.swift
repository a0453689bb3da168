internal import Migrator
internal import SQLiteDialect
internal import SQLiteEngine

/// The trial of a key on a file, with one set of settings after another.
///
/// Each attempt uses a separate connection, because a connection's key and settings cannot change after its first read.
struct CipherTrial {
  enum Result {
    case opens(EngineConnection)
    /// The key opens the first page, which refers to pages that are missing at the end of the file.
    case isCutOff
    case fails
  }

  let probe: FileProbe
  let size: Int64
  let credentials: CipherCredentials

  func result(of settings: CipherSettings) throws(DatabaseError) -> Result {
    let connection = try unlocked(settings)
    do throws(DatabaseError) {
      _ = try connection.integer("SELECT count(*) FROM sqlite_master")
      return .opens(connection)
    } catch {
      switch error.condition {
      case .wrongKey: return .fails
      // The key opens the file, whose definitions need a newer engine, or something that only an application has.
      case .unsupported: return .opens(connection)
      case .corrupt:
        // If the header is plaintext, a wrong key or salt has the same result.
        if settings.plaintextHeaderSizeInBytes ?? 0 > 0 { return .fails }
        return try connection.opensAsDamaged() ? .isCutOff : .fails
      default: throw error
      }
    }
  }

  /// Opens a connection and sets the key and the settings; nothing has been read yet.
  func unlocked(_ settings: CipherSettings) throws(DatabaseError) -> EngineConnection {
    let credentials = with(settings)
    let connection = try inspect()
    do throws(DatabaseError) {
      try credentials.unlock(connection, derives: credentials.canDerive)
      return connection
    } catch {
      guard error.condition == .unsupported, credentials.canDerive else { throw error }
    }
    let other = try inspect()
    try credentials.unlock(other, derives: false)
    return other
  }

  private func with(_ settings: CipherSettings) -> CipherCredentials {
    var credentials = credentials
    credentials.settings = settings
    return credentials
  }

  private func inspect() throws(DatabaseError) -> EngineConnection {
    try EngineOpener.inspect(probe, by: credentials.library, isKeyed: true)
  }

  // MARK: - Pages

  /// Returns the numbers of the damaged pages, in ascending order; nil if the file's pages are not authenticated, or if the
  /// library has no such check, as those before version 4.
  ///
  /// Each row of the engine's answer contains the page number after the word "page"
  /// (https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_integrity_check).
  func damagedPages(_ settings: CipherSettings) throws(DatabaseError) -> [Int]? {
    let connection = try unlocked(settings)
    guard connection.library.cipherMajorVersion ?? 0 >= 4, try connection.text("PRAGMA cipher_use_hmac") == "1" else {
      return nil
    }
    let answers = try connection.texts("PRAGMA cipher_integrity_check")
    let pages = answers.compactMap { answer -> Int? in
      let words = answer.split(separator: " ")
      return words.firstIndex(of: "page").flatMap { Int(words[$0 + 1 < words.count ? $0 + 1 : $0]) }
    }
    // A row in another form also means damage.
    return pages.isEmpty && !answers.isEmpty ? [0] : Set(pages).sorted()
  }
}
