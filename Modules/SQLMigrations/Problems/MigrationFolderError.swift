/// All the reasons why the migrations of a folder cannot be run, found before any of them did.
package struct MigrationFolderError: Error, Hashable, Sendable {
  /// The folder's path as it was given.
  package let folder: String

  /// The problems in the order of the folder's files, and inside a file in the order of its lines; never empty.
  package let problems: [MigrationProblem]

  /// Makes an error of the problems of a folder.
  package init(folder: String, problems: [MigrationProblem]) {
    self.folder = folder
    self.problems = problems
  }
}

extension MigrationFolderError: CustomStringConvertible {
  /// The problems one after another, and their number when there are several.
  package var description: String {
    let texts = problems.map(\.description)
    guard texts.count > 1 else { return texts.joined() }
    return (["\(texts.count) problems in \(folder); nothing was run"] + texts).joined(separator: "\n")
  }
}
