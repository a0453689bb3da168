import Foundation
import Migrator
import SQLCipherBackend
import TestEngines
import Testing

/// Tests of files that happen to have the names of a conversion's own files.
@Suite("Conversions and unrelated files")
struct ConversionNamesTests {
  /// Conversions in all directions: their handling of names does not depend on the settings of encryption.
  private static let conversions = [TestConversion.encrypt, .decrypt, .rekey, .upgrade]

  private static let suffixes = ["", "-journal", "-wal", "-shm", "-had-log", "-claim"]

  @Test(
    "A file that no conversion created is rejected, and neither it nor the database changes",
    arguments: TestTier.pairs(TestEngine.encrypting, conversions))
  func foreign(engine: TestEngine, conversion: TestConversion) throws {
    for hasLog in TestTier.pick([true], full: [false, true]) {
      let trial = try ConversionTrial(engine, conversion, hasLog: hasLog)
      for (index, name) in Self.suffixes.map({ "db-converting" + $0 }).enumerated() {
        let contents = [Data("unrelated data".utf8), Data(), Data(count: 5000)].enumerated()
        // With and without a log, each name has other contents.
        let some = contents.filter { (index + $0.offset).isMultiple(of: 2) == hasLog }.map(\.element)
        for bytes in TestTier.pick(some.prefix(1), full: some[...]) {
          try trial.reset()
          try trial.folder.write(bytes, to: name)
          let error = try databaseError { try conversion.run(trial.path, engine) }
          #expect(error.condition == .denied && error.message.contains(name), "\(error)")
          #expect(try trial.folder.bytes(of: name) == bytes)
          #expect(try trial.folder.names() == ["db", name])
          #expect(try trial.state() == .old)
          try FileManager.default.removeItem(atPath: trial.folder.file(name))
          let defect = try trial.defectAfterRetry()
          #expect(defect == nil, "\(name)")
        }
      }
    }
  }

  @Test("A database, a link and a folder with the name of the copy are kept", arguments: TestEngine.encrypting)
  func otherKinds(engine: TestEngine) throws {
    let trial = try ConversionTrial(engine, .encrypt, hasLog: false)
    let copy = trial.path + "-converting"
    let manager = FileManager.default
    let makers: [() throws -> Void] = [
      { try manager.copyItem(atPath: trial.path, toPath: copy) },
      { try manager.createSymbolicLink(atPath: copy, withDestinationPath: "db") },
      { try manager.createDirectory(atPath: copy, withIntermediateDirectories: false) },
      { try manager.linkItem(atPath: trial.path, toPath: copy) },
    ]
    for make in makers {
      try trial.reset()
      try make()
      let error = try databaseError { try TestConversion.encrypt.run(trial.path, engine) }
      #expect(error.condition == .denied)
      #expect(try trial.folder.names() == ["db", "db-converting"])
      #expect(try trial.isUntouched())
    }
  }

  @Test(
    "The claim of a killed conversion applies to no other file than its copy",
    arguments: TestTier.pairs(TestEngine.encrypting, conversions))
  func leftovers(engine: TestEngine, conversion: TestConversion) throws {
    let trial = try ConversionTrial(engine, conversion, hasLog: false)
    try trial.reset()
    // The swap, by its name: a conversion that waits for the engine makes more calls before it.
    #expect(try trial.convert(["KILL_NAME": "renameat"]).isKilled)
    #expect(try trial.folder.names() == ["db", "db-converting", "db-converting-claim"])
    // Create it next to the copy, since a file with the same inode number would be the same file.
    try trial.folder.write(Data("unrelated data".utf8), to: "other")
    try FileManager.default.removeItem(atPath: trial.path + "-converting")
    try FileManager.default.moveItem(atPath: trial.folder.file("other"), toPath: trial.path + "-converting")
    let error = try databaseError { try conversion.run(trial.path, engine) }
    #expect(error.condition == .denied)
    #expect(try trial.folder.bytes(of: "db-converting") == Data("unrelated data".utf8))
    #expect(try trial.state() == .old)
    try FileManager.default.removeItem(atPath: trial.path + "-converting")
    #expect(try trial.defectAfterRetry() == nil)
  }

  @Test(
    "If another user replaces the folder during a conversion, the files of the folder at its path do not change",
    arguments: TestTier.pairs(TestEngine.encrypting, ConversionProgress.Phase.allCases))
  func replacedFolder(engine: TestEngine, phase: ConversionProgress.Phase) throws {
    for hasLog in TestTier.pick([true], full: [false, true]) { try replaceFolder(engine, phase, hasLog: hasLog) }
  }

  private func replaceFolder(_ engine: TestEngine, _ phase: ConversionProgress.Phase, hasLog: Bool) throws {
    // A conversion removes the database's journals before it creates the copy; the engine opens them, by their paths.
    let names =
      ["db", "db-original"] + Self.suffixes.map { "db-converting" + $0 }
      + (phase == .waiting ? [] : ["db-journal", "db-wal", "db-shm"])
    for (conversion, names) in Self.conversions.flatMap({ [($0, names), ($0, [])] }) {
      let trial = try ConversionTrial(engine, conversion, hasLog: hasLog)
      try trial.reset()
      let other = try TemporaryFolder()
      for name in names { try other.write(Data(name.utf8), to: name) }
      let (path, target, moved) = (trial.folder.path, other.path, trial.folder.path + "-moved")
      let isReplaced = Lock(false)
      let outcome = Result {
        try conversion.run(trial.path, engine, keepingOriginal: conversion == .rekey) { progress in
          guard progress.phase == phase, !isReplaced.withLock({ $0 }) else { return }
          isReplaced.withLock { $0 = true }
          rename(path, moved)
          symlink(target, path)
        }
      }
      #expect(isReplaced.withLock { $0 })
      unlink(path)
      rename(moved, path)
      let comment: Comment = "\(conversion), \(hasLog ? "with" : "without") a log, \(names.count) files: \(outcome)"
      #expect(try other.names() == names.sorted(), comment)
      for name in names { #expect(try other.bytes(of: name) == Data(name.utf8), comment) }
      #expect(throws: DatabaseError.self, comment) { try outcome.get() }
      #expect(try trial.state() == .old, comment)
      #expect(try trial.defectAfterRetry() == nil, comment)
    }
  }

  @Test("Converting an already converted database leaves unrelated files unchanged", arguments: TestEngine.encrypting)
  func alreadyConverted(engine: TestEngine) throws {
    let trial = try ConversionTrial(engine, .encrypt, hasLog: false)
    try trial.reset()
    try TestConversion.encrypt.run(trial.path, engine)
    let names = Self.suffixes.map { "db-converting" + $0 }
    for name in names { try trial.folder.write(Data(name.utf8), to: name) }
    #expect(try TestConversion.encrypt.run(trial.path, engine) == .alreadyConverted)
    for name in names { #expect(try trial.folder.bytes(of: name) == Data(name.utf8)) }
  }
}
