internal import CSQLite
package import Migrator

/// How SQLCipher authenticates the pages of a file, to check them without it.
///
/// Behind the encrypted bytes of each page stand 16 bytes that the encryption began with, and behind them the code of both
/// and of the page's number (https://www.zetetic.net/sqlcipher/design/).
package struct PageAuthentication: Sendable {
  /// The hash of the code.
  package let hash: KeyDerivation.Hash

  /// How the key of the code is made: of the key of the encryption, by the hash that makes that one of a passphrase.
  package let derivation: KeyDerivation

  /// The size of a page in bytes.
  package let pageSizeInBytes: Int

  /// Whether the highest byte of a page's number comes first.
  package let numbersAreBigEndian: Bool

  /// How many bytes at the start of the file are not encrypted: those of the salt.
  private static let headerSizeInBytes = 16

  private static let vectorSizeInBytes = 16

  /// Describes how pages are authenticated.
  package init(
    hash: KeyDerivation.Hash, derivation: KeyDerivation, pageSizeInBytes: Int, numbersAreBigEndian: Bool
  ) {
    self.hash = hash
    self.derivation = derivation
    self.pageSizeInBytes = pageSizeInBytes
    self.numbersAreBigEndian = numbersAreBigEndian
  }

  private var codeSizeInBytes: Int {
    switch hash {
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }

  /// What a page has beside its content: in whole blocks of 16 bytes.
  private var reservedSizeInBytes: Int { (Self.vectorSizeInBytes + codeSizeInBytes + 15) / 16 * 16 }

  /// The pages of a file whose code is not theirs, in ascending order; nil when the library has no functions to tell.
  ///
  /// - Parameters:
  ///   - connection: A connection that looks at the file.
  ///   - size: The size of the file in bytes; a part of a page at its end counts as damaged.
  ///   - key: The key of the encryption: 32 bytes, and maybe others behind them.
  package func damagedPages(
    of connection: EngineConnection, size: Int64, key: SecretBytes
  ) throws(DatabaseError) -> [Int]? {
    let handle = try connection.openHandle()
    let library = connection.library
    guard let hmac = library.derivation.hmac, let digest = library.digest(hash),
      let first = key.prefix(32), let codeKey = library.deriveKey(from: first, by: derivation)
    else { return nil }
    let count = Int((size + Int64(pageSizeInBytes) - 1) / Int64(pageSizeInBytes))
    // The page that holds the bytes of the engine's locks is never written: https://www.sqlite.org/fileformat.html#lock_page
    let lockPage = 0x4000_0000 / pageSizeInBytes + 1
    var damaged: [Int] = []
    var page = [UInt8](repeating: 0, count: pageSizeInBytes)
    for number in stride(from: 1, through: count, by: 1) where number != lockPage {
      let isRead =
        withUnsafePointer(to: library.functions) { functions in
          csqlite_file_read(
            functions, handle.database, 0, &page, Int32(pageSizeInBytes), Int64(number - 1) * Int64(pageSizeInBytes))
        } == SQLITE_OK
      if !isRead || !isAuthentic(&page, number: number, key: codeKey, by: { hmac(digest, $0, 32, $1, $2, $3, $4) }) {
        damaged.append(number)
      }
    }
    return damaged
  }

  private typealias Code = (
    _ key: UnsafeRawPointer, _ data: UnsafePointer<UInt8>, _ count: Int, _ code: UnsafeMutablePointer<UInt8>,
    _ codeCount: UnsafeMutablePointer<UInt32>
  ) -> UnsafeMutablePointer<UInt8>?

  private func isAuthentic(_ page: inout [UInt8], number: Int, key: SecretBytes, by compute: Code) -> Bool {
    let codeStart = pageSizeInBytes - reservedSizeInBytes + Self.vectorSizeInBytes
    let stored = Array(page[codeStart..<(codeStart + codeSizeInBytes)])
    let start = number == 1 ? Self.headerSizeInBytes : 0
    for index in 0..<4 {
      let byte = UInt8(truncatingIfNeeded: number >> (8 * (numbersAreBigEndian ? 3 - index : index)))
      page[codeStart + index] = byte
    }
    var code = [UInt8](repeating: 0, count: 64)
    var codeCount: UInt32 = 0
    let isDone = page.withUnsafeBufferPointer { bytes -> Bool in
      guard let data = bytes.baseAddress else { return false }
      return key.withBytes { key in
        guard let key = key.baseAddress else { return false }
        return compute(key, data + start, codeStart + 4 - start, &code, &codeCount) != nil
      }
    }
    return isDone && Int(codeCount) == stored.count && code.prefix(stored.count).elementsEqual(stored)
  }
}
