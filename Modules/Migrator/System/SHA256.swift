/// The SHA-256 digest of bytes, by FIPS 180-4 (https://doi.org/10.6028/NIST.FIPS.180-4).
///
/// Tells whether a text changed. It guards no secret: it runs in no constant time and wipes no memory.
package struct SHA256 {
  private var hash: SIMD8<UInt32> = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]

  /// The digest as 64 lower-case hexadecimal digits.
  package static func hexadecimal(of bytes: [UInt8]) -> String { bytes.withUnsafeBytes(hexadecimal) }

  /// The digest as 64 lower-case hexadecimal digits.
  package static func hexadecimal(of bytes: UnsafeRawBufferPointer) -> String {
    let hash = words(of: bytes)
    return String(unsafeUninitializedCapacity: 64) { text in
      for index in 0..<8 {
        UnsafeMutableRawPointer(text.baseAddress?.advanced(by: index * 8))?
          .storeBytes(of: digits(of: hash[index]), as: UInt64.self)
      }
      return 64
    }
  }

  /// The eight hexadecimal digits of a word, all at once: the bytes of a word in memory.
  private static func digits(of word: UInt32) -> UInt64 {
    // Each step parts every group of digits in two, the first half going to the lower address.
    var digits = UInt64(word)
    digits = (digits & 0xFFFF) << 32 | digits >> 16
    digits = (digits & 0x0000_00FF_0000_00FF) << 16 | digits >> 8 & 0x0000_00FF_0000_00FF
    digits = (digits & 0x000F_000F_000F_000F) << 8 | digits >> 4 & 0x000F_000F_000F_000F
    let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    let distance = UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
    return (digits &+ 0x3030_3030_3030_3030 &+ letters &* distance).littleEndian
  }

  /// The digest as eight words.
  static func words(of bytes: [UInt8]) -> SIMD8<UInt32> { bytes.withUnsafeBytes(words) }

  private static func words(of message: UnsafeRawBufferPointer) -> SIMD8<UInt32> {
    var digest = SHA256()
    let whole = message.count / 64 * 64
    digest.process(UnsafeRawBufferPointer(rebasing: message[..<whole]))
    // The rest with a 1 bit, zeros, and the length in bits: one block of 64 bytes, or two (5.1.1).
    let count = message.count - whole
    let size = count < 56 ? 64 : 128
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { end in
      end.copyMemory(from: UnsafeRawBufferPointer(rebasing: message[whole...]))
      end[count...].initializeMemory(as: UInt8.self, repeating: 0)
      end[count] = 0x80
      end.storeBytes(of: (UInt64(message.count) &* 8).bigEndian, toByteOffset: size - 8, as: UInt64.self)
      digest.process(UnsafeRawBufferPointer(end))
    }
    return digest.hash
  }

  /// Mixes whole blocks into the hash.
  private mutating func process(_ blocks: UnsafeRawBufferPointer) {
    Self.constants.withUnsafeBufferPointer { constants in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
        for block in stride(from: 0, to: blocks.count, by: 64) {
          Self.expand(blocks, from: block, into: schedule)
          compress(schedule, constants)
        }
      }
    }
  }

  /// Prepares the message schedule of one block (6.2.2, step 1), all of whose memory is written.
  private static func expand(
    _ message: UnsafeRawBufferPointer, from block: Int, into schedule: UnsafeMutableBufferPointer<UInt32>
  ) {
    for index in 0..<16 {
      let word = message.loadUnaligned(fromByteOffset: block + index * 4, as: UInt32.self)
      schedule[index] = UInt32(bigEndian: word)
    }
    for index in 16..<64 {
      let early = schedule[index - 15]
      let late = schedule[index - 2]
      let sigma0 = rotated(early, by: 7) ^ rotated(early, by: 18) ^ early >> 3
      let sigma1 = rotated(late, by: 17) ^ rotated(late, by: 19) ^ late >> 10
      schedule[index] = schedule[index - 16] &+ sigma0 &+ schedule[index - 7] &+ sigma1
    }
  }

  /// Mixes one block into the hash (6.2.2, steps 2 to 4).
  private mutating func compress(
    _ schedule: UnsafeMutableBufferPointer<UInt32>, _ constants: UnsafeBufferPointer<UInt32>
  ) {
    var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
    var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
    // Eight rounds at a time: each renames the variables instead of moving their values along.
    for index in stride(from: 0, to: 64, by: 8) {
      let word = { (offset: Int) in constants[index + offset] &+ schedule[index + offset] }
      Self.mix(a, b, c, &d, e, f, g, &h, word(0))
      Self.mix(h, a, b, &c, d, e, f, &g, word(1))
      Self.mix(g, h, a, &b, c, d, e, &f, word(2))
      Self.mix(f, g, h, &a, b, c, d, &e, word(3))
      Self.mix(e, f, g, &h, a, b, c, &d, word(4))
      Self.mix(d, e, f, &g, h, a, b, &c, word(5))
      Self.mix(c, d, e, &f, g, h, a, &b, word(6))
      Self.mix(b, c, d, &e, f, g, h, &a, word(7))
    }
    hash &+= SIMD8(a, b, c, d, e, f, g, h)
  }

  /// One round of step 3; the fourth and the eighth variable are the ones that change.
  @inline(__always)
  private static func mix(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
    _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32, _ word: UInt32
  ) {
    let sum1 = rotated(e, by: 6) ^ rotated(e, by: 11) ^ rotated(e, by: 25)
    let first = h &+ sum1 &+ ((e & f) ^ (~e & g)) &+ word
    let sum0 = rotated(a, by: 2) ^ rotated(a, by: 13) ^ rotated(a, by: 22)
    d &+= first
    h = first &+ sum0 &+ ((a & b) ^ (a & c) ^ (b & c))
  }

  private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 {
    word &>> count | word &<< (32 &- count)
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2).
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
