import Foundation
import Migrator
import SQLCipherBackend
import TestEngines
import Testing

/// What becomes of files that have the names of a conversion's own.
@Suite("Conversions beside files of other people")
struct ConversionNamesTests {
  /// Conversions in all directions: what they do with names does not hang on the settings of encryption.
  private static let conversions = [TestConversion.encrypt, .decrypt, .rekey, .upgrade]

  private static let suffixes = ["", "-journal", "-wal", "-shm", "-had-log", "-claim"]

  @Test(
    "A file that no conversion made is refused, and neither it nor the database is changed",
    arguments: TestEngine.encrypting, conversions)
  func foreign(engine: TestEngine, conversion: TestConversion) throws {
    for hasLog in [false, true] {
      let trial = try ConversionTrial(engine, conversion, hasLog: hasLog)
      for name in Self.suffixes.map({ "db-converting" + $0 }) {
        for bytes in [Data(), Data("somebody's own".utf8), Data(count: 5000)] {
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

  @Test("A database, a link and a folder that have the name of the copy stay", arguments: TestEngine.encrypting)
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
    "What a killed conversion says of its copy is said of no other file", arguments: TestEngine.encrypting, conversions)
  func leftovers(engine: TestEngine, conversion: TestConversion) throws {
    let trial = try ConversionTrial(engine, conversion, hasLog: false)
    // A conversion that has to wait for a moment makes more calls than the next one: then they are counted again.
    var isKilled = false
    for _ in 1...3 where !isKilled {
      let swap = try #require(try trial.calls().firstIndex(of: "rename")) + 1
      try trial.reset()
      isKilled = try trial.convert(["KILL": "\(swap)"]).isKilled
    }
    #expect(isKilled)
    #expect(try trial.folder.names() == ["db", "db-converting", "db-converting-claim"])
    // Beside it, since a file of the same number is the same file.
    try trial.folder.write(Data("somebody's own".utf8), to: "other")
    try FileManager.default.removeItem(atPath: trial.path + "-converting")
    try FileManager.default.moveItem(atPath: trial.folder.file("other"), toPath: trial.path + "-converting")
    let error = try databaseError { try conversion.run(trial.path, engine) }
    #expect(error.condition == .denied)
    #expect(try trial.folder.bytes(of: "db-converting") == Data("somebody's own".utf8))
    #expect(try trial.state() == .old)
    try FileManager.default.removeItem(atPath: trial.path + "-converting")
    #expect(try trial.defectAfterRetry() == nil)
  }

  @Test("A database that is converted already leaves other people's files alone", arguments: TestEngine.encrypting)
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
