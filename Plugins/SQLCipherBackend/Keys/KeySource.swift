internal import Migrator
internal import SQLiteEngine
internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Where the key of a database comes from.
enum KeySource: Sendable {
  /// It was given.
  case value(EncryptionKey)
  /// It is asked for at each opening.
  case provider(ProvidedKey)

  /// The key, and what keeps it in memory for others that open the same database, until it is let go.
  ///
  /// - Parameter isFirst: Whether the file has no key yet but is about to get this one; asked before the provider is.
  func key(
    forFileAt path: String, isFirst: () throws(DatabaseError) -> Bool = { () throws(DatabaseError) in false }
  ) throws(DatabaseError) -> (key: EncryptionKey, hold: HeldKey?) {
    switch self {
    case .value(let key): return (key, nil)
    case .provider(let provider):
      let hold = try provider.hold(forFileAt: path, isFirst: isFirst)
      return (hold.key, hold)
    }
  }
}

/// A key in memory for as long as connections hold it.
final class HeldKey: Sendable {
  let key: EncryptionKey

  init(_ key: EncryptionKey) { self.key = key }
}

/// A key that is asked for when the first connection is opened, shared by those that are opened meanwhile, and gone with
/// the last of them.
final class ProvidedKey: Sendable {
  private struct State {
    weak var hold: HeldKey?
  }

  private let provide: KeyProvider
  private let state = Mutex(State())

  init(_ provide: @escaping KeyProvider) { self.provide = provide }

  func hold(
    forFileAt path: String, isFirst: () throws(DatabaseError) -> Bool = { () throws(DatabaseError) in false }
  ) throws(DatabaseError) -> HeldKey {
    if let hold = state.withLock({ $0.hold }) { return hold }
    let isFilled = Self.isFilled(path)
    let isNew = isFilled ? try isFirst() : false
    let request = KeyRequest(path: path, databaseExists: isFilled && !isNew)
    // Outside of the lock, since it is the caller's code. Two openings at the same moment may ask twice.
    switch provide(request) {
    case .key(let key):
      let hold = HeldKey(key)
      state.withLock { $0.hold = hold }
      return hold
    case .notAvailableNow(let reason):
      throw DatabaseError(
        .keyNotAvailable, engine: EngineFamily.sqlCipher.name,
        message: "the key of \(path) is not available now" + (reason.map { " (\($0))" } ?? ""),
        remedy: "Open it again later, as when the device was unlocked; nothing was opened, created or erased.")
    case .missing:
      throw Self.missing(request, isFilled: isFilled)
    }
  }

  private static func missing(_ request: KeyRequest, isFilled: Bool) -> DatabaseError {
    let (message, remedy) =
      switch (request.databaseExists, isFilled) {
      case (true, _):
        (
          "\(request.path) exists, and its key is missing",
          "Bring the key back from where it is kept: without it nobody can read the file, which was not changed."
        )
      case (false, true):
        (
          "there is no new key for \(request.path)",
          "Make a key of random bytes, store it, and try again; the file was not changed."
        )
      case (false, false):
        (
          "there is no key for \(request.path), which does not exist yet",
          "Make a key of random bytes, store it, and open again; no file was created."
        )
      }
    return DatabaseError(.keyMissing, engine: EngineFamily.sqlCipher.name, message: message, remedy: remedy)
  }

  private static func isFilled(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size > 0
  }
}
