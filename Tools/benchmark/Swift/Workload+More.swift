extension Workload {
  /// W5: migrations that do not touch the large tables.
  static func small(_ files: Files, _ options: Options) -> Workload {
    let counts = [5_000, options.scaled(5_000_000)]
    // Each commit waits for the disk here, too.
    let statements = (1...(options.isQuick ? 5 : 20)).map { "ALTER TABLE unrelated ADD COLUMN column_\($0) TEXT" }
    func file(_ rows: Int) -> String { "children-\(rows).sqlite" }
    func series(_ program: Program, _ rows: Int) -> Series {
      Series(
        name: "\(program) \(rows)", program: program, call: files.call("install", file(rows), statements),
        reset: .script(emptying))
    }
    let names = counts.map { ("library \($0)", "raw \($0)") }
    return Workload(
      name: "W5",
      preparation: counts.map { rows in Step(call: files.call("script", file(rows), children(rows))) },
      series: counts.flatMap { [series(.library, $0), series(.raw, $0)] },
      rows: zip(counts, names).map { rows, names in
        Row(title: "W5 \(statements.count) migrations beside \(rows) child rows", series: names.0, baseline: names.1)
      } + [
        Row(
          title: "W5 \(counts[1]) child rows, against \(counts[0])", series: names[1].0, baseline: names[0].0,
          limit: 1.2)
      ])
  }

  /// W14: migrations of a borrowed connection, whose touched tables have to be found without an authorizer, compared
  /// with a connection of the library.
  static func borrowing(_ files: Files, _ options: Options) -> Workload {
    let rows = options.scaled(1_000_000)
    let file = "borrowed.sqlite"
    let statements = (1...10).map { "ALTER TABLE unrelated ADD COLUMN column_\($0) TEXT" }
    func series(_ name: String, _ job: String) -> Series {
      Series(name: name, program: .library, call: files.call(job, file, statements), reset: .script(emptying))
    }
    return Workload(
      name: "W14", preparation: [Step(call: files.call("script", file, children(rows)))],
      series: [series("borrowed", "install-borrowed"), series("own", "install")],
      rows: [
        Row(
          title: "W14 \(statements.count) migrations of a borrowed connection, against an own one", series: "borrowed",
          baseline: "own", limit: 2)
      ])
  }

  /// Statements that create a table of rows that refer to a smaller one.
  private static func children(_ rows: Int) -> [String] {
    [
      "BEGIN", "CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE TABLE child (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES parent)",
    ] + filling("parent", rows / 50, "n, 'name ' || n")
      + filling("child", rows, "n, (n * 7919) % \(rows / 50) + 1") + ["COMMIT"]
  }

  private static let emptying = [
    "DROP TABLE IF EXISTS migrator_history", "DROP TABLE IF EXISTS unrelated",
    "CREATE TABLE unrelated (id INTEGER PRIMARY KEY)",
  ]

  /// W6: rows through a cursor.
  static func reading(_ files: Files, _ options: Options) -> Workload {
    let rows = options.scaled(1_000_000)
    func series(_ name: String, _ program: Program, _ job: String) -> Series {
      Series(
        name: name, program: program,
        // Runs several times, so that one-time costs of the process do not count.
        call: files.call(job, "read.sqlite", count: rows, repetitions: 5, ["SELECT id, name, value FROM item"]))
    }
    return Workload(
      name: "W6",
      preparation: [
        Step(
          call: files.call(
            "script", "read.sqlite",
            ["BEGIN", "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, value REAL)"]
              + filling("item", rows, "n, 'name ' || n, n * 0.5") + ["COMMIT"]))
      ],
      series: [
        series("by index", .library, "read"), series("next", .library, "read-next"),
        series("by name", .library, "read-by-name"), series("raw", .raw, "read"),
      ],
      rows: [
        Row(
          title: "W6 read \(rows) rows by index", series: "by index", baseline: "raw", statistic: .later, limit: 1.3,
          memoryLimit: 10),
        Row(
          title: "W6 the same in a loop with next()", series: "next", baseline: "raw", statistic: .later,
          memoryLimit: 10),
        Row(
          title: "W6 read \(rows) rows by name", series: "by name", baseline: "raw", statistic: .later, limit: 1.7,
          memoryLimit: 10),
      ])
  }

  /// W8: encrypted databases.
  static func unlocking(_ files: Files, library: EncryptingLibrary) -> Workload {
    let keys = [
      ("passphrase", "correct horse battery staple"), ("raw key", "x'\(String(repeating: "5a", count: 32))'"),
    ]
    let create = "CREATE TABLE item (id INTEGER PRIMARY KEY)"
    var workload = Workload(name: "W8", series: [], rows: [])
    for (title, key) in keys {
      func call(_ file: String, _ sql: String) -> Call {
        var call = files.call("script", "\(library.name)-\(title)-\(file)", [sql])
        (call.library, call.key) = (library.path, key)
        return call
      }
      workload.preparation.append(Step(call: call("second", create)))
      for (order, call, reset) in [
        ("first", call("first", create), Reset.removing),
        ("second", call("second", "SELECT count(*) FROM item"), .nothing),
      ] {
        let (ours, raw) = ("library \(title) \(order)", "raw \(title) \(order)")
        workload.series += [
          Series(name: ours, program: .library, call: call, reset: reset),
          Series(name: raw, program: .raw, call: call, reset: reset),
        ]
        workload.rows.append(
          Row(title: "W8 \(library.name), \(title), \(order) open", series: ours, baseline: raw))
      }
      workload.preparation.append(Step(call: call("pool", "PRAGMA journal_mode = WAL; \(create)")))
      var pool = call("pool", "SELECT count(*) FROM item")
      (pool.job, pool.count) = ("pool", 5)
      workload.series.append(Series(name: "library \(title) pool", program: .library, call: pool))
      // Key derivation dominates the time; C opens one connection.
      workload.rows.append(
        Row(
          title: "W8 \(library.name), \(title), pool of \(pool.count)", series: "library \(title) pool",
          baseline: "raw \(title) second"))
    }
    return workload
  }
}
