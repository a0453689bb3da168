/// The checksum of a migration's text, in the form in which a tool records it.
enum RecordedChecksum {
  /// SHA-256 in hexadecimal digits, as Prisma and Drizzle record it.
  case sha256
  /// SHA-384 in hexadecimal digits; the table of sqlx contains the digest as bytes.
  case sha384
  /// CRC-32 of the lines without line endings, as a signed number, as Flyway records it.
  case crc32
  /// SHA-256 in Base64 of the names and texts of all files up to the migration's, as Atlas records it.
  case atlas

  /// Returns the checksums that the tool may have recorded for each migration with a text, keyed by identifier.
  ///
  /// Each migration has several checksums, since git may change line endings.
  func values(of migrations: [Migration]) -> [String: Set<String>] {
    var values: [String: Set<String>] = [:]
    for lineEnd in [nil, "\n", "\r\n"] as [String?] {
      var chain = SHA256()
      for migration in migrations {
        guard let text = migration.text else {
          if self == .atlas { break }
          continue
        }
        let bytes = lineEnd.map { text.bytes(withLineEnd: $0) } ?? Array(text.utf8)
        let checksum: String
        switch self {
        case .sha256: checksum = SHA256.hexadecimal(of: bytes)
        case .sha384: checksum = SHA384.hexadecimal(of: bytes)
        case .crc32: checksum = "\(Self.crc32(ofLinesIn: bytes))"
        case .atlas:
          chain.append(Array("\(migration.identifier).sql".utf8) + bytes)
          checksum = chain.base64
        }
        values[migration.identifier, default: []].insert(checksum)
      }
    }
    return values
  }

  /// Returns the CRC-32 of a text without its line endings and byte order mark, as ISO 3309 defines it
  /// (https://www.rfc-editor.org/rfc/rfc1952#section-8).
  private static func crc32(ofLinesIn bytes: [UInt8]) -> Int32 {
    var remainder = UInt32.max
    for byte in bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0) where byte != 0x0A && byte != 0x0D {
      remainder ^= UInt32(byte)
      for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return Int32(bitPattern: ~remainder)
  }
}

extension AdoptedHistory.Format {
  /// The form of the checksums that the tool records; nil if it records none, or none that can be compared.
  var checksum: RecordedChecksum? {
    switch self {
    case .sqlx: .sha384
    case .prisma, .drizzle: .sha256
    case .flyway: .crc32
    case .atlas: .atlas
    default: nil
    }
  }
}

extension String {
  /// Returns the text as UTF-8, with each CR LF and LF replaced by `lineEnd`.
  fileprivate func bytes(withLineEnd lineEnd: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in utf8 {
      guard byte == 0x0A else {
        bytes.append(byte)
        continue
      }
      if bytes.last == 0x0D { bytes.removeLast() }
      bytes += lineEnd.utf8
    }
    return bytes
  }
}
