package import Migrator
internal import SQLSyntax

extension SQLiteConnection {
  /// Returns the columns of a table or view, in order; nil if the schema has no such object.
  package func columns(in table: String, inSchema name: String?) throws(DatabaseError) -> [ColumnDescription]? {
    let schema = try schemaName(name)
    // `table_xinfo` also lists generated columns; engines before 3.26 do not have it
    let listsHidden = features.listsHiddenColumns
    // Newer engines notice changes by themselves.
    if !features.noticesSchemaChanges { try noticeSchemaChanges(in: schema) }
    let pragma = listsHidden ? "table_xinfo" : "table_info"
    var columns: [ColumnDescription]?
    try forEachRow("PRAGMA \(schema.prefix).\(pragma)(\(table.quotedIdentifier))") {
      (row: any DatabaseStatement) throws(DatabaseError) in
      // 0 for ordinary columns, 1 for hidden columns of virtual tables, 2 and 3 for generated columns.
      let hidden = listsHidden ? row.integer(at: 6) : 0
      columns = columns ?? []
      columns?.append(
        ColumnDescription(
          name: row.text(at: 1), declaredType: row.text(at: 2), isNotNull: row.integer(at: 3) != 0,
          defaultValueSQL: row.isNull(at: 4) ? nil : row.text(at: 4),
          primaryKeyIndex: Int(row.integer(at: 5)), isGenerated: hidden > 1,
          isStored: hidden == 3, isHidden: hidden == 1))
    }
    return columns
  }

  /// Returns the foreign keys that a table declares, in the order of the numbers that the engine gives them.
  package func foreignKeys(
    on table: String, inSchema name: String?
  ) throws(DatabaseError) -> [ForeignKeyDescription] {
    let schema = try schemaName(name)
    var keys: [ForeignKeyDescription] = []
    try noticeSchemaChanges(in: schema)
    // https://www.sqlite.org/pragma.html#pragma_foreign_key_list: one row per column, in key order.
    try forEachRow("PRAGMA \(schema.prefix).foreign_key_list(\(table.quotedIdentifier))") {
      (row: any DatabaseStatement) throws(DatabaseError) in
      let id = Int(row.integer(at: 0))
      if keys.last?.id != id {
        keys.append(
          ForeignKeyDescription(
            id: id, destinationTable: row.text(at: 2), originColumns: [], destinationColumns: [],
            onDelete: ForeignKeyAction(rawValue: row.text(at: 6)) ?? .noAction,
            onUpdate: ForeignKeyAction(rawValue: row.text(at: 5)) ?? .noAction))
      }
      keys[keys.count - 1].originColumns.append(row.text(at: 3))
      if !row.isNull(at: 4) { keys[keys.count - 1].destinationColumns.append(row.text(at: 4)) }
    }
    return keys
  }

  /// Returns the indexes of a table, in the order in which the engine lists them.
  package func indexes(on table: String, inSchema name: String?) throws(DatabaseError) -> [IndexDescription] {
    let schema = try schemaName(name)
    var indexes: [IndexDescription] = []
    try noticeSchemaChanges(in: schema)
    // https://www.sqlite.org/pragma.html#pragma_index_list
    try forEachRow("PRAGMA \(schema.prefix).index_list(\(table.quotedIdentifier))") {
      (row: any DatabaseStatement) throws(DatabaseError) in
      let origins: [String: IndexDescription.Origin] = ["u": .uniqueKey, "pk": .primaryKey]
      indexes.append(
        IndexDescription(
          name: row.text(at: 1), table: table, origin: origins[row.text(at: 3)] ?? .createIndex,
          isUnique: row.integer(at: 2) != 0, isPartial: row.integer(at: 4) != 0, columns: []))
    }
    for place in indexes.indices {
      // https://www.sqlite.org/pragma.html#pragma_index_xinfo; columns outside the key only serve to find the row.
      try forEachRow("PRAGMA \(schema.prefix).index_xinfo(\(indexes[place].name.quotedIdentifier))") {
        (row: any DatabaseStatement) throws(DatabaseError) in
        guard row.integer(at: 5) != 0 else { return }
        indexes[place].columns.append(
          IndexDescription.Column(
            name: row.isNull(at: 2) ? nil : row.text(at: 2), collation: row.text(at: 4),
            isDescending: row.integer(at: 3) != 0))
      }
    }
    return indexes
  }

  /// Makes the connection read the schema again if another connection has changed it.
  ///
  /// A pragma is compiled with the schema that the connection read last, so a table that another connection has just
  /// created would seem to be missing. A query compares the schema cookie when it runs
  /// (https://www.sqlite.org/fileformat2.html#schema_cookie).
  func noticeSchemaChanges(in schema: SchemaName = .main) throws(DatabaseError) {
    _ = try integer("SELECT 1 FROM \(schema.definitions) LIMIT 1")
  }
}
