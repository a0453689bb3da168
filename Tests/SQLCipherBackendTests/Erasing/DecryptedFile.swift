import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The decrypted pages of an encrypted file, read without SQLCipher, which does not show free pages.
///
/// Each page ends with its initialization vector and its authentication code; its content is encrypted with AES-256 in
/// CBC mode (https://www.zetetic.net/sqlcipher/design/).
enum DecryptedFile {
  /// Returns the pages one after another.
  ///
  /// - Parameters:
  ///   - reserved: The number of bytes after the content of each page.
  static func bytes(_ file: [UInt8], key: [UInt8], pageSize: Int, reserved: Int) throws -> [UInt8] {
    let cipher = try AES()
    var content: [UInt8] = []
    for start in stride(from: 0, to: file.count, by: pageSize) {
      let page = file[start..<min(start + pageSize, file.count)]
      let vectorStart = start + pageSize - reserved
      // The salt precedes the first page.
      let text = page[(start == 0 ? 16 : start)..<vectorStart]
      content += cipher.decrypted(Array(text), key: key, vector: Array(file[vectorStart..<(vectorStart + 16)]))
    }
    return content
  }
}

/// AES from OpenSSL, which SQLCipher uses too (https://docs.openssl.org/3.0/man3/EVP_EncryptInit/).
private struct AES {
  private typealias Create = @convention(c) () -> OpaquePointer?
  private typealias Release = @convention(c) (OpaquePointer?) -> Void
  private typealias Start =
    @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?, UnsafePointer<UInt8>, UnsafePointer<UInt8>) -> Int32
  private typealias SetPadding = @convention(c) (OpaquePointer?, Int32) -> Int32
  private typealias Update =
    @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int32>, UnsafePointer<UInt8>, Int32
    ) -> Int32

  private let create: Create
  private let release: Release
  private let cipher: Create
  private let start: Start
  private let setPadding: SetPadding
  private let update: Update

  init() throws {
    let names = ["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"]
    let library = try #require(names.lazy.compactMap { dlopen($0, RTLD_LAZY | RTLD_LOCAL) }.first)
    func symbol<Function>(_ name: String, as type: Function.Type) throws -> Function {
      unsafeBitCast(try #require(dlsym(library, name)), to: type)
    }
    create = try symbol("EVP_CIPHER_CTX_new", as: Create.self)
    release = try symbol("EVP_CIPHER_CTX_free", as: Release.self)
    cipher = try symbol("EVP_aes_256_cbc", as: Create.self)
    start = try symbol("EVP_DecryptInit_ex", as: Start.self)
    setPadding = try symbol("EVP_CIPHER_CTX_set_padding", as: SetPadding.self)
    update = try symbol("EVP_DecryptUpdate", as: Update.self)
  }

  func decrypted(_ text: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8] {
    let context = create()
    defer { release(context) }
    var plain = [UInt8](repeating: 0, count: text.count + 16)
    var count: Int32 = 0
    guard start(context, cipher(), nil, key, vector) == 1, setPadding(context, 0) == 1,
      update(context, &plain, &count, text, Int32(text.count)) == 1
    else { return [] }
    return Array(plain.prefix(Int(count)))
  }
}
