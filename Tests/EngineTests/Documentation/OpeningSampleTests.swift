import Migrator
import MigratorTestKit
import SQLCipherBackend
import TestEngines
import Testing

@Suite("The documentation's samples: opening")
struct OpeningSampleTests {
  @Test("a plain file is opened")
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

  @Test("what keeps a file from being opened is told apart")
  func diagnosed() throws {
    let folder = try TemporaryFolder()
    let key = EncryptionKey.passphrase("Queequeg")
    try Opening.plain(GettingStarted.migrator, path: folder.file("plain.sqlite")).close()
    guard case .opened(let dbQueue) = try open(folder.file("secret.db"), key) else {
      Issue.record("a new file is not opened")
      return
    }
    try dbQueue.close()
    #expect(try refusal(folder.file("secret.db"), .passphrase("Ahab"))?.hasPrefix("This is not the key") == true)
    #expect(try refusal(folder.file("plain.sqlite"), key) == "The file is not encrypted.")
    #expect(try refusal(folder.file("other.db"), .raw([1, 2, 3])) == "There is no usable key.")
  }

  @Test("the rules of a contract are run", arguments: BackendContract.checks.filter { $0.number < 10 })
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
