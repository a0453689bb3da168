internal import SQLSyntax

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Digests of the rows of tables, by which changed rows are recognized.
///
/// The order of the rows does not count. Columns that contain the current time are left out, since migrations that insert it
/// insert different rows at each run.
package struct RowDigests: Sendable, Equatable {
  struct Table: Sendable, Equatable {
    /// The hash of the rows; nil if the rows are not compared, since they differ at each run.
    var hash: UInt64?
    /// The columns, from 0, that contain the current time.
    var timeColumns: [Int] = []
  }

  /// The digests by the names of the tables in ASCII lower case.
  var tables: [String: Table] = [:]

  init() {}

  /// Computes the digests of all tables but the given ones, whose names are in ASCII lower case; the rows of virtual
  /// tables are in their shadow tables.
  package init(_ db: Database, besides ownTables: Set<String>) throws {
    let now = CurrentTime()
    for table in try db.connection.schema().objects where table.kind == .table && !table.isVirtual {
      let name = table.name.asciiLowercased
      guard !ownTables.contains(name) else { continue }
      // Only the app has a collation or a function that the table uses.
      tables[name] = try DatabaseError.ifPossible { try Self.digest(of: table.name, db, now) } ?? Table()
    }
  }

  /// The tables that are left out of comparisons, in alphabetical order.
  var leftOut: [String] { tables.filter { $0.value.hash == nil }.keys.sorted() }

  mutating func leaveOut(_ names: [String]) {
    for name in names where tables[name] != nil { tables[name] = Table(hash: nil) }
  }

  /// Returns the tables, in alphabetical order, whose rows are known to differ.
  func changes(to later: RowDigests) -> [String] { tables.keys.filter { hasChanged($0, in: later) }.sorted() }

  /// Returns whether the rows of a table are known to differ.
  func hasChanged(_ table: String, in later: RowDigests) -> Bool {
    let name = table.asciiLowercased
    guard let one = tables[name], let other = later.tables[name], let hash = one.hash, let otherHash = other.hash else {
      return false
    }
    return one.timeColumns == other.timeColumns && hash != otherHash
  }

  /// Returns whether a table of a database is known to have exactly the rows that were digested, except for columns with the
  /// time.
  func areAllRows(of table: String, in db: Database) throws -> Bool {
    guard let known = tables[table.asciiLowercased], let hash = known.hash else { return false }
    return try DatabaseError.ifPossible {
      guard let statement = try db.connection.prepare(Self.select(table), utf8Offset: 0).statement else { return false }
      defer { statement.reset() }
      return try Self.hash(statement, db) { column, _ in !known.timeColumns.contains(column) } == hash
    } ?? false
  }

  /// Returns whether the value has a digest of a table, even one that is left out of comparisons.
  func knows(_ table: String) -> Bool { tables[table.asciiLowercased] != nil }

  /// Removes the digests of tables that differ between two other values.
  package mutating func forget(changedFrom before: RowDigests, to after: RowDigests) {
    tables = tables.filter { before.tables[$0.key] == after.tables[$0.key] }
  }

  // MARK: Hashing

  private static func select(_ table: String) -> String { "SELECT * FROM main.\(table.quotedIdentifier)" }

  private static func digest(of table: String, _ db: Database, _ now: CurrentTime) throws -> Table {
    guard let statement = try db.connection.prepare(select(table), utf8Offset: 0).statement else { return Table() }
    defer { statement.reset() }
    var timeColumns: Set<Int> = []
    var hash = try self.hash(statement, db) { column, value in
      if !timeColumns.contains(column), now.isNear(value) { timeColumns.insert(column) }
      return true
    }
    if !timeColumns.isEmpty {
      statement.reset()
      hash = try self.hash(statement, db) { column, _ in !timeColumns.contains(column) }
    }
    return Table(hash: hash, timeColumns: timeColumns.sorted())
  }

  private static func hash(
    _ statement: any DatabaseStatement, _ db: Database, counts: (Int, DatabaseValue) -> Bool
  ) throws -> UInt64 {
    let columns = 0..<statement.columnCount
    var (sum, count): (UInt64, Int) = (0, 0)
    while try statement.step() {
      count += 1
      if count % 1000 == 0 { try db.checkCancellation() }
      var hasher = WordHasher()
      for column in columns {
        let value = DatabaseValue(statement.value(at: column))
        if counts(column, value) { hasher.add(value) }
      }
      // A sum does not depend on the order.
      sum &+= hasher.value
    }
    var hasher = WordHasher()
    hasher.add(sum)
    hasher.add(UInt64(count))
    return hasher.value
  }
}

extension WordHasher {
  fileprivate mutating func add(_ cell: DatabaseValue) {
    switch cell {
    case .null: add(1)
    case .integer(let number):
      add(2)
      add(UInt64(bitPattern: number))
    case .real(let number):
      add(3)
      add(number.bitPattern)
    case .text(let text):
      add(4)
      add(text)
    case .blob(let blob):
      add(5)
      blob.withUnsafeBytes { add($0) }
    }
  }
}

/// The current time, in the forms in which migrations insert it.
private struct CurrentTime {
  private static let day = 86_400.0
  /// The dates of yesterday, today and tomorrow in UTC, which include today's date in any time zone.
  private let dates: [[UInt8]]
  /// The current time in each usual unit, and the length of a day in that unit.
  private let moments: [(now: Double, day: Double)]

  init() {
    let seconds = Date().timeIntervalSince1970
    dates = [-Self.day, 0, Self.day].map { difference in
      Array(Date(timeIntervalSince1970: seconds + difference).formatted(.iso8601).utf8.prefix(10))
    }
    moments = [
      (seconds, Self.day), (seconds * 1e3, Self.day * 1e3), (seconds * 1e6, Self.day * 1e6),
      (seconds * 1e9, Self.day * 1e9),
      // The reference date of Foundation, and the Julian day (https://www.sqlite.org/lang_datefunc.html).
      (seconds - 978_307_200, Self.day), (seconds / Self.day + 2_440_587.5, 1),
    ]
  }

  /// Returns whether a value is a time of yesterday, today or tomorrow.
  func isNear(_ value: DatabaseValue) -> Bool {
    switch value {
    case .integer(let number): isNear(Double(number))
    case .real(let number): isNear(number)
    case .text(let text):
      text.utf8.first == UInt8(ascii: "2") && dates.contains { text.utf8.starts(with: $0) }
    case .null, .blob: false
    }
  }

  private func isNear(_ number: Double) -> Bool {
    number > 2_000_000 && moments.contains { abs(number - $0.now) <= $0.day }
  }
}
