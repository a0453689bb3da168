internal import Migrator
internal import SQLiteEngine

/// The question to a key provider.
public struct KeyRequest: Sendable, Hashable {
  /// The path of the database.
  public let path: String

  /// Whether there is a database already that has a key: a file that is not empty.
  ///
  /// Where there is one, only its own key is of use; a new key may be made, and stored, only where there is none. False,
  /// too, for a database without encryption that is about to get the key, and for the new key of
  /// `SQLCipher.rekey`. Such a conversion may have been done already by a process that then died: answer with the key
  /// that was stored for it, if there is one.
  public let databaseExists: Bool
}

/// The answer of a key provider.
public enum KeyAnswer: Sendable {
  /// The key.
  case key(EncryptionKey)

  /// The key exists but cannot be had at this moment, as on a device that was not unlocked since it was started.
  ///
  /// The reason is shown to people: an error's number, never a part of the key.
  case notAvailableNow(reason: String? = nil)

  /// There is no key.
  case missing
}

/// Returns the key of a database when it is needed; called on the thread that opens or converts the database.
///
/// See ``EncryptionKey/provided(by:)``.
public typealias KeyProvider = @Sendable (KeyRequest) -> KeyAnswer

/// A key in memory for as long as connections hold it.
final class HeldKey: Sendable {
  let material: KeyMaterial

  init(_ material: KeyMaterial) { self.material = material }
}

/// A key that is asked for when the first connection to a file is opened, shared by those that are opened meanwhile, and
/// wiped with the last of them.
final class ProvidedKey: Sendable {
  private struct Hold {
    let path: String
    weak var key: HeldKey?
  }

  private let provide: KeyProvider
  private let holds = Lock<[Hold]>([])

  init(_ provide: @escaping KeyProvider) { self.provide = provide }

  /// The key that connections to the file have in common.
  func hold(forFileAt path: String, isNew: () throws(DatabaseError) -> Bool) throws(DatabaseError) -> HeldKey {
    let known = holds.withLock { holds in
      holds.removeAll { $0.key == nil }
      return holds.first { $0.path == path }?.key
    }
    if let known { return known }
    let held = HeldKey(try material(forFileAt: path, isNew: isNew))
    holds.withLock { $0.append(Hold(path: path, key: held)) }
    return held
  }

  /// Asks for the key; `isNew` returns whether the file, which has content, is about to get it.
  func material(
    forFileAt path: String, isNew: () throws(DatabaseError) -> Bool
  ) throws(DatabaseError) -> KeyMaterial {
    let hasContent = FileProbe.hasContent(path)
    let getsKey = hasContent ? try isNew() : false
    let request = KeyRequest(path: path, databaseExists: hasContent && !getsKey)
    // Outside of the lock, since it is the caller's code. Two openings at the same moment may ask twice.
    switch provide(request) {
    case .key(let key):
      return try key.material(forFileAt: path) { () throws(DatabaseError) in getsKey }
    case .notAvailableNow(let reason):
      throw .sqlCipher(
        .keyNotAvailable, "the key of \(path) is not available now" + (reason.map { " (\($0))" } ?? ""),
        "Open it again later, as when the device was unlocked; nothing was opened, created or erased.")
    case .missing where request.databaseExists:
      throw .sqlCipher(
        .keyMissing, "\(path) exists, and its key is missing",
        "Bring the key back from where it is kept: without it nobody can read the file, which was not changed.")
    case .missing where hasContent:
      throw .sqlCipher(
        .keyMissing, "there is no new key for \(path)",
        "Make a key of random bytes, store it, and try again; the file was not changed.")
    case .missing:
      throw .sqlCipher(
        .keyMissing, "there is no key for \(path), which does not exist yet",
        "Make a key of random bytes, store it, and open again; no file was created.")
    }
  }
}
