import Foundation
import Testing

/// Most Macs keep projects and builds on a file system that ignores letter case.
@Suite
struct LetterCaseTests {
  @Test
  func `no two files or folders of the project differ only in letter case`() throws {
    let entries = try FileManager.default.contentsOfDirectory(atPath: ProjectSources.root.path)
    let paths = entries.filter { ![".build", ".git", ".swiftpm"].contains($0) }.flatMap { entry in
      // A file has no subpaths.
      let below = FileManager.default.subpaths(atPath: ProjectSources.root.appending(path: entry).path) ?? []
      return [entry] + below.map { "\(entry)/\($0)" }
    }
    try #require(paths.count > 500)
    #expect(Self.clashes(paths) == [])
  }

  /// The folders and files of a build are named after them, with additions such as `.build` and `.swiftmodule`.
  @Test
  func `no two targets, modules or products of the package differ only in letter case`() throws {
    let package = try ProjectSources.text("Package.swift")
    let declarations = package.matches(
      of: /\.(target|executableTarget|testTarget|library|executable|plugin)\(\s*name: "([^"]+)"/)
    let names = declarations.map { String($0.output.2) }
    for kind in ["target", "executableTarget", "testTarget", "library", "executable", "plugin"] {
      try #require(declarations.contains { $0.output.1 == kind })
    }
    let modules = names.map { name in String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" }) }
    #expect(Self.clashes(names + modules) == [])
  }

  /// Returns the names that another name differs from only in letter case, sorted.
  private static func clashes(_ names: [String]) -> [String] {
    Dictionary(grouping: Set(names)) { $0.lowercased() }.values.filter { $0.count > 1 }.flatMap(\.self).sorted()
  }

  @Test
  func `names that differ only in letter case are found`() {
    #expect(Self.clashes(["A/b.swift", "A/B.swift", "A/c.swift", "A/c.swift"]) == ["A/B.swift", "A/b.swift"])
  }
}
