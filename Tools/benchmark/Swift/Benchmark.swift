internal import Foundation

/// Measures the library against plain C, each run in a process of its own; see ``Options/help``.
///
/// Times are reported and never asserted: they depend on the machine, and on who else uses it.
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

  /// What a process of a series does.
  private static func runJob(_ arguments: [String]) throws {
    guard let call = Call(arguments), let job = Job(call) else { throw Options.Usage() }
    try job.loadLibrary()
    print(try Measurement(of: job, repetitions: call.repetitions).text)
  }

  private static func measure(_ options: Options) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "migrator-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // A folder that cannot be removed is the system's to clean up.
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

  /// Shows a line at once, also through a pipe.
  private static func show(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  private static func fail(_ text: String, code: Int32) -> Never {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(code)
  }
}
