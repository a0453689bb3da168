package import Migrator
internal import SQLSyntax

extension SQLiteConnection {
  /// Returns the user version, a number that the application stores in the database
  /// (https://www.sqlite.org/pragma.html#pragma_user_version).
  package func userVersion() throws(DatabaseError) -> Int32 { try number("PRAGMA main.user_version") }

  /// Sets the number that ``userVersion()`` returns.
  package func setUserVersion(_ version: Int32) throws(DatabaseError) {
    try execute("PRAGMA main.user_version = \(version)")
  }

  /// Returns the application ID, which identifies the application to which the file belongs
  /// (https://www.sqlite.org/pragma.html#pragma_application_id).
  package func applicationID() throws(DatabaseError) -> Int32 { try number("PRAGMA main.application_id") }

  /// Sets the number that ``applicationID()`` returns.
  package func setApplicationID(_ identifier: Int32) throws(DatabaseError) {
    try execute("PRAGMA main.application_id = \(identifier)")
  }

  /// Returns the schema version, a number that changes whenever the schema does
  /// (https://www.sqlite.org/pragma.html#pragma_schema_version).
  package func schemaVersion() throws(DatabaseError) -> Int64 { try integer("PRAGMA main.schema_version") ?? 0 }

  private func number(_ sql: String) throws(DatabaseError) -> Int32 { Int32(truncatingIfNeeded: try integer(sql) ?? 0) }

  /// Returns the names of the attached database files (https://www.sqlite.org/pragma.html#pragma_database_list);
  /// in-memory databases have none.
  package func attachedFiles() throws(DatabaseError) -> [String] {
    try rows("PRAGMA database_list").compactMap { row in
      guard case .text(let name) = row[1], name != "main", name != "temp", case .text(let file) = row[2] else {
        return nil
      }
      return file.isEmpty ? nil : name
    }
  }

  /// Returns the name of the table that contains the AUTOINCREMENT counters (https://www.sqlite.org/autoinc.html); nil
  /// if the table does not exist.
  package func counterTable() throws(DatabaseError) -> String? {
    let table = "sqlite_sequence"
    return try columns(in: table, inSchema: nil) == nil ? nil : table
  }

  /// Returns the objects of a schema in the order of their creation, without internal objects
  /// (https://www.sqlite.org/schematab.html).
  package func schema(named name: String?) throws(DatabaseError) -> SchemaSnapshot {
    let schema = try schemaName(name)
    var objects = try schemaObjects(in: schema).filter { !SchemaName.isReserved($0.name) }
    let virtualTables = objects.filter(\.isVirtual)
    guard !virtualTables.isEmpty else { return SchemaSnapshot(objects: objects) }
    let shadows = try shadowTables(of: virtualTables, in: schema)
    for index in objects.indices where objects[index].kind == .table && !objects[index].isVirtual {
      objects[index].isShadow = shadows.contains(objects[index].name.asciiLowercased)
    }
    return SchemaSnapshot(objects: objects)
  }

  /// Returns all objects in the schema table, including internal ones; shadow tables are not marked as such.
  package func schemaObjects(in schema: SchemaName = .main) throws(DatabaseError) -> [SchemaObject] {
    var objects: [SchemaObject] = []
    try forEachRow(SchemaTable.query(after: "0", in: schema)) { (row: any DatabaseStatement) throws(DatabaseError) in
      if let object = SchemaTable.object(row) { objects.append(object) }
    }
    return objects
  }

  private func shadowTables(
    of virtualTables: [SchemaObject], in schema: SchemaName
  ) throws(DatabaseError) -> Set<String> {
    // The names are derived from SQLite's modules, because older engines do not report shadow tables, and no engine
    // does if the module is missing.
    let known = virtualTables.map(ShadowTable.init(of:))
    let names = Set(known.flatMap(\.names))
    // The pragma compiles a query for each view; the time doubles with each view that names another one twice.
    guard features.listsTables, known.contains(where: { !$0.isKnown }) else { return names }
    var shadows: Set<String> = []
    do throws(DatabaseError) {
      try forEachRow("PRAGMA \(schema.prefix).table_list") { (row: any DatabaseStatement) throws(DatabaseError) in
        if row.text(at: 2) == "shadow" { shadows.insert(row.text(at: 1).asciiLowercased) }
      }
    } catch {
      // This pragma fails if a view or a module is broken; the schema can be returned nevertheless.
      guard error.condition == .statement else { throw error }
    }
    return shadows.subtracting(known.flatMap(\.otherNames)).union(names)
  }
}

/// The table in which an engine stores the definitions of a schema (https://www.sqlite.org/schematab.html).
package enum SchemaTable {
  /// Returns a query for the rows after the given row, to be read by `object(_:)`.
  ///
  /// The unary plus keeps the engine from preparing metadata about the column, which saves a fifth of the time.
  package static func query(after row: String, in schema: SchemaName = .main) -> String {
    "SELECT +rowid, +type, +name, +tbl_name, +sql, +rootpage FROM \(schema.definitions) WHERE rowid > \(row) ORDER BY rowid"
  }

  /// Returns the object in a row of the query; nil if its kind is unknown.
  package static func object(_ row: any DatabaseStatement) -> SchemaObject? {
    guard let kind = SchemaObject.Kind(rawValue: row.text(at: 1)) else { return nil }
    let name = row.text(at: 2)
    return SchemaObject(
      kind: kind, name: name, tableName: kind == .table ? name : row.text(at: 3),
      sql: row.isNull(at: 4) ? nil : row.text(at: 4),
      // Only virtual tables have no root page.
      isVirtual: kind == .table && row.integer(at: 5) == 0)
  }
}
