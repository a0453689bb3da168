internal import Migrator
internal import SQLiteEngine

/// A request to a key provider for the key of a database.
public struct KeyRequest: Sendable, Hashable {
  /// The path of the database.
  public let path: String

  /// Whether the database already has a key: the file exists and is not empty.
  ///
  /// If true, return the key of this database. If false, you may create a new key and store it. This value is also
  /// false for an unencrypted database that is about to be encrypted, and for the new key of `SQLCipher.rekey`. A
  /// process may have completed such a conversion and then have been killed: if a key is already stored for the
  /// database, return that key.
  public let databaseExists: Bool
}

/// An answer from a key provider.
public enum KeyAnswer: Sendable {
  /// The key of the database.
  case key(EncryptionKey)

  /// The key exists but is not available at this moment, for example because the device has not been unlocked since it
  /// was started.
  ///
  /// The reason is shown to users, for example an error number; it must not contain any part of the key.
  case notAvailableNow(reason: String? = nil)

  /// There is no key for the database.
  case missing
}

/// A closure that returns the key of a database when it is needed, on the thread that opens or converts the database.
///
/// See ``EncryptionKey/provided(by:)``.
public typealias KeyProvider = @Sendable (KeyRequest) -> KeyAnswer

/// A key that stays in memory as long as a connection retains it.
final class HeldKey: Sendable {
  let material: KeyMaterial

  init(_ material: KeyMaterial) { self.material = material }
}

/// A key that is requested when the first connection to a file is opened, is shared with other connections, and is
/// wiped when the last of them is closed.
final class ProvidedKey: Sendable {
  private struct Hold {
    let path: String
    weak var key: HeldKey?
  }

  private let provide: KeyProvider
  private let holds = Lock<[Hold]>([])

  init(_ provide: @escaping KeyProvider) { self.provide = provide }

  /// Returns the key that all connections to the file share.
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

  /// Requests the key; `isNew` returns whether an existing file without a key is about to get this key.
  func material(
    forFileAt path: String, isNew: () throws(DatabaseError) -> Bool
  ) throws(DatabaseError) -> KeyMaterial {
    let hasContent = FileProbe.hasContent(path)
    let getsKey = hasContent ? try isNew() : false
    let request = KeyRequest(path: path, databaseExists: hasContent && !getsKey)
    // The provider is called without holding the lock, since it is the caller's code. If two connections are opened at
    // the same moment, it may be called twice.
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
