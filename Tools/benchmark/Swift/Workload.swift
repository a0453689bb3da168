/// Series that are measured in turn, and the rows of the report that compare them.
struct Workload: Sendable {
  var name: String
  /// The steps that create the files; run once, in plain C by default.
  var preparation: [Step] = []
  var series: [Series]
  var rows: [Row]
  /// The number of processes of each series in a round; more for short processes, whose median varies.
  var processesPerRound = 1

  /// The program to run.
  enum Program: Sendable {
    case library, raw
    /// Any program, measured as a whole process.
    case command(String, [String])
  }

  struct Step: Sendable {
    var program = Program.raw
    var call: Call
  }

  /// Processes that all do the same work.
  struct Series: Sendable {
    var name: String
    var program: Program
    var call: Call
    var reset = Reset.nothing
  }

  /// The way to reset the file for the next process.
  enum Reset: Sendable {
    case nothing
    case removing
    case copying(String)
    case script([String])
  }

  /// The runs of a process that count.
  enum Statistic: Sendable {
    /// Only the first one.
    case first
    /// The median of all but the first.
    case later
  }

  /// A comparison of two series.
  struct Row: Sendable {
    var title: String
    var series: String
    var baseline: String
    var statistic = Statistic.first
    /// The maximum acceptable ratio.
    var limit: Double?
    /// The maximum acceptable time, in seconds.
    var timeLimit: Double?
    /// The maximum acceptable growth of the process, in MiB.
    var memoryLimit: Double?
  }
}
