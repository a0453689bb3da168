import Migrator
import SQLSyntax
import SQLiteDialect
import SQLiteEngine

/// All violations in a database, as the engine's own check reports them table by table.
struct FullCheck {
  /// A row that violates a key, identified by its values.
  struct Orphan: Hashable {
    var table: String
    var parent: String
    var columns: [String]
    var values: [DatabaseValue]
  }

  /// The violations as the engine reports them.
  private(set) var violations: [ForeignKeyViolation] = []
  /// The violations of tables with rowids, counted by their values.
  private(set) var orphans: [Orphan: Int] = [:]
  /// The number of violations in tables without rowids.
  private(set) var withoutRowID = 0
  /// The tables with rows and a key that matches no unique key.
  private(set) var mismatched: Set<String> = []
  /// The tables without a mismatch, and whether they have violations.
  private(set) var tables: [String: Bool] = [:]

  var isClean: Bool { violations.isEmpty && mismatched.isEmpty }

  init(_ db: Database) throws {
    let rows = try Self.rows(
      "SELECT name, sql FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'", db)
    for row in rows {
      guard case .text(let table) = row[0], case .text(let sql) = row[1] else { continue }
      do {
        try check(table, hasRowID: !sql.hasSuffix("WITHOUT ROWID"), db)
      } catch let error as DatabaseError where error.condition == .statement {
        // Without rows, no row violates the key. An index on an expression may have entries without rows: SQLite 3.15
        // does not remove them when a statement ignores a row.
        let rows = "SELECT 1 FROM main.\(table.quotedIdentifier) NOT INDEXED LIMIT 1"
        let hasRows = try !Self.rows(rows, db).isEmpty
        if hasRows { mismatched.insert(table.asciiLowercased) }
      }
    }
  }

  private mutating func check(_ table: String, hasRowID: Bool, _ db: Database) throws {
    let keys = try db.foreignKeys(on: table)
    let names = Set(try db.columns(in: table).map(\.name.asciiLowercased))
    let rowID = ["rowid", "_rowid_", "oid"].first { !names.contains($0) } ?? "rowid"
    let found = try hasRowID ? pragma(table, db) : connectionCheck(table, db)
    tables[table] = !found.isEmpty
    for violation in found {
      let (parent, id) = (violation.destinationTable, violation.foreignKeyId)
      violations.append(violation)
      guard let key = keys.first(where: { $0.id == id }), let number = violation.originRowID else {
        withoutRowID += 1
        continue
      }
      let list = key.originColumns.map(\.quotedIdentifier).joined(separator: ", ")
      let values = try Self.rows(
        "SELECT \(list) FROM main.\(table.quotedIdentifier) WHERE \(rowID) = \(number)", db)
      orphans[
        Orphan(
          table: table.asciiLowercased, parent: parent.asciiLowercased,
          columns: key.originColumns.map(\.asciiLowercased), values: values.first ?? []), default: 0] += 1
    }
  }

  /// Returns the violations that the engine reports.
  private func pragma(_ table: String, _ db: Database) throws -> [ForeignKeyViolation] {
    try Self.rows("PRAGMA main.foreign_key_check(\(table.quotedIdentifier))", db).compactMap { row in
      guard case .text(let parent) = row[2], case .integer(let id) = row[3] else { return nil }
      var violation = ForeignKeyViolation(
        originTable: table, originRowID: nil, destinationTable: parent, foreignKeyId: Int(id))
      if case .integer(let number) = row[1] { violation.originRowID = number }
      return violation
    }
  }

  /// Returns the violations of a table without rowids, whose keys SQLite 3.15 does not read correctly.
  private func connectionCheck(_ table: String, _ db: Database) throws -> [ForeignKeyViolation] {
    let next = try db.connection.foreignKeyViolations(in: table)
    var found: [ForeignKeyViolation] = []
    while var violation = try next() {
      violation.originTable = table
      found.append(violation)
    }
    return found
  }

  /// Returns the maximum number of violations that can be new.
  func largestGrowth(since before: FullCheck) -> Int {
    withoutRowID + orphans.reduce(0) { $0 + max(0, $1.value - before.orphans[$1.key, default: 0]) }
  }

  /// Returns rows without involving the migration's inspector.
  private static func rows(_ sql: String, _ db: Database) throws -> [[DatabaseValue]] {
    guard let statement = try db.connection.prepare(sql, utf8Offset: 0).statement else { return [] }
    var rows: [[DatabaseValue]] = []
    while try statement.step() {
      rows.append((0..<statement.columnCount).map { DatabaseValue(statement.value(at: $0)) })
    }
    return rows
  }
}

extension FullCheck {
  /// Compares the probe of each table's keys with the engine's check.
  func wrongProbes(_ db: Database, _ counts: inout HistoryCounts) throws -> [String] {
    guard let connection = (db.connection as? BlindedConnection)?.base as? EngineConnection else { return [] }
    var wrong: [String] = []
    for (table, hasViolations) in tables {
      let answer = try connection.probeForeignKeys(of: table)
      counts.probes[answer, default: 0] += 1
      if answer == .clean && hasViolations { wrong.append("the probe finds \(table) clean") }
      if answer == .suspicious && !hasViolations { counts.falseSuspicions += 1 }
    }
    return wrong
  }
}
