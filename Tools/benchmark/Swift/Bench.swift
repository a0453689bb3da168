internal import Foundation

/// Runs workloads: starts the processes in turn and collects their measurements.
struct Bench {
  private let options: Options
  private let programs: URL
  private var measurements: [String: [Measurement]] = [:]

  init(_ options: Options) {
    self.options = options
    programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
  }

  /// Measures a workload.
  mutating func results(of workload: Workload) throws -> [Result] {
    measurements = [:]
    for step in workload.preparation { _ = try run(step.program, step.call) }
    for turn in 0..<options.rounds * workload.processesPerRound {
      // Alternates the direction, so that no series always runs after the same other one.
      for series in turn.isMultiple(of: 2) ? workload.series : workload.series.reversed() {
        try reset(series, of: workload)
        measurements[series.name, default: []].append(try run(series.program, series.call))
      }
    }
    return workload.rows.map { row in
      Result(row, measurements[row.series] ?? [], baseline: measurements[row.baseline] ?? [])
    }
  }

  private func reset(_ series: Workload.Series, of workload: Workload) throws {
    let file = series.call.file
    switch series.reset {
    case .nothing: break
    case .removing: try remove(file)
    case .copying(let seed):
      // Removes all copies, so that every series starts with the same amount of recently freed memory: the system is
      // much slower to provide memory that was never used.
      for series in workload.series {
        if case .copying = series.reset { try remove(series.call.file) }
      }
      try FileManager.default.copyItem(atPath: seed, toPath: file)
      // Otherwise the first commit would include the time to write the copy.
      let handle = try FileHandle(forUpdating: URL(filePath: file))
      try handle.synchronize()
      try handle.close()
    case .script(let sql):
      var call = series.call
      (call.job, call.sql) = ("script", sql)
      _ = try run(.raw, call)
    }
  }

  private func remove(_ file: String) throws {
    for path in [file, file + "-journal", file + "-wal", file + "-shm", file + ".out"]
    where FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
  }

  private func run(_ program: Workload.Program, _ call: Call) throws -> Measurement {
    if case .command(let path, let arguments) = program {
      return try WholeProcess.measurement(path, arguments)
    }
    let process = Process()
    let output = Pipe()
    switch program {
    case .library:
      process.executableURL = programs.appending(path: "Benchmark")
      process.arguments = ["job"] + call.arguments
    case .raw:
      process.executableURL = programs.appending(path: "BenchmarkRaw")
      process.arguments = call.arguments
    case .command: break
    }
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0, let measurement = Measurement(text: text) else {
      throw Failure(job: "\(program) \(call.job) \(call.file)")
    }
    return measurement
  }

  /// A process that ended without a result; it reported the reason on standard error.
  struct Failure: Error {
    var job: String
  }
}
