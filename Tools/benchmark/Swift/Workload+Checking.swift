internal import Foundation

extension Workload {
  /// W13: `check` and `lint` of many files, compared with SQLite's shell, which runs the same files once; and the status of a
  /// database whose ledger has many rows of migrations that the folder does not contain.
  ///
  /// - Returns: Nil when `Tools/bench` did not build the tool.
  static func checking(_ files: Files, _ options: Options) -> Workload? {
    guard let tool = ProcessInfo.processInfo.environment["BENCHMARK_TOOL"] else { return nil }
    let count = options.scaled(5000)
    let folder = "\(files.folder)/checked"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for number in 0..<count {
        try Data(text(number).utf8).write(to: URL(filePath: "\(folder)/\(100_000 + number)_file.sql"))
      }
    } catch {
      return nil
    }
    let (nothing, database) = (files.call("", "checked.sqlite"), "\(files.folder)/checked.sqlite")
    let rows = options.scaled(1_000_000)
    let fill = """
      INSERT INTO migrator_history (identifier, position, applied_at, duration)
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(rows))
      SELECT 'former_' || n, n, '2026-01-01T00:00:00.000Z', 0.001 FROM numbers
      """
    let places = ["--database", database, "--migrations", folder]
    func run(_ arguments: [String]) -> Program { .command(tool, arguments) }
    func shell(_ script: String) -> Program { .command("/bin/sh", ["-c", script]) }
    return Workload(
      name: "W13",
      preparation: [
        Step(program: run(["migrate", "--to", "100000_file"] + places), call: nothing),
        Step(program: .command("/usr/bin/env", ["sqlite3", database, fill]), call: nothing),
      ],
      series: [
        Series(name: "check", program: run(["check", "--migrations", folder]), call: nothing),
        Series(name: "lint", program: run(["lint", "--migrations", folder]), call: nothing),
        Series(name: "shell", program: shell("cat \(folder)/*.sql | sqlite3 -bail :memory:"), call: nothing),
        Series(name: "status", program: run(["status"] + places), call: nothing),
        Series(
          name: "select", program: .command("/usr/bin/env", ["sqlite3", database, "SELECT * FROM migrator_history"]),
          call: nothing),
      ],
      rows: [
        Row(title: "W13 check of \(count) files, against sqlite3", series: "check", baseline: "shell"),
        Row(title: "W13 lint of \(count) files, against sqlite3", series: "lint", baseline: "shell"),
        Row(title: "W13 status with \(rows) ledger rows, against sqlite3", series: "status", baseline: "select"),
      ])
  }

  /// Returns one of five files about a table.
  private static func text(_ number: Int) -> String {
    let table = "table_\(number / 5)"
    return [
      "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, name TEXT NOT NULL, value REAL);\n",
      "CREATE INDEX \(table)_on_name ON \(table) (name);\n", "ALTER TABLE \(table) ADD COLUMN note TEXT;\n",
      "INSERT INTO \(table) (name, value) VALUES ('a', 1.5), ('b', 2.5);\n",
      "UPDATE \(table) SET note = name || '!' WHERE note IS NULL;\n",
    ][number % 5]
  }
}
