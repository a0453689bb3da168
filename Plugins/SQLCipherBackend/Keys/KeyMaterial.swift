internal import Migrator
internal import SQLiteEngine

struct KeyMaterial: Sendable {
  enum Form: Sendable {
    case passphrase
    case raw
    case rawWithSalt
  }

  let form: Form
  /// The bytes of the passphrase or key; nil if memory allocation failed.
  let secret: SecretBytes?
  /// The keys derived from the bytes so far, shared by all copies of this value and wiped with the last copy.
  let derivedKeys = DerivedKeys()

  init(_ form: Form, _ bytes: some Collection<UInt8>) {
    self.form = form
    secret = SecretBytes(count: bytes.count) { buffer in
      // Copied byte by byte, since `copyBytes` would create an unprotected copy of some collections.
      for (index, byte) in bytes.enumerated() { buffer[index] = byte }
    }
  }

  /// Whether two raw keys are equal, regardless of their salts.
  func hasRawBytes(of other: KeyMaterial) -> Bool {
    guard let bytes = secret?.prefix(32), let otherBytes = other.secret?.prefix(32) else { return false }
    return bytes.isEqual(to: otherBytes)
  }

  /// Returns the key in the form that SQLCipher expects (https://www.zetetic.net/sqlcipher/sqlcipher-api/#key): the
  /// passphrase, or the text `x'53514c'` for a raw key; throws `.invalidKey` for keys that it cannot use or would
  /// misread.
  func engineKey() throws(DatabaseError) -> SecretBytes {
    guard let secret else { throw .sqlCipher(.outOfMemory, "there is not enough memory for the key") }
    switch form {
    case .passphrase:
      guard secret.count > 0 else {
        throw .sqlCipher(.invalidKey, "the passphrase is empty", "Without a key the database would not be encrypted.")
      }
      guard !secret.withBytes(Self.looksRaw) else {
        throw .sqlCipher(
          .invalidKey, "the passphrase has the form x'...', which SQLCipher reads as a raw key",
          "Provide the bytes as a raw key, or choose another passphrase.")
      }
      return secret
    case .raw where secret.count != 32:
      throw .sqlCipher(.invalidKey, "a raw key must have 32 bytes, but this one has \(secret.count)")
    case .rawWithSalt where secret.count != 48:
      throw .sqlCipher(
        .invalidKey, "a raw key with its salt must have 32 + 16 bytes, but this one has \(secret.count)")
    case .raw, .rawWithSalt:
      return try Self.rawText(of: secret)
    }
  }

  /// Returns a raw key, with or without its salt, as the text `x'53514c'` that SQLCipher expects.
  static func rawText(of secret: SecretBytes) throws(DatabaseError) -> SecretBytes {
    let count = secret.count
    let text = SecretBytes(count: 2 * count + 3) { text in
      text[0] = UInt8(ascii: "x")
      text[1] = UInt8(ascii: "'")
      secret.withBytes { bytes in
        for (index, byte) in bytes.enumerated() {
          text[2 * index + 2] = digit(byte >> 4)
          text[2 * index + 3] = digit(byte & 15)
        }
      }
      text[2 * count + 2] = UInt8(ascii: "'")
    }
    guard let text else { throw .sqlCipher(.outOfMemory, "there is not enough memory for the key") }
    return text
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  private static func looksRaw(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 3, bytes[0] | 0x20 == UInt8(ascii: "x"), bytes[1] == UInt8(ascii: "'"),
      bytes[bytes.count - 1] == UInt8(ascii: "'")
    else { return false }
    return bytes[2..<(bytes.count - 1)].allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }
  }
}

/// The keys derived from one passphrase, which are retained as long as the passphrase is: deriving a key is
/// deliberately slow.
final class DerivedKeys: Sendable {
  /// The maximum number of retained keys: enough for the files that an app opens with one passphrase.
  ///
  /// Each key uses a page of memory that cannot be swapped.
  private static let capacity = 8

  /// The retained keys; locked while a key is derived, so that connections that are opened at the same time wait for
  /// one key.
  private let keys = Lock<[(derivation: KeyDerivation, key: SecretBytes)]>([])
  private let derivationCount = Lock(0)

  /// The number of keys derived so far, by this object or by the engine.
  var count: Int { derivationCount.withLock { $0 } }

  /// Counts a derivation that the engine is about to perform for a connection.
  func noteDerivation() { derivationCount.withLock { $0 += 1 } }

  /// Returns the key for a derivation, and derives the key if necessary; nil if it cannot be derived.
  func key(_ derivation: KeyDerivation, from passphrase: SecretBytes, by library: EngineLibrary) -> SecretBytes? {
    keys.withLock { keys in
      if let known = keys.first(where: { $0.derivation == derivation }) { return known.key }
      noteDerivation()
      guard let key = library.deriveKey(from: passphrase, by: derivation) else { return nil }
      if keys.count == Self.capacity { keys.removeFirst() }
      keys.append((derivation, key))
      return key
    }
  }
}

extension DatabaseError {
  static func sqlCipher(_ condition: Condition, _ message: String, _ remedy: String? = nil) -> DatabaseError {
    DatabaseError(condition, engine: EngineFamily.sqlCipher.name, message: message, remedy: remedy)
  }
}
