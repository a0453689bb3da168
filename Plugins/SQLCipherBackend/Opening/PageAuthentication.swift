internal import Migrator
internal import SQLiteEngine

/// The way in which SQLCipher 3 authenticates the pages of a file, to check them without it.
///
/// Behind the encrypted bytes of each page stand 16 bytes that the encryption began with, and behind them the code of
/// both and of the page's number (https://www.zetetic.net/sqlcipher/design/).
struct PageAuthentication {
  let derivation: KeyDerivation
  let pageSizeInBytes: Int
  /// Whether the highest byte of a page's number comes first.
  let numbersAreBigEndian: Bool
  /// The bytes at the start of the file that are not encrypted: those of the salt.
  private static let headerSizeInBytes = 16
  /// The bytes that the encryption of a page began with.
  private static let vectorSizeInBytes = 16
  /// The size of a code, by SHA-1.
  private static let codeSizeInBytes = 20
  /// What a page has beside its content: in whole blocks of 16 bytes.
  private static let reservedSizeInBytes = 48

  /// The pages whose code is not theirs, in ascending order, a part of a page at the end included; nil when the library
  /// lacks the functions for it.
  ///
  /// The key may have other bytes after its 32.
  func damagedPages(of connection: EngineConnection, size: Int64, key: SecretBytes) throws(DatabaseError) -> [Int]? {
    let library = connection.library
    guard let first = key.prefix(32), let codeKey = library.deriveKey(from: first, by: derivation),
      library.authenticationCode(of: [0], by: .sha1, key: codeKey) != nil
    else { return nil }
    let count = Int((size + Int64(pageSizeInBytes) - 1) / Int64(pageSizeInBytes))
    // The page that holds the bytes of the engine's locks is never written: https://www.sqlite.org/fileformat.html#lock_page
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
