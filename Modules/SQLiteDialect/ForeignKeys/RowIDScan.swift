internal import Migrator
internal import SQLSyntax

/// A comparison of a column's values with the rowids of another table, which reads each table once, from start to end.
///
/// Used for foreign keys without an index: looking up each key would read the parent in random order. The scan uses one
/// bit of memory per rowid. For two million rows that refer to a million parents at random, it takes 0.3 s; SQLite's
/// check takes 5 s.
struct RowIDScan {
  /// The maximum number of bits; they take 8 MiB.
  private static let capacity: Int64 = 1 << 26

  private let connection: any SQLiteConnection
  private let keys: String
  private let rowIDs: String
  private let range: ClosedRange<Int64>?

  /// Prepares the comparison of a child's column with the parent's alias of the rowid; nil if the range of rowids is
  /// too large, or far larger than the number of child rows.
  init?(
    _ connection: any SQLiteConnection, child: String, column: String, parent: String, rowID: String
  ) throws(DatabaseError) {
    // NOT INDEXED makes the engine read the tables, as its own check does, and not their indexes: version 3.15 can
    // replace rows and leave stale entries in indexes (https://www.sqlite.org/lang_indexedby.html).
    let (parent, rowID) = ("main.\(parent.quotedIdentifier) NOT INDEXED", rowID.quotedIdentifier)
    let (child, column) = ("main.\(child.quotedIdentifier) NOT INDEXED", column.quotedIdentifier)
    self.connection = connection
    keys = "SELECT \(column) FROM \(child) WHERE \(column) IS NOT NULL"
    rowIDs = "SELECT \(rowID) FROM \(parent)"
    // Uses a separate query for each, so that the engine reads only the ends of the table
    // (https://www.sqlite.org/optoverview.html#the_min_max_optimization).
    guard let first = try connection.integer("SELECT min(\(rowID)) FROM \(parent)"),
      let last = try connection.integer("SELECT max(\(rowID)) FROM \(parent)")
    else {
      range = nil
      return
    }
    guard first <= last else { return nil }
    range = first...last
    let (distance, overflows) = last.subtractingReportingOverflow(first)
    guard !overflows, distance < Self.capacity else { return nil }
    // Checks only whether there are enough rows, without counting all of them.
    let enough = try connection.integer("SELECT 1 FROM \(child) LIMIT 1 OFFSET \(distance / 8)")
    if enough == nil { return nil }
  }

  /// Returns the answer for the column; `unknown` if one of its values is not an integer.
  func answer() throws(DatabaseError) -> ForeignKeyProbe.Answer {
    guard let range else { return try connection.integer("\(keys) LIMIT 1") == nil ? .clean : .suspicious }
    let words = Int((range.upperBound - range.lowerBound) / 64) + 1
    var bits = [UInt64](repeating: 0, count: words)
    guard let parents = try connection.prepare(rowIDs, utf8Offset: 0).statement else { return .unknown }
    while let value = try parents.nextValue() {
      // A rowid out of range means that the file is damaged, which the engine's own check will report.
      guard case .integer(let rowID) = value, range.contains(rowID) else { return .unknown }
      let (word, bit) = Self.place(rowID, in: range)
      bits[word] |= bit
    }
    guard let statement = try connection.prepare(keys, utf8Offset: 0).statement else { return .unknown }
    while let value = try statement.nextValue() {
      guard case .integer(let key) = value else { return .unknown }
      guard range.contains(key) else { return .suspicious }
      let (word, bit) = Self.place(key, in: range)
      if bits[word] & bit == 0 { return .suspicious }
    }
    return .clean
  }

  private static func place(_ number: Int64, in range: ClosedRange<Int64>) -> (word: Int, bit: UInt64) {
    let distance = Int(number &- range.lowerBound)
    return (distance >> 6, 1 << UInt64(distance & 63))
  }
}

extension DatabaseStatement {
  /// Runs the statement to its next row and returns the row's first value as stored; nil after the last row.
  fileprivate func nextValue() throws(DatabaseError) -> ColumnValue? {
    var value = ColumnValue.null
    let isThere = try withUnsafeMutablePointer(to: &value) { place throws(DatabaseError) in
      try step(into: UnsafeMutableBufferPointer(start: place, count: 1))
    }
    return isThere ? value : nil
  }
}
