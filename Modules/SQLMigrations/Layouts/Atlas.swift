internal import Migrator
internal import SQLSyntax

extension MigrationLayout {
  /// The layout of Atlas: `20240131120000_name.sql` with `atlas.sum`, which must match the files
  /// (https://atlasgo.io/concepts/migration-directory-integrity).
  package static let atlas = MigrationLayout(
    requiresUniqueVersions: false, list: "atlas.sum", settle: checkAtlasSum)

  @Sendable private static func checkAtlasSum(_ listing: inout FolderListing) {
    let path = listing.path(of: "atlas.sum")
    for index in listing.found.indices where listing.found[index].layout == .plain {
      listing.found[index].layout = .atlas
    }
    do {
      let sum = try AtlasSum(path: path)
      listing.problems += try sum.problems(listing)
    } catch {
      listing.problems.append(error)
    }
  }
}

/// The file `atlas.sum`: one hash for the whole list, and one for each file of the folder, which covers the names and
/// texts of all files up to that file.
private struct AtlasSum {
  private let path: String
  private let lines: [(name: String, hash: String)]

  init(path: String) throws(MigrationProblem) {
    self.path = path
    let text = try ScriptFile.text(at: path).split(whereSeparator: \.isNewline)
    lines = text.dropFirst().compactMap { line in
      line.firstRange(of: "h1:").map { (line[..<$0.lowerBound].trimmingWhitespace, String(line[$0.upperBound...])) }
    }
    var total = SHA256()
    for line in lines { total.append(Array((line.name + line.hash).utf8)) }
    guard lines.count == text.count - 1, text.first.map({ $0 == "h1:\(total.base64)" }) ?? false else {
      throw MigrationProblem(.atlasSum(.broken), path: path)
    }
  }

  /// Returns the differences between the list and the folder: the files that one of them contains and the other lacks.
  ///
  /// If there are no such files, returns only the first edited file, since its change also alters all later hashes;
  /// empty if no file was edited.
  func problems(_ listing: FolderListing) throws(MigrationProblem) -> [MigrationProblem] {
    let listed = Set(lines.map(\.name))
    var problems: [MigrationProblem] = []
    for line in lines where !ScriptFile.exists(listing.path(of: line.name)) {
      problems.append(MigrationProblem(.atlasSum(.missing(line.name)), path: path))
    }
    // Atlas hashes the name, but not the text, of a file with this directive.
    var ignored: [String] = []
    for file in listing.found where file.role == .forward {
      let name = String(file.path.dropFirst(listing.path(of: "").count))
      guard !listed.contains(name) else { continue }
      if try ScriptFile.text(at: file.path).prefix(while: { !$0.isNewline }).contains("atlas:sum ignore") {
        ignored.append(name)
      } else {
        problems.append(MigrationProblem(.atlasSum(.notListed), path: file.path))
      }
    }
    guard problems.isEmpty else { return problems }
    var digest = SHA256()
    for line in lines {
      while let name = ignored.first, name < line.name { digest.append(Array(ignored.removeFirst().utf8)) }
      let path = listing.path(of: line.name)
      digest.append(Array(line.name.utf8) + Array(try ScriptFile.text(at: path).utf8))
      guard digest.base64 == line.hash else { return [MigrationProblem(.atlasSum(.edited), path: path)] }
    }
    return []
  }
}
