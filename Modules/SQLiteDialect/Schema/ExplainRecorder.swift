package import Migrator
internal import SQLSyntax

/// Records which tables statements touch, as the engine explains them, where no authorizer can be installed: on a
/// connection that belongs to the application, or across a network.
///
/// The program of a statement (https://www.sqlite.org/opcode.html) names each table that it writes, through triggers,
/// foreign key actions and views, by the page where the table begins. `ALTER TABLE` and `CREATE TABLE` name theirs in
/// their text. Rows that statements of others change on the same connection are counted only: then the record is
/// incomplete.
package final class ExplainRecorder: ChangeRecorder {
  private unowned let connection: any (DatabaseConnection & SQLiteConnection)
  private var record = RecordedChanges()
  private var added = AddedObjects()
  /// The rows that the connection had changed when recording started, and those that its user's own statements have since.
  private var changesAtStart = 0
  private var ownChanges = 0
  /// The tables by the pages where they and their indexes begin, and the version of the schema that has them there.
  private var tables: (byPage: [Int64: String], version: Int64)?

  /// Whether statements are recorded.
  package private(set) var isRecording = false
  /// A number that grows whenever what was explained before may no longer hold: when recording starts, and when the schema
  /// has changed.
  package private(set) var generation = 1

  /// Creates a recorder, which its connection owns.
  package init(_ connection: any (DatabaseConnection & SQLiteConnection)) { self.connection = connection }

  /// Starts recording; a continued recording keeps the objects that the one before it found.
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

  /// The changes since the start; incomplete if the connection's owner has changed rows in the meantime.
  package var changes: RecordedChanges {
    var changes = record
    if connection.totalChangesCount - changesAtStart != ownChanges { changes.isIncomplete = true }
    return changes
  }

  /// Returns the objects that were added since the start; nil if that is not known.
  package func addedObjects() throws(DatabaseError) -> [SchemaObject]? {
    guard !changes.isIncomplete else { return nil }
    return try added.read { (query) throws(DatabaseError) in try connection.prepare(query, utf8Offset: 0).statement }
  }

  /// Takes note of rows that a statement of the connection's user has changed.
  package func noteChanges(count: Int) { ownChanges += count }

  /// Takes note that a statement for which ``explain(_:isReadOnly:)`` returned true has run.
  package func schemaDidChange() { generation += 1 }

  /// Records what a statement touches, and returns whether it changes the schema.
  package func explain(_ sql: String, isReadOnly: Bool) -> Bool {
    let kind = SQLStatementKind(of: sql)
    if case .pragma(let name, let hasArgument, _) = kind {
      // An engine carries pragmas out while it compiles them, explained or not.
      if name == "writable_schema", hasArgument { record.isIncomplete = true }
      return false
    }
    // An engine reports a statement that explains another one as one that writes if that one would.
    guard !isReadOnly, String(sql.prefix(7)).asciiLowercased != "explain" else { return false }
    do throws(DatabaseError) {
      let program = try StatementProgram(sql, connection)
      try note(program, kind, sql)
      return program.changesSchema
    } catch {
      // What cannot be explained may touch anything.
      record.isIncomplete = true
      return true
    }
  }

  private func note(_ program: StatementProgram, _ kind: SQLStatementKind, _ sql: String) throws(DatabaseError) {
    var pages = program.writtenPages
    let effect = SQLStatementEffect(of: sql)
    if case .createTable(let name) = effect {
      record.tables.insert(name.asciiLowercased)
    } else if kind == .create {
      // An index: its table is only read.
      pages.formUnion(program.readPages)
    }
    if let altered = SQLStatementKind.alteredTable(sql) { record.tables.insert(altered.asciiLowercased) }
    for name in program.droppedNames { record.tables.insert(name.asciiLowercased) }
    if !pages.isEmpty {
      let tables = try tablesByPage()
      for page in pages { if let table = tables[page] { record.tables.insert(table) } }
    }
    if program.usesVirtualTables { try noteVirtualTables(sql) }
    guard program.changesSchema else { return }
    if kind == .create, !program.usesVirtualTables { added.hasAdded = true } else { added.onlyAdds = false }
  }

  /// A table's rows may be in other tables, those of a module that is known; another module may touch anything.
  private func noteVirtualTables(_ sql: String) throws(DatabaseError) {
    var virtual = try connection.schema(named: nil).objects.filter(\.isVirtual)
    if case .createTable(let name) = SQLStatementEffect(of: sql) {
      virtual.append(SchemaObject(kind: .table, name: name, tableName: name, sql: sql, isVirtual: true))
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

/// The parts of a statement's program that say what it changes in the main schema.
private struct StatementProgram {
  /// Where the tables and indexes begin that it writes, clears or removes.
  private(set) var writtenPages: Set<Int64> = []
  /// Where those begin that it only reads.
  private(set) var readPages: Set<Int64> = []
  /// The tables and views that it drops.
  private(set) var droppedNames: [String] = []
  /// Whether it writes to, makes or removes a virtual table, in whatever schema.
  private(set) var usesVirtualTables = false
  private(set) var changesSchema = false

  init(_ sql: String, _ connection: any SQLiteConnection) throws(DatabaseError) {
    try connection.forEachRow("EXPLAIN \(sql)") { (row: any DatabaseStatement) throws(DatabaseError) in
      add(row.text(at: 1), row)
    }
  }

  /// Adds an instruction, whose operands follow its name: https://www.sqlite.org/opcode.html.
  private mutating func add(_ name: String, _ row: any DatabaseStatement) {
    let (p1, p2, p3) = (row.integer(at: 2), row.integer(at: 3), row.integer(at: 4))
    switch name {
    // With the flag, the page is in a register: that of an object which the statement makes.
    case "OpenWrite": if p3 == 0, Self.flags(row) & 0x10 == 0 { writtenPages.insert(p2) }
    case "OpenRead": if p3 == 0 { readPages.insert(p2) }
    case "Clear": if p2 == 0 { writtenPages.insert(p1) }
    case "Destroy": if p3 == 0 { writtenPages.insert(p1) }
    case "DropTable": if p1 == 0 { droppedNames.append(row.text(at: 5)) }
    case "VUpdate", "VCreate", "VDestroy", "VRename": usesVirtualTables = true
    // The first of the numbers is the one that changes with the schema (https://www.sqlite.org/fileformat2.html#schema_cookie).
    case "SetCookie": if p1 == 0, p2 == 1 { changesSchema = true }
    default: break
    }
  }

  /// The flags of an instruction, which older engines write as hexadecimal text.
  private static func flags(_ row: any DatabaseStatement) -> Int64 {
    row.valueKind(at: 6) == .text ? Int64(row.text(at: 6), radix: 16) ?? 0 : row.integer(at: 6)
  }
}
