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
    var digest = SHA256()
    digest.append(bytes)
    return digest.hexadecimal
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

  /// The digest of all bytes appended so far, as 64 lowercase hexadecimal digits.
  var hexadecimal: String {
    let digest = words
    return digest.indices.map { digest[$0].hexadecimal }.joined()
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
    var end = [UInt8](repeating: 0, count: (119 - count % 64) % 64 + 1)
    end[0] = 0x80
    withUnsafeBytes(of: UInt64(count << 3).bigEndian) { end += $0 }
    var ended = self
    ended.append(end)
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

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2); SHA-384 uses
  /// the first 64 bits.
  private static let constants = SHA384.constants.prefix(64).map { UInt32($0 >> 32) }
}
