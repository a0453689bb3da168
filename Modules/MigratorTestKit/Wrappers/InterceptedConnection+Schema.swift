internal import Migrator

extension InterceptedConnection {
  func schema(named name: String?) throws(DatabaseError) -> SchemaSnapshot {
    try interceptor.admit(.schema)
    return try base.schema(named: name)
  }

  func schemaVersion() throws(DatabaseError) -> Int64 {
    try interceptor.admit(.schemaVersion)
    return try base.schemaVersion()
  }

  func canonicalDefinition(_ sql: String) -> String {
    interceptor.note(.canonicalDefinition(sql))
    return base.canonicalDefinition(sql)
  }

  func columns(in table: String, inSchema schema: String?) throws(DatabaseError) -> [ColumnDescription]? {
    try interceptor.admit(.columns(table: table))
    return try base.columns(in: table, inSchema: schema)
  }

  func foreignKeys(on table: String, inSchema schema: String?) throws(DatabaseError) -> [ForeignKeyDescription] {
    try interceptor.admit(.foreignKeys(table: table))
    return try base.foreignKeys(on: table, inSchema: schema)
  }

  func indexes(on table: String, inSchema schema: String?) throws(DatabaseError) -> [IndexDescription] {
    try interceptor.admit(.indexes(table: table))
    return try base.indexes(on: table, inSchema: schema)
  }

  func attachedFiles() throws(DatabaseError) -> [String] {
    try interceptor.admit(.attachedFiles)
    return try base.attachedFiles()
  }

  func counterTable() throws(DatabaseError) -> String? {
    try interceptor.admit(.counterTable)
    return try base.counterTable()
  }

  func foreignKeyViolations(in table: String?) throws(DatabaseError)
    -> () throws(DatabaseError) -> ForeignKeyViolation?
  {
    try interceptor.admit(.foreignKeyViolations(table: table))
    let next = try base.foreignKeyViolations(in: table)
    let interceptor = interceptor
    return { () throws(DatabaseError) in
      try interceptor.admit(.nextForeignKeyViolation(table: table))
      return try next()
    }
  }

  func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements {
    try interceptor.admit(.statements(change))
    return try base.statements(for: change)
  }

  func eraseEverything() throws(DatabaseError) {
    try interceptor.admit(.eraseEverything)
    try base.eraseEverything()
  }
}
