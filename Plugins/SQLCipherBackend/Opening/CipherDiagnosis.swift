public import Migrator

/// What a file turned out to be when a key was tried on it.
///
/// Found out by ``SQLCipher/diagnose(_:key:settings:checksPages:library:)``, and carried by the errors of failed openings
/// as ``DatabaseError/diagnosis``.
public enum CipherDiagnosis: DatabaseDiagnosis, Hashable {
  /// There is no file.
  case missing
  /// The file has no bytes: every key opens it, as a new database.
  case empty
  /// A database without encryption.
  case plaintext
  /// Not a database without encryption, and no key was given to see more.
  case noKey

  /// The key opens it with these settings; they may be others than those that were tried first, as those of an older
  /// version.
  case encrypted(CipherSettings)

  /// Nothing speaks against an encrypted database, but the key opens it with no settings that are known.
  ///
  /// Another key, unusual settings, or damage to the first page look alike.
  case wrongKeyOrDamagedFirstPage

  /// The end is missing: the first page says that there are more, the last one is not whole, or the file is no whole
  /// number of pages of any size and does not open.
  case truncated(sizeInBytes: Int64)

  /// The key is right, and these pages, counted from 1, are not as they were written; empty when it is unknown which.
  case damaged(pages: [Int])

  /// The key is right, and the file is not whole without the journal or the log beside it: opening it for writing recovers
  /// it.
  case needsRecovery

  /// Too small for a database, or of a content that neither a plain nor an encrypted one can have.
  case notADatabase
}

extension CipherDiagnosis {
  /// What the file is, as a sentence without a full stop.
  public var description: String {
    switch self {
    case .missing: "there is no file"
    case .empty: "the file is empty"
    case .plaintext: "the file is a database without encryption"
    case .noKey: "the file is encrypted, or not a database"
    case .encrypted(let settings) where settings == CipherSettings(): "the key opens the file"
    case .encrypted(let settings): "the key opens the file, with \(settings.summary)"
    case .wrongKeyOrDamagedFirstPage: "the key is another one, or the first page is damaged"
    case .truncated(let size): "the file is cut off after \(size) bytes"
    case .damaged(let pages) where pages.isEmpty: "the file is damaged"
    case .damaged(let pages): "the key is right, and \(Self.list(pages)) damaged"
    case .needsRecovery: "the file was left in the middle of a transaction"
    case .notADatabase: "the file is not a database"
    }
  }

  /// What can be done about it, as a sentence; nil when nothing has to be.
  public var remedy: String? {
    switch self {
    case .missing: "Check the path."
    case .empty: nil
    case .plaintext:
      "Open it without a key, or encrypt it with SQLCipher.encrypt or `migrator encrypt`; it was not changed."
    case .noKey: "Give the key if it is encrypted, or name another file; it was not changed."
    case .encrypted(let settings) where settings == CipherSettings(): nil
    case .encrypted(let settings):
      """
      The key is right: the file opens with \(settings.summary), and was not changed. Give these as CipherSettings, or \
      convert it with SQLCipher.upgrade or `migrator upgrade-cipher`.
      """
    case .wrongKeyOrDamagedFirstPage:
      """
      Check the key. No version's settings open the file with it, but unusual ones might: give those that it was made \
      with. If the key is right, the file is damaged: restore a backup. It was not changed.
      """
    case .truncated: "Restore a backup, or copy the file again from where it is whole; it was not changed."
    case .damaged:
      "Restore a backup; what lies in other pages can still be read and saved. The file was not changed."
    case .needsRecovery: "Open it for writing, with the files beside it: the engine then brings it back by itself."
    case .notADatabase: "Name another file; this one was not changed."
    }
  }

  private static func list(_ pages: [Int]) -> String {
    let shown = pages.prefix(8).map(String.init).joined(separator: ", ")
    if pages.count == 1 { return "page \(shown) is" }
    return pages.count > 8 ? "\(pages.count) pages (\(shown) ...) are" : "the pages \(shown) are"
  }
}

extension CipherSettings {
  var summary: String {
    var parts: [String] = []
    if let compatibility { parts.append("compatibility \(compatibility)") }
    if let pageSizeInBytes { parts.append("a page size of \(pageSizeInBytes) bytes") }
    if let kdfIterations { parts.append("\(kdfIterations) iterations") }
    if let plaintextHeaderSizeInBytes { parts.append("a readable header of \(plaintextHeaderSizeInBytes) bytes") }
    return parts.isEmpty ? "the settings that were given" : parts.joined(separator: " and ")
  }
}
