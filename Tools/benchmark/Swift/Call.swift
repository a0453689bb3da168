/// One job in the form of the programs' arguments: `<job> <library> <file> <key> <count> <repetitions> [<sql> ...]`.
struct Call: Sendable {
  var job: String
  var library: String
  var file: String
  /// A passphrase, or `x'...'` with 64 hexadecimal digits for a raw key; empty for none.
  var key = ""
  /// The number of rows or migrations.
  var count = 0
  /// The number of runs in the process.
  var repetitions = 1
  var sql: [String] = []

  var arguments: [String] { [job, library, file, key, String(count), String(repetitions)] + sql }
}

extension Call {
  /// Parses the arguments of a program.
  init?(_ arguments: [String]) {
    guard arguments.count >= 6, let count = Int(arguments[4]), let repetitions = Int(arguments[5]) else { return nil }
    self.init(
      job: arguments[0], library: arguments[1], file: arguments[2], key: arguments[3], count: count,
      repetitions: repetitions, sql: Array(arguments[6...]))
  }
}
