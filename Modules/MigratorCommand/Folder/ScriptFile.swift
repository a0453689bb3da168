internal import Migrator

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Reads files as text, with the reason when that fails.
enum ScriptFile {
  /// The text of a UTF-8 file, as it is, a byte order mark included.
  static func text(at path: String) throws(MigrationProblem) -> String {
    let bytes = try bytes(at: path)
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw MigrationProblem(.utf16, path: path)
    }
    let offset = firstInvalidOffset(in: bytes)
    let position = SQLTextPosition(
      ofUTF8Offset: offset, in: String(decoding: bytes[..<offset], as: UTF8.self))
    throw MigrationProblem(.notUTF8(offset: offset), path: path, position: position)
  }

  /// The digest of a text, in 64 hexadecimal digits.
  ///
  /// Editors and git change line ends, and blanks at the ends of lines and of the file, without changing what a migration
  /// does; the digest does not see them, nor a byte order mark.
  static func checksum(of text: String) -> String {
    var bytes: [UInt8] = []
    var blanks: [UInt8] = []
    var previous: UInt8?
    for byte in text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? text.utf8.dropFirst(3) : text.utf8[...] {
      switch byte {
      case 0x0A where previous == 0x0D:
        break
      case 0x0A, 0x0D:
        // Blanks before a line end are forgotten; the line end waits for a character that is not blank.
        while blanks.last == 0x20 || blanks.last == 0x09 { blanks.removeLast() }
        blanks.append(0x0A)
      case 0x20, 0x09:
        blanks.append(byte)
      default:
        bytes += blanks
        bytes.append(byte)
        blanks = []
      }
      previous = byte
    }
    return SHA256.hexadecimal(of: bytes)
  }

  /// Why the system did not let a file or folder be read.
  static func unreadability(_ error: any Error) -> MigrationProblem.Unreadability {
    guard let error = error as? CocoaError else { return .other("the system reports: \(error)") }
    return switch error.code {
    case .fileReadNoPermission: .noPermission
    case .fileReadNoSuchFile, .fileNoSuchFile: .missing
    default: .other("the system reports error \(error.code.rawValue) (\(error))")
    }
  }

  private static func bytes(at path: String) throws(MigrationProblem) -> [UInt8] {
    do {
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      var reason = unreadability(error)
      // Foundation reports a pipe or a device in this way, whatever the permissions are.
      if reason == .noPermission, FileManager.default.isReadableFile(atPath: path) {
        reason = .other("it is no regular file")
      }
      throw MigrationProblem(.unreadable(reason), path: path)
    }
  }

  private static func firstInvalidOffset(in bytes: [UInt8]) -> Int {
    var parser = UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var offset = 0
    while case .valid(let scalar) = parser.parseScalar(from: &iterator) { offset += scalar.count }
    return min(offset, bytes.count)
  }
}
