import Foundation
import TestEngines
import Testing

@Suite("Processes: keys in memory")
struct KeyMemoryTests {
  @Test(
    "after a database is closed or converted, the process's memory contains neither the key nor derived keys",
    .disabled(if: Sanitizer.isPresent, "a sanitizer keeps copies in terabytes of additional memory"),
    arguments: TestTier.pairs(TestEngine.encrypting, ["raw", "passphrase", "rawWithSalt"]))
  func wiped(engine: TestEngine, form: String) throws {
    for way in ["provided", "given"] {
      let worker = try WorkerProcess(engine, try engine.temporaryPath(), "search-memory", form, way)
      let (code, output) = try worker.finish()
      #expect(code == 0, "\(output)")
      let lines = output.split(separator: "\n").map(String.init)
      let expected = form == "passphrase" ? ["bytes", "digits", "derived"] : ["bytes", "digits"]
      for name in expected {
        let open = try #require(lines.first { $0.hasPrefix("open \(name) ") })
        // The search works: it finds the key while the database is open.
        if name != "digits" { #expect(!open.hasSuffix(" 0"), "\(way): \(lines)") }
        #expect(lines.contains("closed \(name) 0"), "\(way): \(lines)")
        #expect(lines.contains("converted \(name) 0"), "\(way): \(lines)")
      }
      #expect(lines.contains("sum 1 \(way == "provided" ? "kept" : "gone")"))
    }
  }
}
