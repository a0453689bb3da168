import Foundation
import TestEngines

/// The bytes of a database and of the files beside it.
struct DatabaseFiles {
  var main: [UInt8] = []
  /// The write-ahead log; empty if there is none.
  var log: [UInt8] = []
  /// The rollback journal; empty if there is none.
  var journal: [UInt8] = []

  /// Whether a connection that reads may have to recover the database, which changes the files.
  var needsRecovery: Bool { !log.isEmpty || !journal.isEmpty }

  private static let suffixes = ["", "-wal", "-journal", "-shm"]

  /// Reads the files of a database.
  init(path: String) {
    func bytes(_ suffix: String) -> [UInt8] {
      // A missing file has no bytes.
      (try? Data(contentsOf: URL(fileURLWithPath: path + suffix))).map(Array.init) ?? []
    }
    (main, log, journal) = (bytes(""), bytes("-wal"), bytes("-journal"))
  }

  /// Writes the files in place of those of an earlier database.
  func write(to path: String) throws {
    for suffix in Self.suffixes where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.removeItem(atPath: path + suffix)
    }
    for (suffix, bytes) in [("", main), ("-wal", log), ("-journal", journal)] where suffix.isEmpty || !bytes.isEmpty {
      try Data(bytes).write(to: URL(fileURLWithPath: path + suffix))
    }
  }
}
