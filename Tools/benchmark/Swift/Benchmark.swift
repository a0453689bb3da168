internal import Foundation

/// Compares the library with plain C, each run in a separate process; see ``Options/help``.
///
/// Reports times without asserting them: they depend on the machine and its load.
@main
enum Benchmark {
  static func main() {
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      if arguments.first == "job" {
        try runJob(Array(arguments.dropFirst()))
      } else {
        try measure(Options(arguments))
      }
    } catch is Options.Usage {
      fail(Options.help, code: 2)
    } catch {
      fail("Benchmark: \(error)", code: 1)
    }
  }

  /// Runs the job of a process in a series.
  private static func runJob(_ arguments: [String]) throws {
    guard let call = Call(arguments), let job = Job(call) else { throw Options.Usage() }
    try job.loadLibrary()
    print(try Measurement(of: job, repetitions: call.repetitions).text)
  }

  private static func measure(_ options: Options) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "migrator-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // If the folder cannot be removed, the system cleans it up.
    defer { try? FileManager.default.removeItem(at: folder) }

    var report = Report(engine: options.library, rounds: options.rounds, isQuick: options.isQuick)
    var bench = Bench(options)
    if !options.printsJSONOnly { show(Report.heading) }
    for workload in Workload.all(options, folder: folder.path) where options.wants(workload) {
      let results = try bench.results(of: workload)
      report.results += results
      if !options.printsJSONOnly { for result in results { show(Report.line(result)) } }
    }
    show(try report.json())
  }

  /// Prints a line immediately, even to a pipe.
  private static func show(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  private static func fail(_ text: String, code: Int32) -> Never {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(code)
  }
}
