#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
internal import Migrator
internal import SQLSyntax

/// Rows that fill the tables of a scratch database, with values that can be recognized afterwards.
///
/// Each value occurs once in the database, except in references to other rows, in the duplicate row, and in columns
/// whose CHECK constraints allow few values.
struct SampleRows {
  /// A kind of row: with a value in each column, with those of the first row where they need not be unique, with NULL where
  /// that is accepted, with values that sort before usual ones, or with JSON as each text.
  enum Kind { case whole, duplicate, sparse, low, document }

  /// The kinds of rows of each table, from the most to the least demanding for a migration.
  static let varieties: [[Kind]] = [
    [.whole, .duplicate, .sparse, .low], [.whole, .whole, .sparse, .low], [.whole, .whole, .whole, .low],
    [.document, .document],
  ]

  private static let attemptCount = 60

  /// The names of the tables that could be filled, in ASCII lower case.
  var filled: Set<String> { Set(rows.keys) }

  private let db: Database
  private let kinds: [Kind]
  private var number: Int64 = 1_000_000
  private var random = SampleNumbers()
  private var rows: [String: [[String: DatabaseValue]]] = [:]

  init(_ db: Database, _ kinds: [Kind]) { (self.db, self.kinds) = (db, kinds) }

  /// Fills tables, parents before the tables that refer to them, while foreign keys are not enforced.
  mutating func fill(_ tables: [SchemaObject]) throws {
    var waiting = try tables.map { try SampleTable($0, db) }
    var names = Set(waiting.map(\.folded))
    while !waiting.isEmpty {
      let ready = waiting.firstIndex { table in table.parents.allSatisfy { $0 == table.folded || !names.contains($0) } }
      // In a circle of references, the first table refers to rows that do not exist yet, which is found below.
      let table = waiting.remove(at: ready ?? 0)
      names.remove(table.folded)
      for (index, kind) in kinds.enumerated() {
        guard let row = try insert(into: table, kind, index) else { continue }
        rows[table.folded, default: []].append(row)
      }
    }
    for table in tables where rows[table.name.asciiLowercased] != nil {
      if try db.connection.foreignKeyViolations(in: table.name)() != nil { rows[table.name.asciiLowercased] = nil }
    }
  }

  /// Inserts a row and returns its values; nil if the table rejects all attempts.
  private mutating func insert(
    into table: SampleTable, _ kind: Kind, _ index: Int
  ) throws -> [String: DatabaseValue]? {
    for attempt in 0..<(table.checked.isEmpty ? 1 : Self.attemptCount) {
      // A constraint may forbid that a row refers to itself.
      var row = values(for: table, kind, index, mayReferToItself: attempt == 0)
      if attempt > 1 {
        for column in table.checked where row[column] != nil && !table.referring.contains(column) {
          row[column] = table.literals.randomElement(using: &random)
        }
      }
      do {
        try db.execute(sql: table.insertion(of: row))
        return row
      } catch let error as DatabaseError where !error.concernsEverything {
        continue
      }
    }
    return nil
  }

  private mutating func values(
    for table: SampleTable, _ kind: Kind, _ index: Int, mayReferToItself: Bool
  ) -> [String: DatabaseValue] {
    var row: [String: DatabaseValue] = [:]
    let twin = kind == .duplicate ? rows[table.folded]?.first : nil
    for column in table.columns {
      if let value = twin?[column.folded], !table.distinct.contains(column.folded) {
        row[column.folded] = value
      } else if kind == .sparse, column.isNullable {
        row[column.folded] = .null
      } else {
        number += 1
        row[column.folded] = column.value(number, kind)
      }
    }
    for key in table.foreignKeys {
      let isShared = twin != nil && table.distinct.isDisjoint(with: key.columns)
      let isMissing = kind == .sparse && key.columns.contains { row[$0] == .null }
      guard !isShared, !isMissing else { continue }
      let parents = rows[key.parent] ?? []
      // The first row of a table that refers to itself refers to itself.
      let isItself = key.parent == table.folded && mayReferToItself
      let parent = parents.isEmpty ? (isItself ? row : [:]) : parents[index % parents.count]
      for (column, parentColumn) in zip(key.columns, key.parentColumns) { row[column] = parent[parentColumn] ?? .null }
    }
    return row
  }
}

/// A table to fill with sample rows.
private struct SampleTable {
  struct Key {
    let columns: [String]
    let parent: String
    let parentColumns: [String]
  }

  let folded: String
  let columns: [SampleColumn]
  let foreignKeys: [Key]
  /// The columns whose values must differ in all rows.
  let distinct: Set<String>
  /// The columns that CHECK constraints mention.
  let checked: Set<String>
  /// The literals in the table's definition, and other values that constraints often allow.
  let literals: [DatabaseValue]

  private let name: String

  var parents: Set<String> { Set(foreignKeys.map(\.parent)) }
  /// The columns of foreign keys.
  var referring: Set<String> { Set(foreignKeys.flatMap(\.columns)) }

