/// The beginning of a database file, and whether it is that of an unencrypted database.
package enum FirstPage {
  /// The number of bytes that decide: the size of the smallest page (https://www.sqlite.org/fileformat2.html).
  package static let sizeInBytes = 512

  /// Returns whether a file with these first bytes begins with the header of a SQLite file that is not encrypted.
  ///
  /// The bytes reserved at the end of each page (byte 20) prove nothing by themselves: Apple's SQLite reserves 12, and the
  /// checksum layer 8 (https://www.sqlite.org/cksumvfs.html). SQLCipher with a plaintext header reserves a multiple of 16
  /// and encrypts the page from byte 16 to 96 on (https://www.zetetic.net/sqlcipher/sqlcipher-api/).
  package static func isPlain(_ bytes: some Collection<UInt8>) -> Bool {
    guard hasReadableHeader(bytes) else { return false }
    let bytes = Array(bytes.prefix(sizeInBytes))
    // These bytes are the same in all files; a plaintext header of 16 bytes ends before them.
    if bytes.dropFirst(21).starts(with: [64, 32, 32]) {
      guard bytes[20] != 0, bytes[20].isMultiple(of: 16) else { return true }
    }
    // Either is enough: the text of a schema may look random, and a damaged page may be no tree.
    return beginsTree(bytes) || !looksRandom(bytes.dropFirst(96))
  }

  /// Returns whether a file begins with the header of an unencrypted database, or of one with a plaintext header.
  package static func hasReadableHeader(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: "SQLite format 3\u{0}".utf8)
  }

  /// Returns whether bytes look as random as those of an encrypted page.
  ///
  /// 512 random bytes have 221 different values, plus or minus 10, and 416 have 206; text, numbers and padding have far fewer.
  package static func looksRandom(_ bytes: some Collection<UInt8>) -> Bool { Set(bytes).count > 160 }

  /// Returns whether the schema's tree begins at byte 100 (https://www.sqlite.org/fileformat2.html#b_tree_pages).
  ///
  /// Tests its kind, the number of its cells, and their places within the page: fewer than one in a million encrypted pages
  /// pass.
  private static func beginsTree(_ bytes: [UInt8]) -> Bool {
    func number(at offset: Int) -> Int { Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }
    let isInterior = bytes.dropFirst(100).first == 5
    guard bytes.count == sizeInBytes, isInterior || bytes[100] == 13 else { return false }
    let pageSize = number(at: 16) == 1 ? 65_536 : number(at: 16)
    let usableSize = pageSize - Int(bytes[20])
    let places = isInterior ? 112 : 108
    let end = places + 2 * number(at: 103)
    let contents = number(at: 105) == 0 ? 65_536 : number(at: 105)
    guard end <= contents, contents <= usableSize else { return false }
    return stride(from: places, to: min(end, sizeInBytes), by: 2).allSatisfy { offset in
      (contents..<usableSize).contains(number(at: offset))
    }
  }
}
