/// Series that are measured by turns, and the rows of the report that compare them.
struct Workload: Sendable {
  var name: String
  /// What makes the files; run once, in plain C unless said otherwise.
  var preparation: [Step] = []
  var series: [Series]
  var rows: [Row]
  /// How many processes of each series a round has: where they take milliseconds, the median of a few tells little.
  var processesPerRound = 1

  /// Which program runs.
  enum Program: Sendable {
    case library, raw
    /// Any program, measured as a whole.
    case command(String, [String])
  }

  struct Step: Sendable {
    var program = Program.raw
    var call: Call
  }

  /// Processes that all do the same.
  struct Series: Sendable {
    var name: String
    var program: Program
    var call: Call
    var reset = Reset.nothing
  }

  /// What makes a file new for the next process.
  enum Reset: Sendable {
    case nothing
    case removing
    case copying(String)
    case script([String])
  }

  /// Which of the runs in a process count.
  enum Statistic: Sendable {
    /// The first one alone.
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
    /// The largest ratio that is wanted.
    var limit: Double?
    /// The largest growth of the process that is wanted, in MiB.
    var memoryLimit: Double?
  }
}
