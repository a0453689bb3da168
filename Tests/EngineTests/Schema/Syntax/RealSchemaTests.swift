import Foundation
import Migrator
import SQLSyntax
import TestEngines
import Testing

/// Parses the definitions of Synapse, which has hundreds, and those that Django generates for itself and ten apps.
@Suite("SQL syntax: real schemas")
struct RealSchemaTests {
  @Test(
    "every CREATE statement of large real schemas is parsed completely, as by the engine",
    .enabled(if: TestTier.isFull, "Tools/test --full; the schemas are downloaded"))
  func creation() throws {
    var (count, kinds) = (0, Set<String>())
    var faults: [String] = []
    try TestEngine.sqlCipher4.inMemoryQueue().writeWithoutTransaction { db in
      for file in try Self.files() {
        let script = try String(contentsOf: file, encoding: .utf8)
        for statement in try SQLStatementSplitter.split(script) {
          guard statement.kind == .create else { continue }
          count += 1
          do throws(SQLSyntaxError) {
            let syntax = try SQLTree(parsing: statement.text)
            if syntax.source.text != statement.text { faults.append(statement.text) }
            kinds.insert(syntax.source.tokens.prefix(2).map { $0.text.uppercased() }.joined(separator: " "))
          } catch {
            // A statement that the engine rejects, too, is written for another engine.
            let message = Self.message(statement.text, db)
            if message?.contains("syntax error") != true { faults.append("\(file.lastPathComponent): \(error)") }
          }
        }
      }
    }
    print("\(count) real CREATE statements were read")
    #expect(count > 500)
    #expect(
      kinds.isSuperset(of: ["CREATE TABLE", "CREATE INDEX", "CREATE UNIQUE", "CREATE TRIGGER", "CREATE VIRTUAL"]))
    #expect(faults.isEmpty, "\(faults.count): \(faults.prefix(5))")
  }

  private static func message(_ sql: String, _ db: Database) -> String? {
    do throws(DatabaseError) {
      _ = try db.connection.prepare(sql, utf8Offset: 0)
      return nil
    } catch { return error.message }
  }

  /// The folder with the schemas of real projects, which are downloaded once into the build folder.
  static let folder = Result {
    let folder = URL(filePath: BuiltEngines.packageRoot).appending(path: ".build/real-schemas")
    try ShellScript.run("Tools/checks/real-schemas '\(folder.path)'", in: BuiltEngines.packageRoot)
    return folder
  }

  /// Returns the projects, each with its schemas in the order of its migrations.
  static func histories() throws -> [(name: String, schemas: [URL])] {
    try content(folder.get().appending(path: "histories")).map { ($0.lastPathComponent, try content($0)) }
  }

  /// Returns the files of Synapse, and the last schema of each other project.
  private static func files() throws -> [URL] {
    try content(folder.get().appending(path: "synapse")) + histories().compactMap(\.schemas.last)
  }

  private static func content(_ folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .sorted { $0.path < $1.path }
  }
}
