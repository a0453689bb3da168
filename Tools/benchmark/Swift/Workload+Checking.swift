internal import Foundation

extension Workload {
  /// W13: `check` and `lint` of many files, compared with SQLite's shell, which runs the same files once.
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
    let nothing = files.call("", "checked")
    let script = "cat \(folder)/*.sql | sqlite3 -bail :memory:"
    return Workload(
      name: "W13",
      series: [
        Series(name: "check", program: .command(tool, ["check", "--migrations", folder]), call: nothing),
        Series(name: "lint", program: .command(tool, ["lint", "--migrations", folder]), call: nothing),
        Series(name: "shell", program: .command("/bin/sh", ["-c", script]), call: nothing),
      ],
      rows: [
        Row(title: "W13 check of \(count) files, against sqlite3", series: "check", baseline: "shell"),
        Row(title: "W13 lint of \(count) files, against sqlite3", series: "lint", baseline: "shell"),
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
