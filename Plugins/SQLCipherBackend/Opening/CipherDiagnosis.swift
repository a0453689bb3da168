public import Migrator

/// The state of an encrypted file, determined by trying a key.
///
/// ``SQLCipher/diagnose(_:key:settings:checksPages:engine:)`` returns it, and the error of a failed opening contains
/// it as ``DatabaseError/diagnosis``.
public enum CipherDiagnosis: DatabaseDiagnosis, Hashable {
  /// There is no file.
  case missing
  /// The file is empty: it opens with every key, as a new database.
  case empty
  /// The file is an unencrypted database.
  case plaintext
  /// The file is not an unencrypted database; without a key, nothing more can be determined.
  case noKey

  /// The key opens the file with these settings, which may differ from those that were tried first: for example, they
  /// are the settings of an older version.
  case encrypted(CipherSettings)

  /// The file may be an encrypted database, but the key does not open it with any known settings.
  ///
  /// A wrong key, unusual settings and a damaged first page cannot be distinguished.
  case wrongKeyOrDamagedFirstPage

  /// The end of the file is missing: the first page refers to missing pages, the last page is incomplete, or the file
  /// does not open and its size is not a multiple of any page size.
  case truncated(sizeInBytes: Int64)

  /// The key is correct, but these pages are damaged. Pages are numbered from 1; the array is empty if it is unknown
  /// which pages are damaged.
  case damaged(pages: [Int])

  /// The key is correct, but the file is incomplete without the journal or write-ahead log beside it: opening it for
  /// writing recovers it.
  case needsRecovery

  /// The file is too small for a database, or its content cannot be that of an unencrypted or encrypted database.
  case notADatabase
}

extension CipherDiagnosis {
  /// A sentence, without a period, about the state of the file.
  public var description: String {
    switch self {
    case .missing: "the file does not exist"
    case .empty: "the file is empty"
    case .plaintext: "the file is a database without encryption"
    case .noKey: "the file is encrypted, or not a database"
    case .encrypted(let settings) where settings == CipherSettings(): "the key opens the file"
    case .encrypted(let settings): "the key opens the file, with \(settings.summary)"
    case .wrongKeyOrDamagedFirstPage: "the key is wrong, or the first page is damaged"
    case .truncated(let size): "the file is truncated after \(size) bytes"
    case .damaged(let pages) where pages.isEmpty: "the file is damaged"
    case .damaged(let pages): "the key is correct, but \(Self.list(pages)) damaged"
    case .needsRecovery: "the file needs recovery from an interrupted transaction"
    case .notADatabase: "the file is not a database"
    }
  }

  /// The remedy, as a sentence; nil if none is needed.
  public var remedy: String? {
    switch self {
    case .missing: "Check the path."
    case .empty: nil
    case .plaintext:
      "Open it without a key, or encrypt it with SQLCipher.encrypt or `migrator encrypt`. It was not changed."
    case .noKey: "Provide the key if the file is encrypted, or choose another file. It was not changed."
    case .encrypted(let settings) where settings == CipherSettings(): nil
    case .encrypted(let settings):
      """
      The key is correct: the file opens with \(settings.summary). It was not changed. Use these CipherSettings, or \
      convert it with SQLCipher.upgrade or `migrator upgrade-cipher`.
      """
    case .wrongKeyOrDamagedFirstPage:
      """
      Check the key. It does not open the file with the default settings of any version: if the file was created \
      with other settings, use those. If key and settings are correct, the file is damaged: restore a backup. It was \
      not changed.
      """
    case .truncated: "Restore a backup, or copy the file again from a complete source. It was not changed."
    case .damaged:
      "Restore a backup. The content of other pages can still be read and saved. The file was not changed."
    case .needsRecovery: "Open it for writing, with its journal or log beside it: the engine then recovers it."
    case .notADatabase: "Choose another file. This one was not changed."
    }
  }

  private static func list(_ pages: [Int]) -> String {
    let shown = pages.prefix(8).map(String.init).joined(separator: ", ")
    if pages.count == 1 { return "page \(shown) is" }
    return pages.count > 8 ? "\(pages.count) pages (\(shown) ...) are" : "pages \(shown) are"
  }
}

extension CipherSettings {
  var summary: String {
    var parts: [String] = []
    if let compatibility { parts.append("compatibility \(compatibility)") }
    if let pageSizeInBytes { parts.append("a page size of \(pageSizeInBytes) bytes") }
    if let kdfIterations { parts.append("\(kdfIterations) iterations") }
    if let plaintextHeaderSizeInBytes { parts.append("a plaintext header of \(plaintextHeaderSizeInBytes) bytes") }
    return parts.isEmpty ? "the given settings" : parts.joined(separator: " and ")
  }
}
