extension Workload {
  /// Returns all workloads, with files in a folder.
  static func all(_ options: Options, folder: String) -> [Workload] {
    let files = Files(folder: folder, library: options.library)
    return [
      opening(files), installing(files, options), inserting(files, options), recreating(files, options),
      small(files, options), borrowing(files, options), reading(files, options),
    ]
      + options.encryptingLibraries.flatMap {
        [unlocking(files, library: $0), encrypting(files, library: $0, options)]
      } + [starting(files), checking(files, options)].compactMap(\.self) + [fleet(files, options)]
  }

  /// Creates calls for the files of one folder.
  struct Files: Sendable {
    var folder: String
    var library: String

    func call(_ job: String, _ file: String, count: Int = 0, repetitions: Int = 1, _ sql: [String] = []) -> Call {
      Call(job: job, library: library, file: "\(folder)/\(file)", count: count, repetitions: repetitions, sql: sql)
    }
  }

  private static func tables(_ count: Int) -> [String] {
    (1...count).map { "CREATE TABLE table_\($0) (id INTEGER PRIMARY KEY, name TEXT NOT NULL, value REAL)" }
  }

  private static func opening(_ files: Files) -> Workload {
    let file = "open.sqlite"
    let tables = tables(200)
    // A migration's rows are replayed and hashed, too.
    let filled =
      tables + [
        """
        INSERT INTO table_1 (name, value) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        SELECT 'name ' || i, i / 2.0 FROM n
        """
      ]
    func call(_ job: String, on otherFile: String? = nil) -> Call {
      files.call(job, otherFile ?? file, count: tables.count, repetitions: 25, tables)
    }
    // Each process opens its file once, as an app does.
    func checked(_ file: String, _ sql: [String]) -> Call { files.call("open-checked", file, count: sql.count, sql) }
    return Workload(
      name: "W1, W7, W11",
      preparation: [
        Step(program: .library, call: files.call("install-grouped", file, tables)),
        Step(program: .library, call: files.call("install-embedded", "embedded.sqlite", tables)),
        // These record the digests of the rows, with which later runs compare.
        Step(program: .library, call: checked("checked.sqlite", tables)),
        Step(program: .library, call: checked("filled.sqlite", filled)),
      ],
      series: [
        Series(name: "library", program: .library, call: call("open")),
        Series(name: "checked", program: .library, call: checked("checked.sqlite", tables)),
        Series(name: "checked rows", program: .library, call: checked("filled.sqlite", filled)),
        Series(name: "embedded", program: .library, call: call("open-embedded", on: "embedded.sqlite")),
        Series(name: "registered", program: .library, call: call("register-embedded", on: "embedded.sqlite")),
        Series(name: "raw", program: .raw, call: call("open")),
      ],
      rows: [
        Row(
          title: "W1 open, 200 of 200 applied", series: "library", baseline: "raw", statistic: .later, limit: 1.25),
        Row(title: "W1 the first time in a process", series: "library", baseline: "raw"),
        Row(
          title: "W7 erase on schema change, the first time in a process", series: "checked", baseline: "library",
          timeLimit: 0.06),
        Row(
          title: "W7 with 10,000 rows of a migration", series: "checked rows", baseline: "checked", timeLimit: 0.09),
        Row(
          title: "W11 embedded SQL files, against W1", series: "embedded", baseline: "library", statistic: .later,
          limit: 1.3),
        Row(
          title: "W11 with the registration of 200 files", series: "registered", baseline: "library",
          statistic: .later),
      ])
  }

  private static func installing(_ files: Files, _ options: Options) -> Workload {
    // Each commit waits for the disk, which takes too long for 200 commits in a quick run.
    let tables = tables(options.isQuick ? 20 : 200)
    func series(_ name: String, _ program: Program, _ job: String, repetitions: Int = 1) -> Series {
      Series(
        name: name, program: program, call: files.call(job, "install.sqlite", repetitions: repetitions, tables),
        reset: .removing)
    }
    return Workload(
      name: "W2",
      series: [
        series("library", .library, "install"), series("raw", .raw, "install"),
        series("library grouped", .library, "install-grouped", repetitions: 25),
        series("raw grouped", .raw, "install-grouped", repetitions: 25),
      ],
      rows: [
        Row(title: "W2 \(tables.count) migrations, one commit each", series: "library", baseline: "raw", limit: 1.15),
        Row(
          title: "W2 \(tables.count) migrations, one commit", series: "library grouped", baseline: "raw grouped",
          statistic: .later, limit: 1.25),
        Row(title: "W2 the first time in a process", series: "library grouped", baseline: "raw grouped"),
      ])
  }

  private static func inserting(_ files: Files, _ options: Options) -> Workload {
    let call = files.call(
      "insert", "insert.sqlite", count: options.scaled(1_000_000),
      ["CREATE TABLE item (number INTEGER, name TEXT, value REAL)", "INSERT INTO item VALUES (?, ?, ?)"])
    var array = call
    array.job = "insert-array"
    return Workload(
      name: "W3",
      series: [
        Series(name: "library", program: .library, call: call, reset: .removing),
        Series(name: "array", program: .library, call: array, reset: .removing),
        Series(name: "raw", program: .raw, call: call, reset: .removing),
      ],
      rows: [
        Row(
          title: "W3 insert \(call.count) rows", series: "library", baseline: "raw", limit: 1.25, memoryLimit: 10),
        Row(
          title: "W3 the same with arrays of arguments", series: "array", baseline: "raw", memoryLimit: 10),
      ])
  }

  private static func recreating(_ files: Files, _ options: Options) -> Workload {
    let rows = options.scaled(1_000_000)
    let seed = files.call(
      "script", "recreate-seed.sqlite",
      ["BEGIN", "CREATE TABLE parent (id INTEGER PRIMARY KEY, number INTEGER, name TEXT, value REAL)"]
        + filling("parent", rows, "n, n % 1000, 'name ' || n, n * 0.5")
        + ["first", "second"].flatMap { child in
          ["CREATE TABLE \(child) (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES parent)"]
            + filling(child, rows / 2, "n, (n * 7919) % \(rows) + 1")
        } + indexes + ["COMMIT"])
    // Steps 4 to 8 of https://www.sqlite.org/lang_altertable.html#otheralter.
    let steps = [
      "CREATE TABLE new_parent (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, name TEXT, value REAL)",
      "INSERT INTO new_parent SELECT * FROM parent", "DROP TABLE parent", "ALTER TABLE new_parent RENAME TO parent",
    ]
    let call = files.call("recreate", "recreate.sqlite", [(steps + indexes).joined(separator: ";")])
    return Workload(
      name: "W4", preparation: [Step(call: seed)],
      series: [
        Series(name: "library", program: .library, call: call, reset: .copying(seed.file)),
        Series(name: "raw", program: .raw, call: call, reset: .copying(seed.file)),
      ],
      rows: [Row(title: "W4 recreate a table of \(rows) rows", series: "library", baseline: "raw", limit: 0.75)])
  }

  private static let indexes = [
    "CREATE INDEX parent_on_number ON parent (number)", "CREATE INDEX parent_on_name ON parent (name)",
  ]

  static func filling(_ table: String, _ rows: Int, _ columns: String) -> [String] {
    [
      """
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(rows))
      INSERT INTO \(table) SELECT \(columns) FROM numbers
      """
    ]
  }
}
