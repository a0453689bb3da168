package import Foundation
package import SQLMigrations

/// A folder of files for one test, removed when the fixture goes.
package final class FolderFixture {
  /// The folder's path.
  package let path: String

  /// Writes files, by their paths in the folder; folders in these are created.
  package init(_ files: [String: String]) throws {
    path = FileManager.default.temporaryDirectory.path + "/migration-folder-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, text) in files { try write(Data(text.utf8), to: name) }
  }

  deinit {
    // What cannot be removed is left to the system's own cleaning of its temporary folder.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes one file.
  package func write(_ data: Data, to name: String) throws {
    let url = URL(fileURLWithPath: path + "/" + name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  /// The folder as it is read.
  package func read() throws -> MigrationFolder { try MigrationFolder.read(path) }

  /// The problems that reading the folder finds; none when it succeeds.
  package func problems() -> [MigrationProblem] {
    do {
      _ = try MigrationFolder.read(path)
      return []
    } catch {
      return error.problems
    }
  }

  /// The problems' places and kinds, without the folder's path.
  package func findings() -> [Finding] {
    problems().map { problem in
      Finding(String(problem.location.dropFirst(path.count + 1)), problem.kind)
    }
  }

  /// The only file of a folder that holds this text.
  package static func file(_ text: String, named name: String = "1_a.sql") throws -> MigrationFile {
    let fixture = try FolderFixture([name: text])
    guard let file = try fixture.read().files.first else {
      throw MigrationFolderError(folder: fixture.path, problems: fixture.problems())
    }
    return file
  }

  /// A problem's place in the folder, and its kind.
  package struct Finding: Equatable, CustomStringConvertible {
    /// The file's path in the folder, with line and column where they are known.
    package let place: String
    /// What is wrong there.
    package let kind: MigrationProblem.Kind

    package init(_ place: String, _ kind: MigrationProblem.Kind) {
      self.place = place
      self.kind = kind
    }

    package var description: String { "\(place) \(kind)" }
  }
}