  init(_ table: SchemaObject, _ db: Database) throws {
    name = table.name
    folded = table.name.asciiLowercased
    let described = try db.connection.columns(in: table.name) ?? []
    foreignKeys = try db.connection.foreignKeys(on: table.name).map { key in
      Key(
        columns: key.originColumns.map(\.asciiLowercased), parent: key.destinationTable.asciiLowercased,
        parentColumns: try Self.parentColumns(of: key, db))
    }
    var distinct: Set<String> = []
    let primaryKey = described.filter { $0.primaryKeyIndex > 0 }.map(\.name.asciiLowercased)
    let indexes = try db.connection.indexes(on: table.name).filter(\.isUnique)
    for key in [primaryKey] + indexes.map({ $0.columns.compactMap { $0.name?.asciiLowercased } }) {
      if let last = key.last, distinct.isDisjoint(with: key) { distinct.insert(last) }
    }
    self.distinct = distinct
    let isRowID = primaryKey.count == 1
    columns = described.filter { !$0.isGenerated && !$0.isHidden }.map { column in
      SampleColumn(column, isKey: isRowID && column.primaryKeyIndex > 0)
    }
    let names = table.syntax.map { SQLNames(in: $0) }
    let mentioned = names?.uses.filter(\.isInCheck).map(\.name.folded) ?? []
    checked = Set(described.map(\.name.asciiLowercased)).intersection(mentioned)
    literals = checked.isEmpty ? [] : names.map { SampleNumbers.values(near: $0.source) } ?? []
  }

  private static func parentColumns(of key: ForeignKeyDescription, _ db: Database) throws -> [String] {
    guard key.destinationColumns.isEmpty else { return key.destinationColumns.map(\.asciiLowercased) }
    return try db.primaryKey(of: key.destinationTable)
  }

  func insertion(of row: [String: DatabaseValue]) -> String {
    let names = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    let values = columns.map { (row[$0.folded] ?? .null).sqlLiteral }.joined(separator: ", ")
    // OR ABORT overrides the table's ON CONFLICT clauses, which could replace rows.
    return "INSERT OR ABORT INTO main.\(name.quotedIdentifier) (\(names)) VALUES (\(values))"
  }
}

extension SQLNameUse {
  /// Whether a CHECK constraint contains the name.
  fileprivate var isInCheck: Bool { if case .constraint(.check, _) = place { true } else { false } }
}

/// A column to fill with sample values.
private struct SampleColumn {
  private enum Content { case integer, real, text, blob, boolean, time, json }

  let name: String
  let folded: String
  let isNullable: Bool

  private let content: Content
  private let isKey: Bool

  init(_ column: ColumnDescription, isKey: Bool) {
    name = column.name
    folded = name.asciiLowercased
    isNullable = !column.isNotNull && column.primaryKeyIndex == 0
    self.isKey = isKey
    let type = column.declaredType.asciiLowercased
    content =
      if type.contains("bool") {
        .boolean
      } else if type.contains("json") {
        .json
      } else if type.contains("date") || type.contains("time") {
        .time
      } else {
        switch column.affinity {
        case .text: folded.hasSuffix("_at") || folded.hasSuffix("date") ? .time : .text
        case .numeric, .integer: .integer
        case .real: .real
        case .blob: type.isEmpty ? .text : .blob
        }
      }
  }

  /// Returns a value of the column's type that contains a number.
  func value(_ number: Int64, _ kind: SampleRows.Kind) -> DatabaseValue {
    let isLow = kind == .low
    return switch content {
    case .integer: .integer(isLow && !isKey ? -number : number)
    case .real: .real(Double(isLow ? -number : number) + 0.5)
    case .text where kind == .document, .json: .text("{\"v\":\"\(number)\"}")
    case .text: .text(isLow ? "-v\(number)" : "v\(number)")
    case .blob: .blob(Data("v\(number)".utf8))
    case .boolean: .integer(number % 2)
    case .time: .text(Self.time(number))
    }
  }

  private static func time(_ number: Int64) -> String {
    let (days, seconds) = (number / 1440 % 10_000, number % 1440)
    let twoDigits = { (value: Int64) in value < 10 ? "0\(value)" : "\(value)" }
    let day = "\(1990 + days / 336)-\(twoDigits(days / 28 % 12 + 1))-\(twoDigits(days % 28 + 1))"
    return "\(day) \(twoDigits(seconds / 60)):\(twoDigits(seconds % 60)):00"
  }
}

/// A random number generator that returns the same numbers in each run, and the values from which it chooses.
struct SampleNumbers: RandomNumberGenerator {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Returns the next number of SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns the literals of a statement, the numbers one below and one above them, and values that conditions often
  /// distinguish.
  static func values(near source: SQLSource) -> [DatabaseValue] {
    var values: [DatabaseValue] = [
      .integer(0), .integer(1), .integer(-1), .integer(2_000_000_000), .real(1.5), .real(-1.5), .text(""), .text("a"),
      .text("Zz 9"), .text("~~"), .text("2001-01-01"), .text("2099-12-31 23:59:59"), .text("{}"), .blob(Data([0])),
    ]
    for token in source.tokens {
      if token.kind == .number {
        if let number = Int64(token.text) {
          values += [number, number &- 1, number &+ 1, -number].map { DatabaseValue.integer($0) }
        } else if let number = Double(token.text) {
          values += [number, number - 1, number + 1].map { DatabaseValue.real($0) }
        }
      } else if token.kind == .string || token.kind == .quotedIdentifier {
        let text = SQLIdentifier.unquoted(token.text)
        values += [.text(text), .text(text + "a")]
        if let number = Int64(text) { values += [.integer(number &- 1), .integer(number &+ 1)] }
      }
    }
    return values
  }
}
