package import Migrator
internal import SQLSyntax

/// A recorder that uses EXPLAIN to determine which tables statements access, for connections without an authorizer:
/// those that belong to the application, and those across a network.
///
/// The program of a statement (https://www.sqlite.org/opcode.html) identifies each table that it writes, including
/// those written by triggers, foreign key actions and views, by the table's root page. For `ALTER TABLE` and `CREATE
/// TABLE`, the name is in the statement's text. If the application changes rows with its own statements on the same
/// connection, these rows are only counted, and the record is incomplete.
package final class ExplainRecorder: ChangeRecorder {
  private unowned let connection: any (DatabaseConnection & SQLiteConnection)
  private var record = RecordedChanges()
  private var added = AddedObjects()
  /// The number of rows changed on the connection before the recording, and the number that the driver has changed
  /// since then.
  private var changesAtStart = 0
  private var ownChanges = 0
  /// The table names, in lower case, by the root pages of the tables and their indexes, and the schema version for
  /// which they are valid.
  private var tables: (byPage: [Int64: String], version: Int64)?

  /// Whether statements are recorded.
  package private(set) var isRecording = false
  /// A number that increases whenever earlier explanations may no longer be valid: when a recording starts, and when
  /// the schema has changed.
  package private(set) var generation = 1

  /// Creates a recorder for the connection that owns it.
  package init(_ connection: any (DatabaseConnection & SQLiteConnection)) { self.connection = connection }

  /// Starts recording; `isContinued` is whether the schema has not changed since the previous recording.
  package func start(isContinued: Bool) {
    added.start(isContinued: isContinued && !changes.isIncomplete, connection)
    record = RecordedChanges()
    changesAtStart = connection.totalChangesCount
    ownChanges = 0
    tables = nil
    generation += 1
    isRecording = true
  }

  /// Stops recording.
  package func stop() { isRecording = false }

  /// The changes since the recording started; incomplete if the application has also changed rows.
  package var changes: RecordedChanges {
    var changes = record
    if connection.totalChangesCount - changesAtStart != ownChanges { changes.isIncomplete = true }
    return changes
  }

  /// Returns the objects that were added since the recording started; nil if they are unknown.
  package func addedObjects() throws(DatabaseError) -> [SchemaObject]? {
    guard !changes.isIncomplete else { return nil }
    return try added.read { (query) throws(DatabaseError) in try connection.prepare(query, utf8Offset: 0).statement }
  }

  /// Counts rows that a statement of the driver has changed.
  package func noteChanges(count: Int) { ownChanges += count }

  /// Notes that the schema may have changed; called after a statement for which ``explain(_:isReadOnly:_:)`` returned
  /// true.
  package func schemaDidChange() { generation += 1 }

  /// Records the tables that a statement, of which the program may be known, accesses; returns whether it changes the
  /// schema.
  package func explain(_ sql: String, isReadOnly: Bool, _ program: StatementProgram? = nil) -> Bool {
    let statement = SQLStatementSummary(of: sql)
    if case .pragma(let name, let hasArgument, _) = statement.kind {
      // An engine executes a PRAGMA while compiling it, even within EXPLAIN.
      if name == "writable_schema", hasArgument { record.isIncomplete = true }
      return false
    }
    // The engine reports an EXPLAIN statement as writing if the statement that it explains writes.
    guard !isReadOnly, String(sql.prefix(7)).asciiLowercased != "explain" else { return false }
    do throws(DatabaseError) {
      let program = if let program { program } else { try StatementProgram(sql, connection) }
      try note(program, statement)
      return program.changesSchema
    } catch {
      // A statement that cannot be explained may access any table.
      record.isIncomplete = true
      return true
    }
  }

  private func note(_ program: StatementProgram, _ statement: SQLStatementSummary) throws(DatabaseError) {
    if program.isUnknown { record.isIncomplete = true }
    var pages = program.writtenPages
    if case .createTable(let name) = statement.effect {
      record.tables.insert(name.asciiLowercased)
    } else if statement.kind == .create {
      // The statement creates an index, and only reads the index's table.
      pages.formUnion(program.readPages)
    }
    if let altered = statement.alteredTable { record.tables.insert(altered.asciiLowercased) }
    for name in program.droppedNames { record.tables.insert(name.asciiLowercased) }
    if !pages.isEmpty {
      let tables = try tablesByPage()
      for page in pages { if let table = tables[page] { record.tables.insert(table) } }
    }
    if program.usesVirtualTables { try noteVirtualTables(statement) }
    guard program.changesSchema else { return }
    if statement.kind == .create, !program.usesVirtualTables { added.hasAdded = true } else { added.onlyAdds = false }
  }

  /// Records all virtual tables with their shadow tables.
  ///
  /// A virtual table of an unknown module may store rows in any table, so the record is then incomplete.
  private func noteVirtualTables(_ statement: SQLStatementSummary) throws(DatabaseError) {
    var virtual = try connection.schema(named: nil).objects.filter(\.isVirtual)
    if case .createTable(let name) = statement.effect {
      virtual.append(SchemaObject(kind: .table, name: name, tableName: name, sql: statement.sql, isVirtual: true))
    }
    for table in virtual {
      let shadows = ShadowTable(of: table).names
      if shadows.isEmpty { record.isIncomplete = true }
      record.tables.insert(table.name.asciiLowercased)
      record.tables.formUnion(shadows)
    }
  }

  private func tablesByPage() throws(DatabaseError) -> [Int64: String] {
    let version = try connection.integer("PRAGMA main.schema_version") ?? 0
    if let tables, tables.version == version { return tables.byPage }
    var byPage: [Int64: String] = [:]
    try connection.forEachRow("SELECT rootpage, tbl_name FROM main.sqlite_master WHERE rootpage > 0") {
      (row: any DatabaseStatement) throws(DatabaseError) in
      byPage[row.integer(at: 0)] = row.text(at: 1).asciiLowercased
    }
    tables = (byPage, version)
    return byPage
  }
}
