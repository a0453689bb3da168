#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The SHA-256 digest of bytes, as FIPS 180-4 defines it (https://doi.org/10.6028/NIST.FIPS.180-4).
///
/// Detects whether text has changed. Do not use it for secrets: it does not run in constant time or wipe memory.
package struct SHA256 {
  private var hash: SIMD8<UInt32> = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// The bytes after the last complete block of 64 bytes.
  private var rest: [UInt8] = []
  private var count = 0

  /// Creates the digest of no bytes.
  package init() {}

  /// Returns the digest as 64 lowercase hexadecimal digits.
  package static func hexadecimal(of bytes: [UInt8]) -> String {
    let digest = words(of: bytes)
    return String(decoding: digest.indices.flatMap { digest[$0].hexadecimalDigits }, as: UTF8.self)
  }

  static func words(of bytes: [UInt8]) -> SIMD8<UInt32> {
    var digest = SHA256()
    digest.append(bytes)
    return digest.words
  }

  /// Appends bytes to the input of the digest.
  package mutating func append(_ bytes: [UInt8]) {
    count += bytes.count
    rest += bytes
    var schedule = [UInt32](repeating: 0, count: 64)
    let end = rest.count - rest.count % 64
    for block in stride(from: 0, to: end, by: 64) {
      Self.expand(rest[block..<(block + 64)], into: &schedule)
      hash &+= Self.mixed(hash, schedule)
    }
    rest.removeFirst(end)
  }

  /// The digest of all bytes appended so far, in Base64.
  package var base64: String {
    let digest = words
    return Data(
      digest.indices.flatMap { index in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: digest[index] >> $0) } }
    )
    .base64EncodedString()
  }

  private var words: SIMD8<UInt32> {
    // A 1 bit, zeros, and the length in bits end the last block of 64 bytes (5.1.1).
    let zeros = [UInt8](repeating: 0, count: (119 - count % 64) % 64)
    let length = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: (count << 3) >> $0) }
    var ended = self
    ended.append([0x80] + zeros + length)
    return ended.hash
  }

  /// Prepares the message schedule of one block (FIPS 180-4, 6.2.2, step 1).
  private static func expand(_ block: ArraySlice<UInt8>, into schedule: inout [UInt32]) {
    for index in 0..<16 {
      let start = block.startIndex + index * 4
      schedule[index] = block[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
      let (early, late) = (schedule[index - 15], schedule[index - 2])
      let sigma0 = rotated(early, by: 7) ^ rotated(early, by: 18) ^ early >> 3
      let sigma1 = rotated(late, by: 17) ^ rotated(late, by: 19) ^ late >> 10
      schedule[index] = schedule[index - 16] &+ sigma0 &+ schedule[index - 7] &+ sigma1
    }
  }

  /// Returns the hash with one block mixed in (FIPS 180-4, 6.2.2, steps 2 and 3).
  private static func mixed(_ hash: SIMD8<UInt32>, _ schedule: [UInt32]) -> SIMD8<UInt32> {
    var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
    var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
    for index in 0..<64 {
      let sum1 = rotated(e, by: 6) ^ rotated(e, by: 11) ^ rotated(e, by: 25)
      let first = h &+ sum1 &+ ((e & f) ^ (~e & g)) &+ constants[index] &+ schedule[index]
      let sum0 = rotated(a, by: 2) ^ rotated(a, by: 13) ^ rotated(a, by: 22)
      let second = sum0 &+ ((a & b) ^ (a & c) ^ (b & c))
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    return SIMD8(a, b, c, d, e, f, g, h)
  }

  private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 { word &>> count | word &<< (32 &- count) }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// The number as lowercase hexadecimal digits, including leading zeros.
  var hexadecimal: String {
    String(decoding: hexadecimalDigits, as: UTF8.self)
  }

  /// The digits of ``hexadecimal`` as ASCII.
  fileprivate var hexadecimalDigits: [UInt8] {
    stride(from: Self.bitWidth - 4, through: 0, by: -4).map { shift in
      let digit = UInt8(truncatingIfNeeded: self >> shift) & 0xF
      return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
  }
}
