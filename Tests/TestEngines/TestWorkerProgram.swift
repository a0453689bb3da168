#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The program of `Tests/TestWorker/`, which tests start, race and kill.
package enum TestWorkerProgram {
  /// Its location: beside the program that runs the tests.
  package static var url: URL {
    get throws {
      let tests = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      let worker = tests.deletingLastPathComponent().appendingPathComponent("TestWorker")
      guard FileManager.default.isExecutableFile(atPath: worker.path) else { throw Missing(path: worker.path) }
      return worker
    }
  }

  private struct Missing: Error { let path: String }
}
