internal import Migrator
internal import SQLiteEngine

/// What the first and the last bytes of a file say about it.
struct FileStart {
  /// The readable part of the header; nil when there is none to be read.
  let header: FileHeader?

  /// Whether the bytes have no more order than those of an encrypted file.
  let looksRandom: Bool

  /// Reads both, through a connection that only looks.
  init(_ inspection: FileInspection) throws(DatabaseError) {
    let connection = try inspection.connect(isKeyed: true)
    header = try connection.fileHeader()
    let first = try connection.fileBytes(at: 0, count: 512)
    let last = try connection.fileBytes(at: max(inspection.size - 512, 0), count: 512)
    // Either may be damaged, and then be all zeros.
    looksRandom = Self.looksRandom(first) || Self.looksRandom(last)
  }

  /// Whether there is a file that begins as a database without encryption does.
  static func isPlaintext(_ path: String, library: String?) throws(DatabaseError) -> Bool {
    do throws(DatabaseError) {
      let inspection = try FileInspection(path: path, library: EngineLibrary.load(.sqlCipher, path: library))
      guard inspection.size > 0 else { return false }
      return try FileStart(inspection).isPlaintext
    } catch {
      switch error.condition {
      // There is none, or somebody is giving it a key at this moment.
      case .fileMissing, .beingConverted, .fileReplaced: return false
      default: throw error
      }
    }
  }

  /// Whether the file begins as a database without encryption does.
  ///
  /// Byte 20 holds how much of each page is set aside: nothing in plain databases, room for the encryption's own data where
  /// SQLCipher leaves the header readable (https://www.sqlite.org/fileformat.html#the_database_header).
  var isPlaintext: Bool { header.map { $0.isPlaintext && $0.bytes[20] == 0 } ?? false }

  /// Whether the file keeps its header readable though it is encrypted.
  var hasReadableHeader: Bool { header.map { $0.isPlaintext && $0.bytes[20] != 0 } ?? false }

  /// 512 random bytes have 221 different values, give or take 10; text, numbers and padding have far fewer.
  private static func looksRandom(_ bytes: [UInt8]) -> Bool { Set(bytes).count > 160 }
}
