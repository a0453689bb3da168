import Foundation
import Migrator
import SQLSyntax

/// The contents of a database with an odd definition: the facts of the engine's own pragmas, the definitions without
/// their spelling, and the rows of all tables, views and virtual tables.
struct OddState {
  /// One line for each fact, in a fixed order.
  let lines: [String]
  let objects: [Object]

  init(_ db: Database) throws {
    objects = try [("main", "sqlite_master"), ("temp", "sqlite_temp_master")].flatMap { schema, master in
      try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM \(master)").map {
        try Object(schema: schema, $0)
      }
    }
    var lines = try PragmaInventory(db).lines.map(Self.canonical)
    for (schema, master) in [("main", "sqlite_master"), ("temp", "sqlite_temp_master")] {
      let objects = try Row.fetchAll(
        db, sql: "SELECT name, type, sql FROM \(master) WHERE type IN ('table', 'view') ORDER BY name")
      for object in objects {
        let (name, type, sql): (String, String, String?) = try (object[0], object[1], object[2])
        // The inventory has the rows of ordinary tables of the main schema.
        let isVirtual = sql?.uppercased().contains("VIRTUAL") ?? false
        guard type == "view" || isVirtual || schema == "temp", Self.isStable(sql ?? "") else { continue }
        lines += Self.rows(of: "\(schema).\(name.quotedIdentifier)", db)
          .map { "row of \(schema) \(type) \(name): \($0)" }
      }
    }
    self.lines = lines.map { $0.lowercased() }.sorted()
  }

  /// Returns the lines that only one of two states has; nil if there are none.
  func difference(from other: OddState, besides isExpected: (String) -> Bool = { _ in false }) -> String? {
    let gone = lines.subtracting(other.lines).filter { !isExpected($0) }
    let new = other.lines.subtracting(lines).filter { !isExpected($0) }
    guard !gone.isEmpty || !new.isEmpty else { return nil }
    return "only first:\n  \(gone.joined(separator: "\n  "))\nonly second:\n  \(new.joined(separator: "\n  "))"
  }

  /// Returns the rows as text; the error of a view or virtual table that cannot be read.
  private static func rows(of table: String, _ db: Database) -> [String] {
    do {
      return try Row.fetchAll(db, sql: "SELECT * FROM \(table) LIMIT 50").map { row in
        zip(row.columnNames, row.databaseValues).map { "\($0): \($1)" }.joined(separator: ", ")
      }
    } catch let error as DatabaseError {
      return ["cannot be read: \(error.condition)"]
    } catch { return ["\(error)"] }
  }

  /// Whether rows depend only on the contents, and neither on the time nor on the pages of the file.
  private static func isStable(_ sql: String) -> Bool {
    let tokenizer = SQLTokenizer(sql)
    // A quoted name is that of a column, and may change with it.
    let words = tokenizer.filter { $0.kind == .word }.map { tokenizer.text(of: $0).lowercased() }
    return ["current_", "random", "dbstat"].allSatisfy { part in !words.contains { $0.contains(part) } }
  }

  /// Returns a line with a definition in canonical form.
  private static func canonical(_ line: String) -> String {
    guard line.hasPrefix("main ") || line.hasPrefix("temp "), let colon = line.range(of: ": ") else { return line }
    return line[..<colon.upperBound] + SQLNormalization.canonicalDefinition(of: String(line[colon.upperBound...]))
  }
}
