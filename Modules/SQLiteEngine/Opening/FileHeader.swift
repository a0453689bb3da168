package import Migrator

/// The first bytes of a database's file, and what they say about it.
package struct FileHeader: Sendable {
  /// The first 32 bytes; zeros where the file is shorter.
  let bytes: [UInt8]

  /// Whether the file begins as a database without encryption, or as one of SQLCipher's whose header is left readable
  /// (https://www.sqlite.org/fileformat.html#the_database_header).
  package var isReadable: Bool { bytes.starts(with: "SQLite format 3\0".utf8) }

  /// Whether the file begins as a database without encryption.
  ///
  /// Byte 20 holds how much of each page is set aside: nothing in plain databases, room for the encryption's own data where
  /// SQLCipher leaves the header readable.
  package var isPlaintext: Bool { isReadable && bytes[20] == 0 }

  /// Whether the file keeps its header readable though it is encrypted.
  package var isReadableThoughEncrypted: Bool { isReadable && bytes[20] != 0 }

  /// What the first page is encrypted with beside the key; nil when it is not at its place in the file
  /// (https://www.zetetic.net/sqlcipher/design/).
  package var salt: [UInt8]? { isReadable ? nil : Array(bytes.prefix(16)) }

  /// Whether bytes have no more order than those of an encrypted page.
  ///
  /// 512 random bytes have 221 different values, give or take 10; text, numbers and padding have far fewer.
  package static func looksRandom(_ bytes: [UInt8]) -> Bool { Set(bytes).count > 160 }
}

extension EngineConnection {
  /// Reads the first bytes of the file through the engine's own descriptor, so that no lock is lost; nil when it is empty.
  ///
  /// They are those of the file, also while a write-ahead log holds a newer first page: SQLCipher takes the salt from there,
  /// too.
  package func fileHeader() throws(DatabaseError) -> FileHeader? {
    let file = EngineFile(handle: try openHandle(), kind: .database)
    let count = Int(min(32, file.sizeInBytes))
    guard count > 0, let bytes = try? file.bytes(count: count, at: 0) else { return nil }
    return FileHeader(bytes: bytes + [UInt8](repeating: 0, count: 32 - count))
  }

  /// Reads a part of the file as it is on the disk, through the engine's own descriptor; empty when it is not there.
  package func fileBytes(at offset: Int64, count: Int) throws(DatabaseError) -> [UInt8] {
    let file = EngineFile(handle: try openHandle(), kind: .database)
    return (try? file.bytes(count: count, at: offset)) ?? []
  }
}
