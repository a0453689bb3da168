import Migrator
@testable import MigratorCommand
import SQLSyntax
import TestEngines

/// The rows of a schema's ordinary tables, with each value as a literal, so that text differs from numbers.
struct SuggestedRows {
  /// The rows of a table: literals by the columns' names in lower case, the hidden rowid by an empty name.
  private(set) var tables: [String: [[String: String]]] = [:]

  init(_ db: Database, _ schema: SchemaSnapshot) throws {
    for table in schema.ordinaryTables {
      let columns = table.columns.map(\.name)
      let values = columns.map { "quote(\($0.quotedIdentifier)) || ''" }
      let rowID = table.hiddenRowID.map { ["quote(\($0)) || ''"] } ?? []
      let names = columns.map(\.folded) + (rowID.isEmpty ? [] : [""])
      let query = "SELECT \((values + rowID).joined(separator: ", ")) FROM \(table.name.quotedIdentifier)"
      tables[table.name.folded] = try Row.fetchAll(db, sql: query).map { row in
        Dictionary(uniqueKeysWithValues: try names.indices.map { (names[$0], try row[$0]) })
      }
    }
  }

  /// Inserts random rows into every table, as far as its constraints accept them.
  static func insert(into db: Database, _ schema: SchemaSnapshot, _ random: inout SeededGenerator) throws {
    for table in schema.ordinaryTables {
      let columns = table.columns.filter { !$0.isGenerated }
      for number in 1...5 {
        let values = columns.map { column in
          switch (column.affinity, Int.random(in: 0..<8, using: &random)) {
          case (_, 0) where !column.isNotNull && column.primaryKeyIndex == 0: "NULL"
          case (.integer, _): "\(number * 3)"
          case (_, 1): "\(number)"
          case (_, 2): "x'0\(number)'"
          case (_, 3): "\(number).5"
          case (_, 4): "'0\(number)'"
          default: "'it''s \(number)'"
          }
        }
        let rowID = table.hiddenRowID.map { ($0, "\(number * 10 - 25)") }
        let names = (rowID.map { [$0.0] } ?? []) + columns.map(\.name.quotedIdentifier)
        try? db.execute(
          sql: "INSERT INTO \(table.name.quotedIdentifier) (\(names.joined(separator: ", ")))"
            + " VALUES (\(((rowID.map { [$0.1] } ?? []) + values).joined(separator: ", ")))")
      }
    }
  }
}

/// Renames between two schemas, as a user would declare them, by names in lower case.
struct RandomRenamings {
  /// The later name of each table in both schemas, by its earlier name.
  private(set) var tables: [String: String] = [:]

  /// The later name of each column in both forms of a table, by its earlier name, by the table's earlier name.
  private(set) var columns: [String: [String: String]] = [:]

  /// The renames to declare.
  private(set) var declared = SchemaRenames()

  /// Pairs objects with equal names, and some of the others at random.
  init(from before: SchemaSnapshot, to after: SchemaSnapshot, _ random: inout SeededGenerator) {
    let (old, new) = (before.ordinaryTables.map(\.name), after.ordinaryTables.map(\.name))
    tables = Self.pairs(old, new, &random) { declared.tables[$0] = $1 }
    for (name, later) in tables.sorted(by: { $0.key < $1.key }) {
      guard let one = before.table(name), let other = after.table(later) else { continue }
      // The engine would refuse values for a generated column.
      let target = other.columns.filter { !$0.isGenerated }.map(\.name)
      columns[name] = Self.pairs(one.columns.map(\.name), target, &random) { old, new in
        declared.columns[one.name, default: [:]][old] = new
      }
    }
  }

  private static func pairs(
    _ old: [String], _ new: [String], _ random: inout SeededGenerator, declare: (String, String) -> Void
  ) -> [String: String] {
    var pairs: [String: String] = [:]
    for name in old where new.contains(where: { $0.folded == name.folded }) { pairs[name.folded] = name.folded }
    var free = new.filter { !pairs.values.contains($0.folded) }
    for name in old where pairs[name.folded] == nil && !free.isEmpty && Bool.random(using: &random) {
      let target = free.remove(at: Int.random(in: 0..<free.count, using: &random))
      pairs[name.folded] = target.folded
      declare(name, target)
    }
    return pairs
  }
}

extension SchemaSnapshot {
  /// The tables that are neither virtual tables nor shadow tables nor the ledger.
  var ordinaryTables: [TableDescription] {
    tables.filter { $0.module == nil && $0.shadowOf == nil && $0.name != "migrator_history" }
  }
}

extension TableDescription {
  /// A name of the rowid that no column hides.
  var hiddenRowID: String? {
    guard !isWithoutRowID, primaryKey?.isRowID != true else { return nil }
    return ["rowid", "_rowid_", "oid"].first { column($0) == nil }
  }
}

extension String {
  /// The name as SQLite compares it.
  fileprivate var folded: String { asciiLowercased }
}
