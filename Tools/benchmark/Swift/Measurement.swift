internal import Foundation

/// The measurements of one process.
struct Measurement: Sendable {
  /// The memory in use before the first run, in KiB; zero when unknown.
  var memoryBefore: Int
  /// The peak memory use, in KiB.
  var memoryPeak: Int
  /// The duration of each run.
  var seconds: [Double]
}

extension Measurement {
  /// The text that the programs print.
  var text: String { ([String(memoryBefore), String(memoryPeak)] + seconds.map { String($0) }).joined(separator: " ") }

  init?(text: String) {
    let fields = text.split(whereSeparator: \.isWhitespace)
    guard fields.count > 2, let before = Int(fields[0]), let peak = Int(fields[1]) else { return nil }
    self.init(memoryBefore: before, memoryPeak: peak, seconds: fields.dropFirst(2).compactMap { Double($0) })
  }

  /// Measures the runs of a job.
  init(of job: Job, repetitions: Int) throws {
    memoryBefore = Self.memory("VmRSS")
    seconds = []
    for repetition in 0..<repetitions {
      if repetition > 0 { try job.makeReadyAgain() }
      let start = ContinuousClock.now
      try job.run()
      seconds.append((ContinuousClock.now - start - job.takeUncounted()) / .seconds(1))
    }
    memoryPeak = Self.memory("VmHWM")
  }

  /// Returns a number from /proc/self/status; zero on other systems.
  private static func memory(_ field: String) -> Int {
    // Without the file, there is nothing to report.
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}

extension [Double] {
  /// The median of the numbers; zero when there are none.
  var median: Double {
    guard !isEmpty else { return 0 }
    let sorted = sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}
