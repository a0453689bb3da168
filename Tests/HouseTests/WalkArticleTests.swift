import Foundation
import Testing

/// The articles that lead through the code: each lists the files of one walk, in the order in which they are entered.
///
/// `Tools/checks/walks` measures which files a walk enters and compares; these tests check the articles without running
/// the walks.
@Suite
struct WalkArticleTests {
  struct Article: Sendable, CustomTestStringConvertible {
    let path: String
    let mostFiles: Int

    var testDescription: String { path.split(separator: "/").last.map(String.init) ?? path }
  }

  static let articles = [
    Article(path: "Modules/Migrator/Migrator.docc/HowAMigrationRuns.md", mostFiles: 20),
    Article(
      path: "Modules/SQLiteDialect/SQLiteDialect.docc/HowASchemaChangeBecomesStatements.md", mostFiles: 20),
    Article(path: "Modules/MigratorCommand/MigratorCommand.docc/HowTheToolRunsACommand.md", mostFiles: 28),
    Article(path: "Plugins/SQLCipherBackend/SQLCipherBackend.docc/HowADatabaseIsEncrypted.md", mostFiles: 20),
  ]

  @Test(arguments: articles)
  func `an article lists files that exist, none twice, and not too many`(article: Article) throws {
    let files = try ProjectSources.text(article.path).matches(of: /(?m)^\d+\. `([^`]+)`/).map { String($0.output.1) }
    #expect(!files.isEmpty)
    #expect(files.count <= article.mostFiles)
    #expect(Set(files).count == files.count)
    #expect(files.filter { !ProjectSources.exists($0) } == [])
  }
}
