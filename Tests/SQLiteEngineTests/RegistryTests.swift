import FoundationEssentials
import Glibc
import Migrator
import SQLiteBackend
import TestEngines
import Testing

@testable import SQLiteEngine

@Suite("One engine per file")
struct RegistryTests {
  static let pairs = TestEngine.allCases.flatMap { one in
    TestEngine.allCases.filter { $0 != one }.map { Pair(first: one, second: $0) }
  }

  struct Pair: Sendable, CustomTestStringConvertible {
    let first: TestEngine
    let second: TestEngine
    var testDescription: String { "\(first), then \(second)" }
  }

  /// Returns a backend without encryption, so that only the registry can reject it.
  private func plain(_ engine: TestEngine, _ path: String) throws -> SQLite {
    SQLite(path: path, engine: .library(try engine.loadablePath()))
  }

  @Test("A second engine is rejected while a file is open, and accepted afterwards", arguments: RegistryTests.pairs)
  func secondEngine(pair: Pair) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    let first = try plain(pair.first, path).connect(ConnectionOptions())
    let same = try plain(pair.first, path).connect(ConnectionOptions())
    let error = try databaseError { _ = try plain(pair.second, path).connect(ConnectionOptions()) }
    #expect(error.condition == .openedByAnotherEngine)
    #expect(error.message.contains(try pair.first.engineDescription().version))
    try first.close()
    #expect(
      try databaseError { _ = try plain(pair.second, path).connect(ConnectionOptions()) }.condition
        == .openedByAnotherEngine)
    try same.close()
    try plain(pair.second, path).connect(ConnectionOptions()).close()
  }

  @Test("Another name of the same file is rejected too")
  func otherNames() throws {
    let folder = try TemporaryFolder()
    let connection = try plain(.sqlite, folder.file("db")).connect(ConnectionOptions())
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: "db")
    try FileManager.default.linkItem(atPath: folder.file("db"), toPath: folder.file("hard"))
    for name in ["link", "hard", "../\(folder.path.split(separator: "/").last ?? "")/db"] {
      let other = try plain(.sqlCipher4, folder.file(name))
      #expect(try databaseError { _ = try other.connect(ConnectionOptions()) }.condition == .openedByAnotherEngine)
    }
    try connection.close()
  }

  @Test("An open that fails, or finds another file, leaves nothing registered", arguments: TestEngine.allCases)
  func failedOpen(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    let library = try EngineLibrary.load(.sqlite, from: .library(try engine.loadablePath()))
    func error(_ open: () throws(DatabaseError) -> OpaquePointer) throws -> DatabaseError {
      for name in ["db", "other"] { try Data().write(to: URL(filePath: folder.file(name))) }
      let error = try databaseError {
        _ = try OpenFileRegistry.shared.register(path: path, library: library, open: open, close: {})
      }
      // A file that is still registered cannot be claimed.
      let claim = ConversionClaim()
      try OpenFileRegistry.shared.claim(path, for: claim, library: library)
      OpenFileRegistry.shared.release(claim)
      return error
    }
    let failed = try error { () throws(DatabaseError) in throw DatabaseError(.full, engine: "", message: "") }
    #expect(failed.condition == .full)
    let replaced = try error { () throws(DatabaseError) in
      _ = rename(folder.file("other"), path)
      return OpaquePointer(bitPattern: 1)!
    }
    #expect(replaced.condition == .fileReplaced)
  }

  @Test("A statement that outlives its connection keeps the file registered")
  func survivingStatement() throws {
    let folder = try TemporaryFolder()
    let connection = try plain(.sqlite, folder.file("db")).connect(ConnectionOptions())
    var statement = try connection.prepare("SELECT 1", utf8Offset: 0).statement
    try connection.close()
    let other = try plain(.sqlCipher4, folder.file("db"))
    #expect(try databaseError { _ = try other.connect(ConnectionOptions()) }.condition == .openedByAnotherEngine)
    #expect(statement != nil)
    statement = nil
    try other.connect(ConnectionOptions()).close()
  }

  @Test("A file that other code of the process has open is rejected", arguments: TestEngine.allCases)
  func foreignDescriptor(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    try engine.connect(folder.file("db")).close()
    let foreign = try #require(FileHandle(path: folder.file("db")))
    let error = try databaseError { _ = try engine.connect(folder.file("db")) }
    #expect(error.condition == .openedByAnotherEngine)
    foreign.close()
    let connection = try engine.connect(folder.file("db"))
    // While one of our connections is open, the owner of a descriptor can no longer be determined.
    let late = try #require(FileHandle(path: folder.file("db")))
    try engine.connect(folder.file("db")).close()
    late.close()
    try connection.close()
  }

  @Test("Two engines that create one file at the same time: one of them gets it", arguments: 0..<10)
  func creationRace(round: Int) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("db")
    let results = await withTaskGroup(of: Bool.self) { group in
      for engine in [TestEngine.sqlite, .sqlCipher4, .sqlCipher3, .sqlite] {
        group.addTask {
          do {
            let connection = try plain(engine, path).connect(ConnectionOptions())
            try connection.begin(.immediate)
            // Hold it for a moment on this thread, so that the others arrive meanwhile.
            usleep(20_000)
            try connection.commit()
            try connection.close()
            return true
          } catch {
            return (error as? DatabaseError)?.condition != .openedByAnotherEngine
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.contains(true))
  }
}

/// A descriptor that belongs to this test.
private struct FileHandle {
  private let descriptor: Int32

  init?(path: String) {
    descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
  }

  func close() { _ = Glibc.close(descriptor) }
}
