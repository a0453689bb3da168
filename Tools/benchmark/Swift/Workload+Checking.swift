internal import Foundation

extension Workload {
  /// W13: `check` and `lint` of a thousand and of five thousand files, compared with SQLite's shell, which runs the same
  /// files once.
  ///
  /// - Returns: Nil when `Tools/bench` did not build the tool.
  static func checking(_ files: Files, _ options: Options) -> Workload? {
    guard let tool = ProcessInfo.processInfo.environment["BENCHMARK_TOOL"] else { return nil }
    let (few, many) = (options.scaled(1000), options.scaled(5000))
    let (small, large) = ("\(files.folder)/checked-few", "\(files.folder)/checked")
    do {
      try write(few, to: small)
      try write(many, to: large)
    } catch {
      return nil
    }
    let nothing = files.call("", "checked.sqlite")
    func series(_ name: String, _ program: String, _ arguments: [String]) -> Series {
      Series(name: name, program: .command(program, arguments), call: nothing)
    }
    func shell(_ name: String, _ folder: String) -> Series {
      series(name, "/bin/sh", ["-c", "cat \(folder)/*.sql | sqlite3 -bail :memory:"])
    }
    return Workload(
      name: "W13",
      series: [
        series("check few", tool, ["check", "--migrations", small]), shell("shell few", small),
        series("check", tool, ["check", "--migrations", large]), shell("shell", large),
        series("lint", tool, ["lint", "--migrations", large]),
      ],
      rows: [
        Row(
          title: "W13 check of \(few) files, against sqlite3", series: "check few", baseline: "shell few", timeLimit: 5,
          memoryLimit: 40),
        Row(
          title: "W13 check of \(many) files, against sqlite3", series: "check", baseline: "shell", timeLimit: 40,
          memoryLimit: 60),
        Row(
          title: "W13 lint of \(many) files, against sqlite3", series: "lint", baseline: "shell", timeLimit: 4.5,
          memoryLimit: 60),
      ])
  }

  private static func write(_ count: Int, to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for number in 0..<count {
      try Data(text(number).utf8).write(to: URL(filePath: "\(folder)/\(100_000 + number)_file.sql"))
    }
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
