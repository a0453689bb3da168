internal import Foundation

extension Workload {
  /// W10: the status of 200 applied migrations in the tool, compared with reading the same table in SQLite's shell.
  ///
  /// - Returns: Nil when `Tools/bench` did not build the tool, or when there is no shell.
  static func starting(_ files: Files) -> Workload? {
    let environment = ProcessInfo.processInfo.environment
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    let shell = folders.map { "\($0)/sqlite3" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let shell, let tool = environment["BENCHMARK_TOOL"], FileManager.default.isExecutableFile(atPath: tool) else {
      return nil
    }
    let database = "\(files.folder)/status.sqlite"
    let migrations = "\(files.folder)/migrations"
    do {
      try FileManager.default.createDirectory(atPath: migrations, withIntermediateDirectories: true)
      for number in 1001...1200 {
        let sql = "CREATE TABLE table_\(number) (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"
        try Data(sql.utf8).write(to: URL(filePath: "\(migrations)/\(number)_table.sql"))
      }
    } catch {
      return nil
    }
    func run(_ command: String) -> Program {
      .command(tool, [command, "--database", database, "--migrations", migrations])
    }
    let nothing = files.call("", "status.sqlite")
    return Workload(
      name: "W10", preparation: [Step(program: run("migrate"), call: nothing)],
      series: [
        Series(name: "tool", program: run("status"), call: nothing),
        Series(
          name: "shell", program: .command(shell, [database, "SELECT * FROM migrator_history"]), call: nothing),
      ],
      rows: [
        Row(
          title: "W10 migrator status, whole process, against sqlite3", series: "tool", baseline: "shell",
          timeLimit: 0.02)
      ], processesPerRound: 15)
  }
}
