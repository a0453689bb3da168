import Migrator
import SQLSyntax

extension WrongConnection {
  func schema(named name: String?) throws(DatabaseError) -> SchemaSnapshot {
    if fault == .cachedSchema, let cachedSchema { return cachedSchema }
    var schema = try base.schema(named: name)
    switch fault {
    case .reversedSchema: schema.objects.reverse()
    case .noDefinitions: for index in schema.objects.indices { schema.objects[index].sql = nil }
    case .constraintIndexesDefined:
      schema.objects.append(SchemaObject(kind: .index, name: "sqlite_autoindex_a_1", tableName: "a", sql: "UNIQUE"))
    case .internalObjects:
      schema.objects.append(SchemaObject(kind: .table, name: "sqlite_sequence", tableName: "sqlite_sequence", sql: nil))
    case .noVirtualTables: for index in schema.objects.indices { schema.objects[index].isVirtual = false }
    default: break
    }
    cachedSchema = schema
    return schema
  }

  func schemaVersion() throws(DatabaseError) -> Int64 {
    fault == .constantSchemaVersion ? 1 : try base.schemaVersion()
  }

  func columns(in table: String, inSchema schema: String?) throws(DatabaseError) -> [ColumnDescription]? {
    if fault == .exactNames, try !base.schema().objects.contains(where: { $0.name == table }) { return nil }
    if fault == .cachedSchema, let columns = cachedColumns[table] { return columns }
    guard var columns = try base.columns(in: table, inSchema: schema) else {
      cachedColumns[table] = .some(nil)
      return fault == .noColumnsIsEmpty ? [] : nil
    }
    if fault == .reversedColumns { columns.reverse() }
    if fault == .noGeneratedColumns { for index in columns.indices { columns[index].isGenerated = false } }
    return columns
  }

  func foreignKeys(on table: String, inSchema schema: String?) throws(DatabaseError) -> [ForeignKeyDescription] {
    var keys = try base.foreignKeys(on: table, inSchema: schema)
    if fault == .mixesKeyColumns { for index in keys.indices { keys[index].originColumns.reverse() } }
    if fault == .keysWithoutActions { for index in keys.indices { keys[index].onDelete = .noAction } }
    if fault == .failsWithoutKeys, keys.isEmpty { throw DatabaseError(.notFound, engine: "Wrong", message: "no keys") }
    return keys
  }

  func indexes(on table: String, inSchema schema: String?) throws(DatabaseError) -> [IndexDescription] {
    var indexes = try base.indexes(on: table, inSchema: schema)
    if fault == .ascendingIndexes {
      for index in indexes.indices {
        for column in indexes[index].columns.indices { indexes[index].columns[column].isDescending = false }
      }
    }
    return indexes
  }

  func foreignKeyViolations(in table: String?) throws(DatabaseError)
    -> () throws(DatabaseError) -> ForeignKeyViolation?
  {
    let none = { () throws(DatabaseError) -> ForeignKeyViolation? in nil }
    if fault == .seesNoViolation { return none }
    let next: () throws(DatabaseError) -> ForeignKeyViolation?
    do throws(DatabaseError) {
      next = try base.foreignKeyViolations(in: fault == .violationsInAll ? nil : table)
    } catch {
      if fault == .hidesMismatch { return none }
      throw Self.changed(error, by: fault)
    }
    var extra: ForeignKeyViolation?
    if fault == .seesTooManyViolations {
      extra = ForeignKeyViolation(originTable: "a", originRowID: 1, destinationTable: "b", foreignKeyId: 0)
    }
    return { [fault] () throws(DatabaseError) in
      defer { extra = nil }
      if let extra { return extra }
      do throws(DatabaseError) {
        var violation = try next()
        if fault == .rowIDIsZero, violation?.originRowID == nil { violation?.originRowID = 0 }
        if fault == .wrongKeyNumber { violation?.foreignKeyId += 7 }
        return violation
      } catch {
        if fault == .hidesMismatch { return nil }
        throw Self.changed(error, by: fault)
      }
    }
  }

