import Migrator
import SQLCipherBackend
import TestEngines
import Testing

@Suite("Keys")
struct KeyTests {
  @Test("No description shows a key")
  func descriptions() {
    let key = EncryptionKey.passphrase(TestKey.passphraseText)
    var dumped = ""
    dump(key, to: &dumped)
    let backend = SQLCipher(path: "x.db", key: key)
    var dumpedBackend = ""
    dump(backend, to: &dumpedBackend)
    for text in ["\(key)", String(reflecting: key), dumped, dumpedBackend, "\(backend)", backend.label] {
      #expect(!text.contains(TestKey.passphraseText))
      #expect(!text.contains("SecretBytes"))
    }
    #expect("\(key)" == "EncryptionKey(…)")
  }
}
