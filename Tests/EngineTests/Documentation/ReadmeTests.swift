import Foundation
import Migrator
import TestEngines
import Testing

@Suite("The README")
struct ReadmeTests {
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

  @Test("every product that is named exists")
  func products() throws {
    let names = try DocumentationPage(DocumentationPage.readme).text.matches(
      of: /\.product\(name: "(\w+)", package: "(\w+)"\)/
    ).map(\.output)
    let package = try String(contentsOfFile: "\(BuiltEngines.packageRoot)/Package.swift", encoding: .utf8)
    #expect(names.count == 3)
    for (_, product, name) in names {
      #expect(package.contains(".library(name: \"\(product)\""))
      #expect(package.contains("name: \"\(name)\","))
    }
  }
}
