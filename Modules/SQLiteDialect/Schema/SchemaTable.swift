package import Migrator

/// The table in which an engine keeps the definitions of a schema (https://www.sqlite.org/schematab.html).
package enum SchemaTable {
  /// A query for the rows behind one of them, for ``object(_:)``.
  ///
  /// Of a column that is no plain one the engine prepares nothing but its name, which takes a fifth less time.
  package static func query(after row: String, in schema: SchemaName = .main) -> String {
    "SELECT +rowid, +type, +name, +tbl_name, +sql, +rootpage FROM \(schema.definitions) WHERE rowid > \(row) ORDER BY rowid"
  }

  /// The object in a row of the query; nil when it is of a kind that is not known.
  package static func object(_ row: any DatabaseStatement) -> SchemaObject? {
    guard let kind = SchemaObject.Kind(rawValue: row.text(at: 1)) else { return nil }
    let name = row.text(at: 2)
    return SchemaObject(
      kind: kind, name: name, tableName: kind == .table ? name : row.text(at: 3),
      sql: row.valueKind(at: 4) == .null ? nil : row.text(at: 4),
      // Tables without a page of their own are virtual ones.
      isVirtual: kind == .table && row.integer(at: 5) == 0)
  }

  /// Whether a name is the engine's own: it begins with `sqlite_`, in whatever case.
  ///
  /// Not a matter for LIKE, whose underscore stands for any character (https://www.sqlite.org/fileformat2.html#intschema).
  package static func isReserved(_ name: String) -> Bool { name.asciiLowercased.utf8.starts(with: "sqlite_".utf8) }
}
