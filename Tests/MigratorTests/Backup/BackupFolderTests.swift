import Foundation
import Testing

@testable import Migrator

@Suite("Backup names")
struct BackupFolderTests {
  private static let unrelated = [
    "a.db", "b.db.backup-20230101T000000.000Z", "a.db.backup-mine", "a.db.backup-20230101", "a.db.bak-mine",
    "a.db.backup-20230101T000000.000Z-x", "a.db.backup-2023X101T000000.000Z", "a.db.backup-20230101T000000Z",
    "a.db.backup-20230101T000000.000Z-1", "a.db.backup-20230101T000000.000Z-02", "a.db.bak-20230101T000000.000Z",
    "a.db.backup-library-20230101T000000.000Z", "a.db.backup-20230101T000000.000Z-2-3", "a.db.backup-",
    "a.db.backup-20230101T000000.000Z.unfinished",
  ]

  @Test("The newest three backups and write-protected ones are kept, and no other file is touched")
  func rotation() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "backups-\(UUID())").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let old = ["", "-2", "-3"].map { "a.db.backup-20240101T000000.000Z" + $0 }
    let kept = ["20240101T000000.000Z-10", "20240101T000000.001Z", "20250101T000000.000Z"].map { "a.db.backup-" + $0 }
    for name in old + kept + Self.unrelated {
      try Data(name.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    }
    let folder = BackupFolder(ofDatabaseAt: "\(path)/a.db")
    #expect(folder.backups == old + kept)
    BackupFolder.retain("\(path)/\(old[2])")
    folder.removeOutdated(keeping: 3) { $0 == old[1] }
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: path)) == Set(old[1...] + kept + Self.unrelated))
  }

  @Test("A new name sorts after all others, even if the clock was set back")
  func next() {
    let folder = BackupFolder(ofDatabaseAt: "/somewhere/a.db")
    func name(at date: String, _ names: [String]) -> String { folder.name(at: date, among: names + Self.unrelated) }
    let old = ["a.db.backup-20240101T000000.000Z", "a.db.backup-20240101T000000.000Z-2"]
    #expect(name(at: "1970-01-01T00:00:00.000Z", []) == "a.db.backup-19700101T000000.000Z")
    #expect(name(at: "1970-01-01T00:00:00.000Z", old) == "a.db.backup-20240101T000000.000Z-3")
    #expect(name(at: "2024-01-01T00:00:00.000Z", old) == "a.db.backup-20240101T000000.000Z-3")
    #expect(name(at: "2027-01-15T08:00:00.123Z", old) == "a.db.backup-20270115T080000.123Z")
  }

  @Test("A separate ledger's name is part of the names, with special characters escaped")
  func ledger() {
    let folder = BackupFolder(ofDatabaseAt: "a.db", in: "/backups", ledgerTable: "Sdk/..")
    #expect(folder.path == "/backups")
    #expect(folder.name(at: "2026-01-31T23:59:59.123Z", among: []) == "a.db.backup-sdk%2f%2e%2e-20260131T235959.123Z")
  }

  @Test("Only names of this database's backups count as unfinished")
  func unfinished() {
    let folder = BackupFolder(ofDatabaseAt: "a.db")
    let moment = "a.db.backup-20200102T030405.123Z"
    for moment in [moment, moment + "-2"] {
      for suffix in [".unfinished", ".unfinished-wal", ".unfinished-shm", ".unfinished-journal"] {
        #expect(folder.isUnfinished(moment + suffix))
      }
      for suffix in ["", ".partial", ".unfinished.csv", ".unfinished-x", "-unfinished"] {
        #expect(!folder.isUnfinished(moment + suffix))
      }
    }
    #expect(!folder.isUnfinished("my \(moment).unfinished"))
    #expect(!folder.isUnfinished("a.db.backup-\u{661}0200102T030405.123Z.unfinished"))
  }
}
