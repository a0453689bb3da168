internal import Migrator

/// The content of a write-ahead log: the newest committed version of each page in it.
///
/// See https://www.sqlite.org/fileformat2.html#the_write_ahead_log. The log of an encrypted database contains encrypted
/// pages, like the file, so they can be copied without the key.
struct WriteAheadLog {
  static let headerSize = 32
  private static let frameHeaderSize = 24

  /// The log's header, which changes when the engine restarts the log.
  let header: [UInt8]
  let pageSize: Int
  /// The number of pages of the database after the last commit; nil when the log contains no commit.
  private(set) var pageCount: Int?
  /// The offset in the log of the newest version of each page, by page number, from 1.
  private(set) var places: [Int: Int64] = [:]

  /// Reads the log; nil when there is no valid log.
  init?(_ file: EngineFile) throws(DatabaseError) {
    guard let header = try Self.header(file) else { return nil }
    // The magic number is 0x377f0682 if the checksums use little-endian words, 0x377f0683 if they use big-endian words.
    let magic = header.word(0)
    guard magic & ~1 == 0x377f_0682 else { return nil }
    let isBigEndian = magic & 1 == 1
    var sum = Checksum()
    sum.add(header[0..<24], isBigEndian: isBigEndian)
    guard sum.first == header.word(24), sum.second == header.word(28) else { return nil }
    self.header = header
    pageSize = Int(header.word(8))
    guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return nil }
    try readFrames(file, sum, isBigEndian: isBigEndian)
  }

  /// Returns the header of a log; nil when the file is shorter.
  static func header(_ file: EngineFile) throws(DatabaseError) -> [UInt8]? {
    guard file.sizeInBytes >= Int64(headerSize) else { return nil }
    return try file.bytes(count: headerSize, at: 0)
  }

  /// Reads the valid frames: their salts equal those of the header, their checksums match, and a commit frame follows.
  private mutating func readFrames(_ file: EngineFile, _ start: Checksum, isBigEndian: Bool) throws(DatabaseError) {
    var sum = start
    var uncommitted: [Int: Int64] = [:]
    var offset = Int64(Self.headerSize)
    let size = Self.frameHeaderSize + pageSize
    while let frame = try file.bytes(count: size, at: offset) {
      guard frame[8..<16] == header[16..<24] else { return }
      sum.add(frame[0..<8], isBigEndian: isBigEndian)
      sum.add(frame[Self.frameHeaderSize...], isBigEndian: isBigEndian)
      guard sum.first == frame.word(16), sum.second == frame.word(20) else { return }
      uncommitted[Int(frame.word(0))] = offset + Int64(Self.frameHeaderSize)
      let count = Int(frame.word(4))
      if count > 0 {
        places.merge(uncommitted) { $1 }
        uncommitted = [:]
        pageCount = count
      }
      offset += Int64(size)
    }
  }

  /// The running checksum over all preceding bytes (https://www.sqlite.org/fileformat2.html#checksum_algorithm).
  private struct Checksum {
    var first: UInt32 = 0
    var second: UInt32 = 0

    mutating func add(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
      bytes.withUnsafeBytes { bytes in
        for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
          let one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
          let two = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          first = first &+ (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
          second = second &+ (isBigEndian ? UInt32(bigEndian: two) : UInt32(littleEndian: two)) &+ first
        }
      }
    }
  }
}

extension [UInt8] {
  fileprivate func word(_ offset: Int) -> UInt32 {
    self[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
