import Migrator
import MigratorTestKit
import SQLCipherBackend
import TestEngines
import Testing

@Suite("The documentation's samples: opening")
struct OpeningSampleTests {
  @Test("an unencrypted file is opened")
  func plain() throws {
    let folder = try TemporaryFolder()
    let dbQueue = try Opening.plain(GettingStarted.migrator, path: folder.file("plain.sqlite"))
    #expect(try GettingStarted.use(dbQueue) == ["Moby-Dick"])
  }

  @Test("an encrypted file is opened")
  func encrypted() throws {
    let folder = try TemporaryFolder()
    let dbQueue = try Opening.encrypted(GettingStarted.migrator, path: folder.file("secret.db"), secret: "Queequeg")
    #expect(try GettingStarted.use(dbQueue) == ["Moby-Dick"])
  }

  @Test("the reasons why a file cannot be opened are distinguished")
  func diagnosed() throws {
    let folder = try TemporaryFolder()
    let key = EncryptionKey.passphrase("Queequeg")
    try Opening.plain(GettingStarted.migrator, path: folder.file("plain.sqlite")).close()
    guard case .opened(let dbQueue) = try open(folder.file("secret.db"), key) else {
      Issue.record("a new file is not opened")
      return
    }
    try dbQueue.close()
    #expect(try refusal(folder.file("secret.db"), .passphrase("Ahab"))?.hasPrefix("The key is wrong") == true)
    #expect(try refusal(folder.file("plain.sqlite"), key) == "The file is not encrypted.")
    #expect(try refusal(folder.file("other.db"), .raw([1, 2, 3])) == "The key is not usable.")
  }

  @Test("an unencrypted file is encrypted, rekeyed and opened")
  func converted() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("library.db")
    let (old, new) = (EncryptionKey.passphrase("Ahab"), EncryptionKey.passphrase("Queequeg"))
    try Opening.plain(GettingStarted.migrator, path: path).close()
    guard case .converted(let original?) = try Opening.encrypting(path: path, key: old) else {
      Issue.record("the original was not kept")
      return
    }
    #expect(try folder.bytes(of: String(original.split(separator: "/").last ?? "")).starts(with: Array("SQLite".utf8)))
    #expect(try !folder.bytes(of: "library.db").starts(with: Array("SQLite".utf8)))
    try Opening.upgrading(path: path, oldKey: old, newKey: new)
    let dbQueue = try Opening.converting(path: path, key: new)
    #expect(try GettingStarted.use(dbQueue) == ["Moby-Dick"])
  }

  @Test("an unencrypted file is encrypted when it is opened")
  func converting() throws {
    let folder = try TemporaryFolder()
    try Opening.plain(GettingStarted.migrator, path: folder.file("library.db")).close()
    let dbQueue = try Opening.converting(path: folder.file("library.db"), key: .passphrase("Queequeg"))
    #expect(try GettingStarted.use(dbQueue) == ["Moby-Dick"])
    try dbQueue.close()
    #expect(try !folder.bytes(of: "library.db").starts(with: Array("SQLite".utf8)))
  }

  @Test("the key provider is called when a file is opened")
  func asking() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("library.db")
    #expect {
      _ = try Opening.asking(path: path) { nil }
    } throws: { error in
      (error as? DatabaseError)?.condition == .keyNotAvailable
    }
    #expect(try folder.names().isEmpty)
    let dbQueue = try Opening.asking(path: path) { .passphrase("Queequeg") }
    try GettingStarted.migrator.migrate(dbQueue)
    try dbQueue.close()
    #expect {
      _ = try Opening.asking(path: path) { nil }
    } throws: { error in
      (error as? DatabaseError)?.condition == .keyMissing
    }
  }

  @Test("a file is diagnosed without opening it")
  func diagnosing() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("library.db")
    let key = EncryptionKey.passphrase("Queequeg")
    try Opening.plain(GettingStarted.migrator, path: path).close()
    #expect(try Opening.diagnosing(path: path, key: key) == "It is not encrypted.")
    #expect(try Opening.encrypting(path: path, key: key) != .alreadyConverted)
    #expect(try Opening.diagnosing(path: path, key: key) != "It is not encrypted.")
    #expect(try Opening.diagnosing(path: path, key: .passphrase("Ahab")) != Opening.diagnosing(path: path, key: key))
  }

  @Test("the rules of the contract are checked", arguments: BackendContract.checks.filter { $0.number < 10 })
  func contract(check: BackendCheck) throws {
    let folder = try TemporaryFolder()
    Backends.rule(check, BackendUnderTest(.sqlite, in: folder))
  }

  private func open(_ path: String, _ key: EncryptionKey) throws -> Opening.Outcome {
    try Opening.diagnosed(GettingStarted.migrator, path: path, key: key)
  }

  private func refusal(_ path: String, _ key: EncryptionKey) throws -> String? {
    guard case .refused(let text) = try open(path, key) else { return nil }
    return text
  }
}
