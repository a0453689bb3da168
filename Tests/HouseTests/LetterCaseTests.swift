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

  /// The library `Migrator` and the program `migrator` may share a name, because a library adds no file of its own.
  @Test
  func `no two files of a build differ only in letter case`() throws {
    let package = try ProjectSources.text("Package.swift")
    let targets = package.matches(of: /\.(?:target|executableTarget|testTarget)\(\s*name: "([^"]+)"/)
    let programs = package.matches(of: /\.executable\(\s*name: "([^"]+)"/)
    try #require(targets.count > 30 && programs.count > 1)
    let files =
      targets.flatMap { target in
        let name = String(target.output.1)
        let module = String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        return Set(["\(module).build", "\(module).swiftmodule", "\(name).build"])
      } + programs.flatMap { ["\($0.output.1)", "\($0.output.1).product"] }
    #expect(Self.clashes(files) == [])
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
