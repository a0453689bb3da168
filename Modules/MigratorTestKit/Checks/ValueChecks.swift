internal import Foundation
internal import Migrator

extension BackendContract {
  static let valueChecks: [BackendCheck] = [
    .onConnection(
      60, "Integers, floating-point numbers to the last bit, text and blobs round-trip; empty ones are not NULL."
    ) { connection in
      var values: [DatabaseValue] = [Int64(0), -1, 1 << 40, .min, .max].map { .integer($0) }
      values += [0.1, -1.5, .pi, .greatestFiniteMagnitude, .leastNormalMagnitude, .infinity, -.infinity, 1e-300]
        .map { .real($0) }
      values += [
        "", "a", "O'Brien \"x\"", "é", "e\u{301}", "€😀👩‍👩‍👧", "\u{FEFF}mark", "a\r\nb", "a\0b", "\0", "a\0",
        String(repeating: "ü", count: 500_000),
      ]
      .map { .text($0) }
      values += [Data(), Data(0...255), Data([0]), Data(TestFiles.noise(1_000_000))].map { .blob($0) }
      // A column without a type stores values unchanged.
      try connection.run("CREATE TABLE a(id INTEGER PRIMARY KEY, x)")
      for value in values { try connection.run("INSERT INTO a(x) VALUES (?)", [value]) }
      let stored = try connection.rows("SELECT x FROM a ORDER BY id").map { $0[0] }
      try expect("the number of values", stored.count, is: values.count)
      // Compare the bytes: Swift treats canonically equivalent texts as equal.
      for (old, new) in zip(values, stored) {
        try expect(new.kind == old.kind && new.bytes == old.bytes, "\(old) became \(new)".prefixed)
      }
      let rows = try connection.rows("SELECT typeof(?), typeof(?), typeof(?)", [.text(""), .blob(Data()), .null])
      try expect("the types", rows, is: [[.text("text"), .text("blob"), .text("null")]])
      let statement = try connection.statement("SELECT '', x'', NULL")
      _ = try statement.step()
      try expect("the kinds", (0..<3).map { statement.value(at: $0).kind }, is: [.text, .blob, .null])
    },
    .onConnection(66, "Parameters are counted from zero, and each gets the value bound to it.") { connection in
      let values: [DatabaseValue] = [.integer(1), .text("b"), .null, .real(2.5), .blob(Data([9]))]
      try expect("the values", connection.rows("SELECT ?, ?, ?, ?, ?", values), is: [values])
      let last = try connection.statement("SELECT :a, :b, :a")
      try last.bind(.integer(2), at: 1)
      try last.bind(.integer(1), at: 0)
      _ = try last.step()
      try expect("the values", (0..<3).map { last.integer(at: $0) }, is: [1, 2, 1])
    },
    .onConnection(67, "Binding a parameter that does not exist fails.") { connection in
      let statement = try connection.statement("SELECT ?")
      try expectError(from: "bind at 1 of 1") { try statement.bind(.integer(1), at: 1) }
    },
    .onConnection(69, "Invalid UTF-8 in text becomes U+FFFD.") { connection in
      let statement = try connection.statement("SELECT CAST(x'61ff62' AS TEXT)")
      _ = try statement.step()
      try expect("the text", statement.text(at: 0), is: "a\u{FFFD}b")
    },
    .onConnection(71, "A value is reported with the type that it was stored with.") { connection in
      let statement = try connection.statement(
        "SELECT 7, 1.5, 'a€ of more than fifteen bytes', '12', x'3132', NULL, '', x''")
      let values: [DatabaseValue] = [
        .integer(7), .real(1.5), .text("a€ of more than fifteen bytes"), .text("12"), .blob(Data("12".utf8)), .null,
        .text(""), .blob(Data()),
      ]
      // Ask for more values than there are columns, and for fewer.
      try expect("the row and one more", statement.nextRow(9), is: values + [.null])
      statement.reset()
      try expect("the first three", statement.nextRow(3), is: Array(values.prefix(3)))
      try expect("the row once more", (0..<8).map { DatabaseValue(statement.value(at: $0)) }, is: values)
      try expect("after the last row", statement.nextRow(3), is: nil)
    },
  ]
}

extension DatabaseStatement {
  /// Returns copies of the first values of the next row; nil when there is none.
  fileprivate func nextRow(_ count: Int) throws -> [DatabaseValue]? {
    let row = UnsafeMutableBufferPointer<ColumnValue>.allocate(capacity: count)
    defer { row.deallocate() }
    return try step(into: row) ? row.map { DatabaseValue($0) } : nil
  }
}

extension DatabaseValue {
  fileprivate var bytes: [UInt8] {
    switch self {
    case .null: []
    case .integer(let number): Array("\(number)".utf8)
    case .real(let number): Array("\(number.bitPattern)".utf8)
    case .text(let text): Array(text.utf8)
    case .blob(let data): Array(data)
    }
  }
}

extension String {
  fileprivate var prefixed: String { String(prefix(500)) }
}
