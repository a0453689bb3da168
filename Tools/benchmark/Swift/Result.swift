/// One row of the report.
struct Result: Sendable, Encodable {
  var workload: String
  /// The medians, in milliseconds.
  var milliseconds: Double
  var baselineMilliseconds: Double
  var ratio: Double
  /// The maximum acceptable ratio.
  var limit: Double?
  /// The maximum acceptable time, in milliseconds.
  var millisecondsLimit: Double?
  /// The growth of the processes at their peak, in MiB (median).
  var mebibytes: Double
  var baselineMebibytes: Double
  /// The maximum acceptable growth, in MiB.
  var mebibytesLimit: Double?

  init(_ row: Workload.Row, _ measurements: [Measurement], baseline: [Measurement]) {
    workload = row.title
    milliseconds = measurements.map { row.statistic.seconds($0) }.median * 1000
    baselineMilliseconds = baseline.map { row.statistic.seconds($0) }.median * 1000
    ratio = baselineMilliseconds > 0 ? milliseconds / baselineMilliseconds : 0
    limit = row.limit
    millisecondsLimit = row.timeLimit.map { $0 * 1000 }
    mebibytes = measurements.map(\.growth).median
    baselineMebibytes = baseline.map(\.growth).median
    mebibytesLimit = row.memoryLimit
  }

  /// Whether a limit is exceeded.
  var isOver: Bool {
    limit.map { ratio > $0 } ?? false || millisecondsLimit.map { milliseconds > $0 } ?? false
      || mebibytesLimit.map { mebibytes > $0 } ?? false
  }
}

extension Workload.Statistic {
  fileprivate func seconds(_ measurement: Measurement) -> Double {
    switch self {
    case .first: measurement.seconds.first ?? 0
    case .later: Array(measurement.seconds.dropFirst()).median
    }
  }
}

extension Measurement {
  fileprivate var growth: Double { Double(memoryPeak - memoryBefore) / 1024 }
}
