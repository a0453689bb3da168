import SQLiteEngine
import TestEngines
import Testing

@Suite("Deriving keys")
struct KeyDerivationTests {
  /// Known answers for the passphrase "password" and the salt "salt", truncated to 32 bytes: those for SHA-1 extend
  /// https://www.rfc-editor.org/rfc/rfc6070, those for SHA-256 and SHA-512 are common PBKDF2 test vectors.
  private let answers: [(KeyDerivation.Hash, Int, String)] = [
    (.sha1, 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
    (.sha1, 4096, "4b007901b765489abead49d926f721d065a429c1"),
    (.sha256, 1, "120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b"),
    (.sha512, 1, "867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252"),
  ]

  @Test("A derived key is the known one, followed by the salt", arguments: TestEngine.encrypting)
  func knownAnswers(engine: TestEngine) throws {
    let library = try engine.library()
    #expect(library.derivesKeys)
    let passphrase = try #require(SecretBytes(count: 8) { $0.copyBytes(from: "password".utf8) })
    for (hash, iterations, answer) in answers {
      let how = KeyDerivation(hash: hash, iterations: iterations, salt: Array("salt".utf8))
      let key = try #require(library.deriveKey(from: passphrase, by: how)).withBytes { Array($0) }
      let digits = key.map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }.joined()
      #expect(digits.hasPrefix(answer))
      #expect(key.count == 36)
      #expect(Array(key.suffix(4)) == Array("salt".utf8))
    }
  }

  @Test("SQLite without encryption derives no keys")
  func withoutEncryption() throws {
    let library = try TestEngine.sqlite.library()
    let secret = try #require(SecretBytes(count: 1) { $0[0] = 1 })
    #expect(!library.derivesKeys)
    #expect(library.deriveKey(from: secret, by: KeyDerivation(hash: .sha1, iterations: 1, salt: [1])) == nil)
  }
}
