/// The beginning of a database file, and whether it is that of an unencrypted database.
package enum FirstPage {
  /// The number of bytes that decide: the size of the smallest page (https://www.sqlite.org/fileformat2.html).
  package static let sizeInBytes = 512

  /// Returns whether a file with these first bytes begins with the header of a SQLite file that is not encrypted.
  ///
  /// The bytes reserved at the end of each page (byte 20) prove nothing by themselves: Apple's SQLite reserves 12, and the
  /// checksum layer 8 (https://www.sqlite.org/cksumvfs.html). SQLCipher with a plaintext header reserves a multiple of 16
  /// and encrypts the page from byte 16 to 96 on (https://www.zetetic.net/sqlcipher/sqlcipher-api/).
  ///
  /// - Parameter bytes: The first ``sizeInBytes`` bytes, or all of a shorter file.
  package static func isPlain(_ bytes: some Collection<UInt8>) -> Bool {
    guard hasReadableHeader(bytes) else { return false }
    guard let reserved = bytes.dropFirst(20).first, reserved != 0 else { return true }
    // These bytes are the same in all files; a plaintext header of 16 bytes ends before them.
    guard bytes.dropFirst(21).starts(with: [64, 32, 32]) else { return false }
    guard reserved.isMultiple(of: 16) else { return true }
    return !looksRandom(bytes.prefix(sizeInBytes).dropFirst(96))
  }

  /// Returns whether a file begins with the header of an unencrypted database, or of one with a plaintext header.
  package static func hasReadableHeader(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: "SQLite format 3\u{0}".utf8)
  }

  /// Returns whether bytes look as random as those of an encrypted page.
  ///
  /// 512 random bytes have 221 different values, plus or minus 10, and 416 have 206; text, numbers and padding have far fewer.
  package static func looksRandom(_ bytes: some Collection<UInt8>) -> Bool { Set(bytes).count > 160 }
}
