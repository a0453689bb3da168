import Migrator
import Testing

/// The examples of FIPS 180-4 and NIST's test vectors, and all lengths near a block boundary.
@Suite("SHA256")
struct SHA256Tests {
  @Test(
    "Known digests",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
  func known(text: String, digest: String) {
    #expect(SHA256.hexadecimal(of: Array(text.utf8)) == digest)
  }

  @Test("Every length near a block boundary is padded correctly")
  func lengths() {
    let digests = (0...130).map { SHA256.hexadecimal(of: [UInt8](repeating: 0x61, count: $0)) }

    #expect(Set(digests).count == digests.count)
    #expect(digests[55] == "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318")
    #expect(digests[56] == "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a")
    #expect(digests[64] == "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb")
  }

  @Test("Bytes that are appended in parts have the digest of the whole")
  func parts() {
    let bytes = [UInt8](repeating: 0x61, count: 1_000)
    var digest = SHA256()
    for start in stride(from: 0, to: 1_000, by: 37) { digest.append(Array(bytes[start..<min(start + 37, 1_000)])) }

    #expect(digest.base64 == "Qe3s5C1j6Nm/UVqbppMuHCDLyfWl0TRkWttdsblzfqM=")
  }

  @Test(
    "SHA-384, which sqlx records, of lengths near a block boundary",
    arguments: [
      (0, "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b"),
      (111, "3c37955051cb5c3026f94d551d5b5e2ac38d572ae4e07172085fed81f8466b8f90dc23a8ffcdea0b8d8e58e8fdacc80a"),
      (112, "187d4e07cb306103c69967bf544d0dfbe9042577599c73c330abc0cb64c61236d5ed565ee19119d8c31779a38f791fcd"),
      (127, "9bd06b1763c2cf7aef40e795dc65bc96d59c41b537f3ad72ebdefd485476b5717c1aeb37c327fe9c1831b12b9efd08ae"),
      (128, "edb12730a366098b3b2beac75a3bef1b0969b15c48e2163c23d96994f8d1bef760c7e27f3c464d3829f56c0d53808b0b"),
    ])
  func sha384(length: Int, digest: String) {
    #expect(SHA384.hexadecimal(of: [UInt8](repeating: 0x61, count: length)) == digest)
  }
}
