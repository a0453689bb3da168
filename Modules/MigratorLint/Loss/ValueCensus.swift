internal import Migrator
internal import SQLSyntax

/// The values of the ordinary tables of a database, counted by table and column.
///
/// Values are compared as text, since a column of another type may store the same number as text. NULL does not count.
struct ValueCensus {
  /// A column of a table; names are in ASCII lower case.
  struct Place: Hashable {
    let table: String
    let column: String
  }

  /// The number of cells that contain each value, by column.
  private(set) var counts: [Place: [String: Int]] = [:]
  /// The columns that contain each value.
  private(set) var places: [String: Set<Place>] = [:]
  /// The rows of each table; each row is a dictionary from column names to values.
  private(set) var rows: [String: [[String: String]]] = [:]
  /// The columns of each table.
  private(set) var columns: [String: Set<String>] = [:]

  /// Counts the values of those rows that satisfy a condition.
  init(_ db: Database, _ tables: [String], where condition: String = "1") throws {
    for table in tables { try count(table, condition, db) }
  }

  private mutating func count(_ table: String, _ condition: String, _ db: Database) throws {
    guard let described = try db.connection.columns(in: table) else { return }
    let names = described.filter { !$0.isGenerated && !$0.isHidden }.map(\.name)
    let folded = table.asciiLowercased
    let list = names.map(\.quotedIdentifier).joined(separator: ", ")
    rows[folded] = []
    columns[folded] = Set(names.map(\.asciiLowercased))
    let sql = "SELECT \(list) FROM main.\(table.quotedIdentifier) WHERE \(condition)"
    guard let reader = try db.connection.prepare(sql, utf8Offset: 0).statement else { return }
    defer { reader.reset() }
    while try reader.step() {
      var row: [String: String] = [:]
      for (index, name) in names.enumerated() {
        guard let value = Self.text(DatabaseValue(reader.value(at: index))) else { continue }
        let place = Place(table: folded, column: name.asciiLowercased)
        row[place.column] = value
        counts[place, default: [:]][value, default: 0] += 1
        places[value, default: []].insert(place)
      }
      rows[folded]?.append(row)
    }
  }

  private static func text(_ value: DatabaseValue) -> String? {
    switch value {
    case .null: nil
    case .integer(let integer): String(integer)
    case .real(let real): Int64(exactly: real).map { String($0) } ?? String(real)
    case .text(let text): text
    case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
    }
  }
}
