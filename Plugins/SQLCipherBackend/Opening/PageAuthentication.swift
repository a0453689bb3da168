internal import Migrator
internal import SQLiteEngine

/// The page authentication of SQLCipher 3, which verifies a file's pages without the library's own check.
///
/// In each page, the encrypted bytes are followed by 16 bytes with the initialization vector (IV), and by the HMAC of
/// both and of the page number (https://www.zetetic.net/sqlcipher/design/).
struct PageAuthentication {
  let derivation: KeyDerivation
  let pageSizeInBytes: Int
  /// Whether page numbers are big-endian.
  let numbersAreBigEndian: Bool
  /// The number of unencrypted bytes at the start of the file, which are the salt.
  private static let headerSizeInBytes = 16
  /// The size of a page's initialization vector.
  private static let vectorSizeInBytes = 16
  /// The size of an HMAC with SHA-1.
  private static let codeSizeInBytes = 20
  /// The number of reserved bytes at the end of a page, in whole blocks of 16 bytes.
  private static let reservedSizeInBytes = 48

  /// Returns the numbers of the pages with a wrong HMAC, in ascending order, including an incomplete last page; nil if
  /// the library does not have the required functions.
  ///
  /// Only the first 32 bytes of the key are used.
  func damagedPages(of connection: EngineConnection, size: Int64, key: SecretBytes) throws(DatabaseError) -> [Int]? {
    let library = connection.library
    guard let first = key.prefix(32), let codeKey = library.deriveKey(from: first, by: derivation),
      library.authenticationCode(of: [0], by: .sha1, key: codeKey) != nil
    else { return nil }
    let count = Int((size + Int64(pageSizeInBytes) - 1) / Int64(pageSizeInBytes))
    // SQLite never writes the lock-byte page (https://www.sqlite.org/fileformat.html#lock_page).
    let lockPage = 0x4000_0000 / pageSizeInBytes + 1
    var damaged: [Int] = []
    for number in stride(from: 1, through: count, by: 1) where number != lockPage {
      let page = try connection.fileBytes(at: Int64(number - 1) * Int64(pageSizeInBytes), count: pageSizeInBytes)
      if page.isEmpty || !isAuthentic(page, number: number, key: codeKey, library) { damaged.append(number) }
    }
    return damaged
  }

  private func isAuthentic(_ page: [UInt8], number: Int, key: SecretBytes, _ library: EngineLibrary) -> Bool {
    var page = page
    let codeStart = pageSizeInBytes - Self.reservedSizeInBytes + Self.vectorSizeInBytes
    let stored = page[codeStart..<(codeStart + Self.codeSizeInBytes)]
    for index in 0..<4 {
      let byte = UInt8(truncatingIfNeeded: number >> (8 * (numbersAreBigEndian ? 3 - index : index)))
      page[codeStart + index] = byte
    }
    let start = number == 1 ? Self.headerSizeInBytes : 0
    let code = library.authenticationCode(of: page[start..<(codeStart + 4)], by: .sha1, key: key)
    return code.map { $0.elementsEqual(stored) } ?? false
  }
}
