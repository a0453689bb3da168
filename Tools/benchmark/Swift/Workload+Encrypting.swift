extension Workload {
  /// W9: encrypting a database of 200 MB, compared with an export into a new file.
  static func encrypting(_ files: Files, library: EncryptingLibrary, _ options: Options) -> Workload {
    let rows = options.scaled(1_000_000)
    let text = "'a text of a few dozen characters, number ' || n || ', and some more'"
    func call(_ job: String, _ file: String, _ sql: [String] = []) -> Call {
      var call = files.call(job, "\(library.name)-\(file).sqlite", sql)
      call.library = library.path
      return call
    }
    var workload = Workload(name: "W9", series: [], rows: [])
    let tables = [
      ("with keys and an index", "id INTEGER PRIMARY KEY, name TEXT, value REAL", "n, \(text), n * 0.5", 1.9),
      ("without any key", "number INTEGER, name TEXT, value REAL", "n, \(text), n * 0.5", 2.1),
    ]
    for (title, columns, values, factor) in tables {
      let seed = call(
        "script", "seed \(title)",
        ["BEGIN", "CREATE TABLE item (\(columns))"] + filling("item", Int(Double(rows) * factor), values)
          + (title.hasPrefix("with ") ? ["CREATE INDEX item_value ON item (value)"] : []) + ["COMMIT"])
      workload.preparation.append(Step(call: seed))
      for program in [Program.library, .raw] {
        var encrypt = call("encrypt", "\(title)")
        encrypt.key = "correct horse battery staple"
        workload.series.append(
          Series(name: "\(program) \(title)", program: program, call: encrypt, reset: .copying(seed.file)))
      }
      workload.rows.append(
        Row(
          title: "W9 \(library.name), encrypt, \(title)", series: "library \(title)", baseline: "raw \(title)",
          limit: 1.1))
    }
    return workload
  }
}
