import Migrator
import SQLCipherBackend
import SQLiteEngine
import TestEngines

#if canImport(Glibc)
  import Glibc

  extension WorkerTask {
    /// Opens a database with a random key, and counts its occurrences in memory, while the database is open and
    /// afterwards.
    ///
    /// - Parameters:
    ///   - form: The form of the key: passphrase, raw, rawWithSalt.
    ///   - isProvided: Whether a provider returns the key, and the queue is kept after it is closed instead of
    ///     released.
    static func searchMemory(_ engine: TestEngine, _ path: String, form: String, isProvided: Bool) throws {
      let count = form == "rawWithSalt" ? 48 : 32
      let mask: UInt8 = 0xa5
      // Stored in memory only masked, and where it is used.
      let masked = (0..<count).map { _ in UInt8.random(in: .min ... .max) }
      let bytes = masked.lazy.map { $0 ^ mask }
      @Sendable func makeKey() -> EncryptionKey {
        switch form {
        case "raw": .raw(masked.lazy.map { $0 ^ mask })
        case "rawWithSalt": .rawWithSalt(masked.lazy.map { $0 ^ mask })
        default: .passphrase(masked.lazy.map { $0 ^ mask })
        }
      }
      let digits = Array("0123456789abcdef".utf8)
      var searches = [("bytes", MemorySearchBox(count: 32) { bytes[$0] })]
      searches.append(
        ("digits", MemorySearchBox(count: 64) { digits[Int($0 % 2 == 0 ? bytes[$0 / 2] >> 4 : bytes[$0 / 2] & 15)] }))

      func backend() -> SQLCipher {
        isProvided
          ? SQLCipher(path: path, key: .provided { _ in .key(makeKey()) }, engine: engine.source)
          : SQLCipher(path: path, key: makeKey(), engine: engine.source)
      }
      var dbPool: DatabasePool? = try DatabasePool(backend())
      try dbPool?.write { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
      let sum = try dbPool?.read { db in try Int.fetchOne(db, sql: "SELECT sum(a) FROM t") }
      if form == "passphrase", let search = try derivedKeySearch(engine, path, bytes) {
        searches.append(("derived", search))
      }
      for (name, search) in searches { print("open \(name) \(search.occurrences())") }
      try dbPool?.close()
      if !isProvided { dbPool = nil }
      for (name, search) in searches { print("closed \(name) \(search.occurrences())") }
      let options = ConversionOptions(engine: engine.source)
      try SQLCipher.rekey(path, from: makeKey(), to: SecretRows.rawKey, options: options)
      try SQLCipher.rekey(path, from: SecretRows.rawKey, to: makeKey(), options: options)
      try SQLCipher.decrypt(path, key: .provided { _ in .key(makeKey()) }, options: options)
      for (name, search) in searches { print("converted \(name) \(search.occurrences())") }
      print("sum \(sum ?? 0) \(dbPool == nil ? "gone" : "kept")")
    }

    /// Returns a search for the key that the engine derives from the passphrase.
    private static func derivedKeySearch(
      _ engine: TestEngine, _ path: String, _ passphrase: some RandomAccessCollection<UInt8>
    ) throws -> MemorySearchBox? {
      let library = try engine.library()
      let isOld = library.cipherMajorVersion ?? 0 < 4
      guard let file = fopen(path + "-salt", "w+") else { fail("no file") }
      defer { fclose(file) }
      // Another process copies the file, to keep its locks.
      guard system("head -c 16 '\(path)' > '\(path)-salt'") == 0 else { fail("no salt") }
      var salt = [UInt8](repeating: 0, count: 16)
      guard fread(&salt, 1, 16, file) == 16 else { fail("no salt") }
      let how = KeyDerivation(hash: isOld ? .sha1 : .sha512, iterations: isOld ? 64000 : 256_000, salt: salt)
      let secret = SecretBytes(count: passphrase.count) { buffer in
        for (index, byte) in passphrase.enumerated() { buffer[index] = byte }
      }
      guard let secret, let key = library.deriveKey(from: secret, by: how) else { return nil }
      return MemorySearchBox(count: 32) { index in key.withBytes { $0[index] } }
    }
  }

  /// A search that can be stored in an array.
  final class MemorySearchBox {
    private let search: MemorySearch

    init(count: Int, byte: (Int) -> UInt8) { search = MemorySearch(count: count, byte: byte) }

    func occurrences() -> Int { search.occurrences() }
  }
#endif
