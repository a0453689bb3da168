import Foundation
import TestEngines
import Testing

@Suite("The documentation's pages")
struct PageTests {
  @Test("samples on the pages are code of these tests, so they compile and run")
  func samples() throws {
    let pages = try DocumentationPage.all()
    let samples = try CodeSample.all()
    let compiled = Set(samples.map(\.code))
    for page in pages {
      for block in page.samples where !compiled.contains(block) {
        Issue.record("\(page.path) shows code that is not a sample of these tests:\n\(block)")
      }
    }
    let shown = Set(pages.flatMap(\.samples))
    for sample in samples where !shown.contains(sample.code) {
      Issue.record("no page shows the sample at \(sample.place):\n\(sample.code)")
    }
    #expect(shown.count > 2)
  }

  @Test("every file and folder that a page names exists")
  func paths() throws {
    let pattern = /(?:\.ci|\.github|Modules|Plugins|Tests|Tools)\/[A-Za-z0-9_.+\/-]*[A-Za-z0-9_+\/]/
    for page in try DocumentationPage.all() {
      for path in Set(page.text.matches(of: pattern).map { String($0.output) }) {
        let exists = FileManager.default.fileExists(atPath: "\(BuiltEngines.packageRoot)/\(path)")
        #expect(exists, "\(page.path) names \(path)")
      }
    }
  }

  @Test("every link to a file of the package leads to an existing file and heading")
  func links() throws {
    var count = 0
    for page in try DocumentationPage.all() {
      let folder = URL(filePath: "\(BuiltEngines.packageRoot)/\(page.path)").deletingLastPathComponent()
      for link in page.text.matches(of: /\]\(([^)#:]+)(?:#([^)]+))?\)/) where link.output.1.contains(".") {
        count += 1
        let file = folder.appending(path: String(link.output.1))
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
          #expect(FileManager.default.fileExists(atPath: file.path), "\(page.path) links to \(link.output.1)")
          continue
        }
        guard let anchor = link.output.2 else { continue }
        // GitHub's anchors: lower case, without punctuation, with hyphens for spaces.
        let anchors = text.matches(of: /(?m)^#+ (.+)$/).map { heading in
          heading.output.1.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
            .replacing(" ", with: "-")
        }
        #expect(anchors.contains(String(anchor)), "\(page.path) links to \(link.output.1)#\(anchor)")
      }
    }
    #expect(count > 20)
  }

  @Test("the page for coding agents is short, and plain Markdown, since the website has a copy of it")
  func agents() throws {
    let page = try DocumentationPage("Modules/MigratorCommand/MigratorCommand.docc/ForCodingAgents.md")
    #expect(page.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 150)
    #expect(!page.text.contains("<doc:") && !page.text.contains("``Mig"))
  }

  @Test("every test folder is described")
  func folders() throws {
    let page = try DocumentationPage("Tests/README.md")
    for folder in ["Tests", "Tests/EngineTests"] {
      let root = "\(BuiltEngines.packageRoot)/\(folder)"
      for name in try FileManager.default.contentsOfDirectory(atPath: root) where !name.contains(".") {
        #expect(page.text.contains("`\(folder)/\(name)/`"), "\(page.path) does not mention \(folder)/\(name)")
      }
    }
  }
}
