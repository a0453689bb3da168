import Foundation
import Migrator
import SQLiteEngine
import TestEngines
import Testing

@Suite("Processes: secrets in files")
struct SecretFileTests {
  @Test(
    "whatever a process does with an encrypted database, no byte of a row or a key is ever written to a file",
    arguments: TestTier.pairs(TestEngine.allCases, [JournalMode.delete, .wal]))
  func written(engine: TestEngine, mode: JournalMode) throws {
    let (folder, temporary, kept) = (try TemporaryFolder(), try TemporaryFolder(), try TemporaryFolder())
    try #require(FileManager.default.fileExists(atPath: BuiltEngines.faults), "Run Tools/setup.")
    let worker = try WorkerProcess(
      engine, folder.file("db"), "leave-traces", mode.rawValue,
      environment: [
        "LD_PRELOAD": BuiltEngines.faults, "MIGRATOR_FAULTS_KEEP": kept.path,
        "TMPDIR": temporary.path, "SQLITE_TMPDIR": temporary.path,
      ])
    let (code, output) = try worker.finish()
    #expect(code == 0, "\(output)")
    #expect(try temporary.names().isEmpty)

    var secrets = [
      "marker": Data(SecretRows.marker.utf8), "passphrase": Data(TestKey.passphraseText.utf8),
      "raw key": Data(SecretRows.keyBytes), "digits of the raw key": Data(SecretRows.keyDigits.utf8),
    ]
    if engine.isEncrypted { secrets["derived key"] = try derivedKey(engine, folder) }
    let names = try kept.names()
    var found: [String: [String]] = [:]
    for place in [folder, kept] {
      for name in try place.names() {
        let bytes = try place.bytes(of: name)
        for (secret, pattern) in secrets where bytes.range(of: pattern) != nil {
          found[secret, default: []].append(name)
        }
      }
    }
    // The search covers everything that is written: the database, its journals, its backups.
    let database = folder.file("db").replacing("/", with: "%")
    #expect(!names.contains("unseen"))
    #expect(names.contains(database))
    #expect(names.contains(database + (mode == .wal ? "-wal" : "-journal")))
    #expect(names.contains { $0.contains("db-backup") } && names.contains { $0.contains("db.backup-") })
    if engine.isEncrypted {
      #expect(found.isEmpty, "\(found)")
      #expect(names.contains(database + "-converting"))
      #expect(!names.contains { $0.hasPrefix(temporary.path.replacing("/", with: "%")) }, "\(names)")
    } else {
      // The control: without encryption the same search finds everything.
      #expect(Set(found.keys) == Set(secrets.keys), "\(found.keys)")
      let places = found["marker"] ?? []
      #expect(places.contains(database) && places.contains("db"))
      #expect(places.contains(database + (mode == .wal ? "-wal" : "-journal")))
      #expect(places.contains { $0.contains("db-backup") } && places.contains { $0.contains("db.backup-") })
      // Temporary files, which are unlinked as soon as they are open.
      #expect(places.contains { $0.hasPrefix(temporary.path.replacing("/", with: "%")) }, "\(places)")
    }
  }

  /// Returns the key that the engine derives from the passphrase for the final state of the file.
  private func derivedKey(_ engine: TestEngine, _ folder: TemporaryFolder) throws -> Data {
    let library = try engine.library()
    let isOld = library.cipherMajorVersion ?? 0 < 4
    let salt = Array(try folder.bytes(of: "db").prefix(16))
    let how = KeyDerivation(hash: isOld ? .sha1 : .sha512, iterations: isOld ? 64000 : 256_000, salt: salt)
    let passphrase = SecretBytes(count: TestKey.passphraseText.utf8.count) {
      $0.copyBytes(from: TestKey.passphraseText.utf8)
    }
    return try #require(passphrase.flatMap { library.deriveKey(from: $0, by: how) }).withBytes { Data($0) }
  }
}
