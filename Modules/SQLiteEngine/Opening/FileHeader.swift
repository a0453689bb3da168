package import Migrator
internal import SQLiteDialect

/// The first bytes of a database file, and what they reveal about its encryption.
package struct FileHeader: Sendable {
  /// The first 512 bytes; zeros if the file is shorter.
  let bytes: [UInt8]

  /// Whether the file begins like an unencrypted database, or like a SQLCipher database with a plaintext header
  /// (https://www.sqlite.org/fileformat.html#the_database_header).
  package var isReadable: Bool { FirstPage.hasReadableHeader(bytes) }

  /// Whether the file begins like an unencrypted database.
  package var isPlaintext: Bool { FirstPage.isPlain(bytes) }

  /// Whether the file is encrypted but has a plaintext header.
  package var isReadableThoughEncrypted: Bool { isReadable && !isPlaintext }

  /// The salt of the encryption; nil if the header is plaintext, since the salt is then not stored in the file
  /// (https://www.zetetic.net/sqlcipher/design/).
  package var salt: [UInt8]? { isReadable ? nil : Array(bytes.prefix(16)) }

  /// Returns the error for a file that begins like a database, or like nothing that an engine writes, but is no database;
  /// nil for others, which may be encrypted.
  func fault(of probe: FileProbe, _ error: DatabaseError) -> DatabaseError? {
    let size = probe.size ?? 0
    var error = error
    (error.condition, error.sql) = (.corrupt, nil)
    error.remedy = "Restore a backup, or name another file. It was not changed."
    // These bytes are the same in all files, so the others of the header are probably not damaged.
    if isPlaintext, max(bytes[18], bytes[19]) > 2, bytes.dropFirst(21).starts(with: [64, 32, 32]) {
      // https://www.sqlite.org/fileformat2.html#file_format_version_numbers
      error.condition = .unsupported
      error.message =
        "\(probe.path) has version \(max(bytes[18], bytes[19])) of the file format, which this engine does not know"
      error.remedy =
        "A newer version of SQLite has written it, or its header is damaged. It was not changed: use a newer library. If the newest "
        + "one says the same, restore a backup."
    } else if isPlaintext, size < FirstPage.sizeInBytes {
      error.message = "\(probe.path) is cut off: it has only \(size) bytes, fewer than the smallest database"
    } else if bytes.allSatisfy({ $0 == 0 }) {
      error.message = "\(probe.path) begins with zeros, as neither a database nor an encrypted one does"
    } else {
      return nil
    }
    return error
  }
}

extension EngineConnection {
  /// Reads the first bytes of the file through the engine's own descriptor, so that no lock is lost; nil if the file is
  /// empty.
  ///
  /// Always reads the file itself, even if a write-ahead log contains a newer first page: SQLCipher reads the salt from
  /// the file, too.
  package func fileHeader() throws(DatabaseError) -> FileHeader? {
    let file = EngineFile(handle: try openHandle(), kind: .database)
    let count = Int(min(Int64(FirstPage.sizeInBytes), file.sizeInBytes))
    guard count > 0, let bytes = try? file.bytes(count: count, at: 0) else { return nil }
    return FileHeader(bytes: bytes + [UInt8](repeating: 0, count: FirstPage.sizeInBytes - count))
  }

  /// Reads a part of the file as stored on disk, through the engine's own descriptor; empty if the file is shorter.
  package func fileBytes(at offset: Int64, count: Int) throws(DatabaseError) -> [UInt8] {
    let file = EngineFile(handle: try openHandle(), kind: .database)
    return (try? file.bytes(count: count, at: offset)) ?? []
  }
}
