package import Foundation
package import SQLMigrations

/// A folder of files for one test, removed with the fixture.
package final class FolderFixture {
  private let folder: TemporaryFolder
  /// The folder's path.
  package var path: String { folder.path }

  /// Writes files, by their paths in the folder, and creates missing subfolders.
  package init(_ files: [String: String]) throws {
    folder = try TemporaryFolder()
    for (name, text) in files { try folder.write(text.utf8, to: name) }
  }

  /// Writes one file.
  package func write(_ data: Data, to name: String) throws { try folder.write(data, to: name) }

  /// Reads the folder.
  package func read() throws -> MigrationFolder { try MigrationFolder.read(path) }

  /// Returns the problems of reading the folder; empty when it succeeds.
  package func problems() -> [MigrationProblem] {
    do {
      _ = try MigrationFolder.read(path)
      return []
    } catch {
      return error.problems
    }
  }

  /// Returns the locations and kinds of the problems, without the folder's path.
  package func findings() -> [Finding] {
    problems().map { problem in
      Finding(String(problem.location.dropFirst(path.count + 1)), problem.kind)
    }
  }

  /// Returns the only file of a folder, with this text.
  package static func file(_ text: String, named name: String = "1_a.sql") throws -> MigrationFile {
    let fixture = try FolderFixture([name: text])
    guard let file = try fixture.read().files.first else {
      throw MigrationFolderError(folder: fixture.path, problems: fixture.problems())
    }
    return file
  }

  /// The location of a problem in the folder, and its kind.
  package struct Finding: Equatable, CustomStringConvertible {
    /// The file's path in the folder, with line and column if they are known.
    package let place: String
    /// The kind of the problem.
    package let kind: MigrationProblem.Kind

    package init(_ place: String, _ kind: MigrationProblem.Kind) {
      self.place = place
      self.kind = kind
    }

    package var description: String { "\(place) \(kind)" }
  }
}