  func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements {
    if fault == .noStatements { return SchemaChangeStatements([]) }
    var plan = try base.statements(for: change.changed(by: fault))
    switch (fault, change) {
    case (.changesAtOnce, _):
      for sql in plan.statements + plan.restoring { try run(sql) }
      return SchemaChangeStatements([])
    case (.leavesTable, _): plan.statements.append("CREATE TABLE leftover(x)")
    case (.renumbers, .alterTable): plan.statements.append("UPDATE sqlite_sequence SET seq = 0")
    case (.losesTriggers, .alterTable): plan.statements.append("DROP TRIGGER IF EXISTS item_log")
    case (.breaksViews, .alterTable): plan.statements.append("DROP VIEW IF EXISTS titles")
    case (.plainRename, .renameTable(let name, let newName, _)):
      return SchemaChangeStatements(["CREATE TABLE \"\(newName)\" AS SELECT * FROM \(name)", "DROP TABLE \(name)"])
    default: break
    }
    return plan
  }

  func attachedFiles() throws(DatabaseError) -> [String] { try base.attachedFiles() }

  func counterTable() throws(DatabaseError) -> String? { try base.counterTable() }

  func eraseEverything() throws(DatabaseError) {
    let objects = try base.schema().objects
    switch fault {
    case .erasesNothing: return
    case .erasesTablesOnly:
      for table in objects where table.kind == .table { try run("DROP TABLE \(table.name.quotedIdentifier)") }
      return
    case .failsOnEmpty where objects.isEmpty:
      throw DatabaseError(.notFound, engine: "Wrong", message: "there is nothing to erase")
    case .failsOnBroken: for view in objects where view.kind == .view { try run("SELECT * FROM \(view.name)") }
    default: break
    }
    try base.eraseEverything()
    switch fault {
    case .erasesForGood:
      try base.commit()
      try base.begin(.immediate)
    case .erasesSettings: try base.setUserVersion(0)
    case .keepsCounters: try run("INSERT INTO sqlite_sequence VALUES ('parent', 101)")
    default: break
    }
  }
}

extension SchemaChange {
  /// Returns the change with a part missing.
  fileprivate func changed(by fault: Fault?) -> SchemaChange {
    switch self {
    case .createTable(var table):
      table.columns = table.columns.map { column in
        guard case .definition(let definition) = column else { return column }
        return .definition(definition.changed(by: fault))
      }
      if fault == .withoutForeignKeys { table.foreignKeys = [] }
      if fault == .withoutOptions { table.options = [] }
      if fault == .withoutExistence { table.options.remove(.ifNotExists) }
      return .createTable(table)
    case .alterTable(let name, let alterations, let schema):
      let steps = alterations.map { $0.changed(by: fault) }
      return .alterTable(
        name: name, alterations: fault == .firstStepOnly ? Array(steps.prefix(1)) : steps, schema: schema)
    case .recreateTable(let table, _) where fault == .copiesNothing: return .recreateTable(table, copying: [:])
    case .dropTable(let name, _, _) where fault == .withoutExistence: return .dropTable(name: name, ifExists: false)
    case .dropIndex(let name, _, _) where fault == .withoutExistence: return .dropIndex(name: name, ifExists: false)
    case .createIndex(var index):
      if fault == .withoutUniqueness { index.isUnique = false }
      return .createIndex(index)
    default: return self
    }
  }
}

extension TableAlterationDescription {
  /// Returns the step with a part missing, or a step without effect.
  fileprivate func changed(by fault: Fault?) -> TableAlterationDescription {
    let nothing = TableAlterationDescription.reorderColumns([])
    switch (self, fault) {
    case (.addColumn(let definition), _): return .addColumn(definition.changed(by: fault))
    case (.changeColumn, .keepsProperties), (.addConstraint, .addsNoConstraint), (.dropConstraint, .keepsConstraint),
      (.setPrimaryKey, .keepsKey), (.reorderColumns, .keepsOrder):
      return nothing
    case (.changeColumn(let name, let change), .neverFills):
      return .changeColumn(name: name, ColumnChange(change.properties))
    default: return self
    }
  }
}

extension NewColumnDescription {
  fileprivate func changed(by fault: Fault?) -> NewColumnDescription {
    var column = self
    switch fault {
    case .withoutChecks: column.checks = []
    case .withoutIndexes: column.index = nil
    case .withoutDefaults: column.defaultValue = nil
    case .withoutForeignKeys: column.references = []
    default: break
    }
    return column
  }
}
