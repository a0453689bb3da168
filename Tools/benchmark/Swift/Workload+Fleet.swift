internal import Foundation

extension Workload {
  /// W12: many databases, with nothing pending and with three small migrations, on two threads.
  ///
  /// If `Tools/bench` built the tool, also the tool on all databases against one process of it for each.
  static func fleet(_ files: Files, _ options: Options) -> Workload {
    let migrations = [
      "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL)", "ALTER TABLE item ADD COLUMN value REAL",
      "CREATE INDEX item_on_name ON item (name)",
    ]
    let count = options.scaled(10_000)
    let current = files.call("fleet-open", "fleet", count: count, repetitions: 2, migrations)
    let pending = files.call("fleet-install", "fleet-pending", count: count, migrations)
    var few = current
    few.count = 10
    var installed = current
    (installed.job, installed.repetitions) = ("fleet-install", 1)
    var workload = Workload(
      name: "W12", preparation: [Step(program: .library, call: installed)],
      series: [
        Series(name: "library", program: .library, call: current), Series(name: "raw", program: .raw, call: current),
        Series(name: "few", program: .library, call: few),
        Series(name: "library pending", program: .library, call: pending, reset: .removing),
        Series(name: "raw pending", program: .raw, call: pending, reset: .removing),
      ],
      rows: [
        Row(title: "W12 \(count) databases, nothing pending", series: "library", baseline: "raw", limit: 1.4),
        Row(title: "W12 the same, memory against 10 databases", series: "library", baseline: "few", memoryLimit: 20),
        Row(
          title: "W12 \(count) databases, 3 migrations each", series: "library pending", baseline: "raw pending",
          limit: 1.3),
      ])
    guard let tool = ProcessInfo.processInfo.environment["BENCHMARK_TOOL"] else { return workload }
    let (folder, all) = ("\(files.folder)/fleet-tool", "--databases-from")
    let prepare = """
      mkdir -p \(folder)/migrations; cd \(folder); echo 'CREATE TABLE item (id);' >migrations/1_item.sql
      seq \(min(count, 200)) >list; \(tool) migrate --quiet \(all) list
      """
    let nothing = files.call("", "fleet-tool")
    func shell(_ script: String) -> Program { .command("/bin/sh", ["-c", script]) }
    workload.preparation.append(Step(program: shell(prepare), call: nothing))
    workload.series += [
      Series(name: "tool", program: shell("cd \(folder); exec \(tool) migrate \(all) list"), call: nothing),
      Series(
        name: "loop", program: shell("cd \(folder); while read f; do \(tool) migrate --database $f; done <list"),
        call: nothing),
    ]
    workload.rows.append(
      Row(title: "W12 the tool on all, against a process for each", series: "tool", baseline: "loop", limit: 0.2))
    return workload
  }
}
