import Migrator
import SQLSyntax
import Testing

/// A schema other than the main one, for which statements for the main schema can be rewritten.
enum OtherSchema: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case attached, temporary

  var testDescription: String { rawValue }

  /// The schema's name.
  var name: String { self == .attached ? "aux 1" : "temp" }

  /// The table of the schema's definitions.
  var definitions: String { self == .attached ? "\"aux 1\".sqlite_master" : "sqlite_temp_master" }

  /// Creates the schema, which is empty.
  func make(_ db: Database) throws {
    try db.execute(sql: "PRAGMA foreign_keys = OFF")
    if self == .attached { try db.execute(sql: "ATTACH ':memory:' AS \"aux 1\"") }
  }

  /// Returns statements that create in this schema the objects that they would create in the main one.
  func script(_ sql: String) -> String {
    var script = sql
    let prefix = self == .attached ? "\"aux 1\"." : "temp."
    for kind in ["TABLE", "UNIQUE INDEX", "INDEX", "VIEW", "TRIGGER"] {
      script = script.replacing("CREATE \(kind) ", with: "CREATE \(kind) \(prefix)")
    }
    if self == .attached { script = script.replacing("ANALYZE", with: "ANALYZE \"aux 1\"") }
    return script.replacing("CREATE VIRTUAL TABLE ", with: "CREATE VIRTUAL TABLE \(prefix)")
  }
}

/// The contents of a schema: its stored definitions, and the rows of its tables with their rowids.
struct SchemaContents {
  private(set) var lines: [String] = []

  /// Reads the main schema, or another schema.
  init(_ db: Database, _ schema: OtherSchema? = nil) throws {
    let objects = try Row.fetchAll(
      db, sql: "SELECT type, name, tbl_name, sql FROM \(schema?.definitions ?? "main.sqlite_master") ORDER BY 1, 2")
    for object in objects {
      lines.append("\(Array(object.databaseValues))")
      let (type, name): (String, String) = try (object["type"], object["name"])
      guard type == "table", !name.hasPrefix("f_") else { continue }
      let table = "\((schema?.name ?? "main").quotedIdentifier).\(name.quotedIdentifier)"
      let query = { (columns: String) in
        try Row.fetchAll(db, sql: "SELECT \(columns) FROM \(table) ORDER BY 1").map { "\(Array($0.databaseValues))" }
      }
      let rows = try (try? query("_rowid_, *")) ?? query("*")
      lines += rows.map { "\(name): \($0)" }
    }
  }
}
