internal import Migrator
internal import SQLiteEngine

/// The request to a key provider.
public struct KeyRequest: Sendable, Hashable {
  /// The path of the database.
  public let path: String

  /// Whether the database already exists and has a key: the file is not empty.
  ///
  /// If it does, only its own key is useful. Create and store a new key only if it does not. Also false for a database
  /// without encryption that is about to get the key, and for the new key of `SQLCipher.rekey`. A process may already
  /// have completed such a conversion and then died: if a key was stored for it, return that key.
  public let databaseExists: Bool
}

/// The answer of a key provider.
public enum KeyAnswer: Sendable {
  /// The key.
  case key(EncryptionKey)

  /// The key exists but is not available at this moment, for example because the device has not been unlocked since it
  /// started.
  ///
  /// The reason is shown to users: for example an error number, never a part of the key.
  case notAvailableNow(reason: String? = nil)

  /// There is no key.
  case missing
}

/// Returns the key of a database when it is needed; called on the thread that opens or converts the database.
///
/// See ``EncryptionKey/provided(by:)``.
public typealias KeyProvider = @Sendable (KeyRequest) -> KeyAnswer

/// A key that stays in memory for as long as connections hold it.
final class HeldKey: Sendable {
  let material: KeyMaterial

  init(_ material: KeyMaterial) { self.material = material }
}

/// A key that is requested when the first connection to a file is opened, shared with other connections opened
/// meanwhile, and wiped when the last of them is closed.
final class ProvidedKey: Sendable {
  private struct Hold {
    let path: String
    weak var key: HeldKey?
  }

  private let provide: KeyProvider
  private let holds = Lock<[Hold]>([])

  init(_ provide: @escaping KeyProvider) { self.provide = provide }

  /// Returns the key that connections to the file share.
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

  /// Requests the key; `isNew` returns whether the file, which has content, is about to get it.
  func material(
    forFileAt path: String, isNew: () throws(DatabaseError) -> Bool
  ) throws(DatabaseError) -> KeyMaterial {
    let hasContent = FileProbe.hasContent(path)
    let getsKey = hasContent ? try isNew() : false
    let request = KeyRequest(path: path, databaseExists: hasContent && !getsKey)
    // Call the provider outside the lock, since it is the caller's code. Two openings at the same moment may call it
    // twice.
    switch provide(request) {
    case .key(let key):
      return try key.material(forFileAt: path) { () throws(DatabaseError) in getsKey }
    case .notAvailableNow(let reason):
      throw .sqlCipher(
        .keyNotAvailable, "the key of \(path) is not available now" + (reason.map { " (\($0))" } ?? ""),
        "Try again later, for example after the device is unlocked. Nothing was opened, created or erased.")
    case .missing where request.databaseExists:
      throw .sqlCipher(
        .keyMissing, "\(path) exists, but its key is missing",
        "Restore the key from its backup: without it, no one can read the file. The file was not changed.")
    case .missing where hasContent:
      throw .sqlCipher(
        .keyMissing, "there is no new key for \(path)",
        "Create a key of random bytes, store it, and try again. The file was not changed.")
    case .missing:
      throw .sqlCipher(
        .keyMissing, "there is no key for \(path), which does not exist yet",
        "Create a key of random bytes, store it, and try again. No file was created.")
    }
  }
}
