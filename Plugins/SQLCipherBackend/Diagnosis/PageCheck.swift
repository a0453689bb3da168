internal import Migrator
internal import SQLiteEngine

/// Finds the pages of a file that are not as they were written.
struct PageCheck {
  let trial: CipherTrial
  let settings: CipherSettings

  /// The damaged pages in ascending order; nil when the file's pages are not authenticated, or the means are missing.
  func damagedPages() throws(DatabaseError) -> [Int]? {
    let connection = try trial.unlocked(settings)
    guard try connection.text("PRAGMA cipher_use_hmac") == "1" else { return nil }
    guard connection.library.cipherMajorVersion ?? 0 < 4 else { return try pagesByEngine(connection) }
    return try pagesByHand(connection)
  }

  /// SQLCipher 4 does it itself; the number stands behind the word "page" in each answer
  /// (https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_integrity_check).
  private func pagesByEngine(_ connection: EngineConnection) throws(DatabaseError) -> [Int] {
    let answers = try connection.texts("PRAGMA cipher_integrity_check")
    let pages = answers.compactMap { answer -> Int? in
      let words = answer.split(separator: " ")
      return words.firstIndex(of: "page").flatMap { Int(words[$0 + 1 < words.count ? $0 + 1 : $0]) }
    }
    // An answer of another form still means damage.
    guard pages.count == answers.count else { return Array(Set(pages)).sorted() + (pages.isEmpty ? [0] : []) }
    return Array(Set(pages)).sorted()
  }

  /// SQLCipher 3 has no such command.
  private func pagesByHand(_ connection: EngineConnection) throws(DatabaseError) -> [Int]? {
    guard let salt = try connection.fileHeader()?.salt, let key = try trial.encryptionKey(settings),
      let mask = try connection.text("PRAGMA cipher_hmac_salt_mask").flatMap({ UInt8($0, radix: 16) }),
      let iterations = try connection.integer("PRAGMA fast_kdf_iter")
    else { return nil }
    let authentication = PageAuthentication(
      hash: .sha1,
      derivation: KeyDerivation(hash: .sha1, iterations: Int(iterations), salt: salt.map { $0 ^ mask }),
      pageSizeInBytes: Int(try connection.pageSizeInBytes()),
      numbersAreBigEndian: try connection.text("PRAGMA cipher_hmac_pgno") == "be")
    return try authentication.damagedPages(of: connection, size: trial.inspection.size, key: key)
  }
}
