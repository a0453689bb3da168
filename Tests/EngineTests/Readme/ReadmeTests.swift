import Foundation
import Migrator
import TestEngines
import Testing

@Suite("The README")
struct ReadmeTests {
  private static let pages = ["README.md", "Tests/README.md"]

  @Test("the samples are files of these tests, so they compile")
  func samples() throws {
    let blocks = try Self.text("README.md").swiftBlocks.filter { $0.hasPrefix("import ") }
    let files = try ["Library", "Diary"].map { try Self.text("Tests/EngineTests/Readme/\($0).swift") }
    #expect(blocks == files)
  }

  @Test("the sample for plain files does what it says")
  func library() throws {
    let folder = try TemporaryFolder()
    try Library.open(path: folder.file("library.sqlite")).write { db in
      try db.execute(
        sql: """
          INSERT INTO author (name, birthYear) VALUES ('Herman Melville', 1819);
          INSERT INTO book (authorId, title) VALUES (1, 'Moby-Dick')
          """)
    }
    let dbQueue = try Library.open(path: folder.file("library.sqlite"))
    try dbQueue.write { db in
      #expect(try Library.migrator.hasCompletedMigrations(db))
      #expect(try Int.fetchOne(db, sql: "SELECT birthYear FROM author") == 1819)
      try db.execute(sql: "DELETE FROM author")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM book") == 0)
    }
    try dbQueue.close()
    #expect(try folder.bytes(of: "library.sqlite").starts(with: Array("SQLite format 3\0".utf8)))
  }

  @Test("the sample for encrypted files does what it says")
  func diary() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("diary.db")
    let dbQueue = try #require(try Diary.open(path: path, passphrase: TestKey.passphraseText))
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO entry (day, words) VALUES ('1851-10-18', 'Call me Ishmael.')")
    }
    try dbQueue.close()
    #expect(try Diary.open(path: path, passphrase: "Queequeg") == nil)
    let again = try #require(try Diary.open(path: path, passphrase: TestKey.passphraseText))
    #expect(try again.read { db in try String.fetchOne(db, sql: "SELECT words FROM entry") } == "Call me Ishmael.")
    try again.close()
    let bytes = try folder.bytes(of: "diary.db")
    #expect(bytes.firstRange(of: Array("Ishmael".utf8)) == nil)
    #expect(!bytes.starts(with: Array("SQLite format".utf8)))
  }

  @Test("every file and folder that is named exists", arguments: pages)
  func paths(page: String) throws {
    let pattern = /(?:\.ci|Modules|Plugins|Tests|Tools)\/[A-Za-z0-9_.+\/-]*[A-Za-z0-9_+\/]/
    let paths = try Self.text(page).matches(of: pattern).map { String($0.output) }
    #expect(paths.count > 5)
    for path in Set(paths) {
      let exists = FileManager.default.fileExists(atPath: "\(BuiltEngines.packageRoot)/\(path)")
      #expect(exists, "\(page) names \(path)")
    }
  }

  @Test("every product that is named exists")
  func products() throws {
    let names = try Self.text("README.md").matches(of: /\.product\(name: "(\w+)", package: "(\w+)"\)/).map(\.output)
    let package = try Self.text("Package.swift")
    #expect(names.count == 3)
    for (_, product, name) in names {
      #expect(package.contains(".library(name: \"\(product)\""))
      #expect(package.contains("name: \"\(name)\","))
    }
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(BuiltEngines.packageRoot)/\(path)", encoding: .utf8)
  }
}

extension String {
  /// The contents of the blocks of code that are marked as Swift, each with a newline at its end.
  fileprivate var swiftBlocks: [String] {
    var blocks: [String] = []
    var block: String?
    for line in split(separator: "\n", omittingEmptySubsequences: false) {
      if let open = block {
        block = line == "```" ? nil : open + line + "\n"
        if line == "```" { blocks.append(open) }
      } else if line == "```swift" {
        block = ""
      }
    }
    return blocks
  }
}
