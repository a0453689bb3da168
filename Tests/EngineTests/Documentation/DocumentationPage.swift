import Foundation
import TestEngines

/// A page of the documentation: the README, a guide, or an article of a DocC catalog.
struct DocumentationPage {
  /// The path in the package.
  let path: String
  let text: String

  init(_ path: String) throws {
    self.path = path
    text = try String(contentsOfFile: "\(BuiltEngines.packageRoot)/\(path)", encoding: .utf8)
  }

  /// Returns every page, sorted by path.
  static func all() throws -> [DocumentationPage] {
    let pages = [
      "README.md", ".github/CONTRIBUTING.md", ".github/CHANGELOG.md", "Tests/README.md",
      "Modules/MigratorTestKit/BACKEND-RULES.md",
    ]
    return try (pages + articlePaths()).sorted().map { try DocumentationPage($0) }
  }

  /// Returns the paths of the catalogs' articles.
  static func articlePaths() throws -> [String] {
    try ["Modules", "Plugins"].flatMap { folder in
      try FileManager.default.subpathsOfDirectory(atPath: "\(BuiltEngines.packageRoot)/\(folder)")
        .filter { $0.contains(".docc/") && $0.hasSuffix(".md") }
        .map { "\(folder)/\($0)" }
    }
  }

  /// The code blocks marked as Swift or C, each with a newline at the end.
  ///
  /// The blocks of the README form a whole package, which `Tests/ToolTests/SampleAppTests.swift` builds and runs.
  var samples: [String] {
    guard path != "README.md" else { return [] }
    var blocks: [String] = []
    var block: String?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let open = block {
        block = line == "```" ? nil : open + line + "\n"
        if line == "```" { blocks.append(open) }
      } else if line == "```swift" || line == "```c" {
        block = ""
      }
    }
    return blocks
  }
}
