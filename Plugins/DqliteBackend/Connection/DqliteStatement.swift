internal import DqliteWire
internal import Migrator
internal import SQLSyntax
internal import SQLiteDialect

/// A statement that runs on a node; it is sent with its values each time it runs.
final class DqliteStatement: DatabaseStatement {
  let sql: String
  private(set) var isReadOnly: Bool
  private let session: DqliteSession
  private weak var recorder: ExplainRecorder?
  private let parameters: StatementParameters
  private var values: [DatabaseValue]
  private var route: Route
  private var changesSchema: Bool
  private var explainedGeneration = 0
  /// The names of the columns, and the generation of the schema in which they are true.
  private var named: (names: [String], generation: Int)?
  /// Whether the statement has run, so that another connection may have changed the columns since.
  private var hasRun = false
  /// The rows of the current run; nil before the first step and after the last row.
  private var rows: RowStream?

  /// The way in which a statement is sent.
  private enum Route: Equatable {
    /// As a statement without rows.
    case execute(DqliteSession.Effect)
    /// As a query whose values have no declared type.
    case plain(DqliteSession.Effect)
    /// As a query of this many columns, rewritten so that each value is returned as stored.
    case faithful(Int, DqliteSession.Effect)
  }

  init(_ sql: String, _ session: DqliteSession, _ recorder: ExplainRecorder?) throws(DatabaseError) {
    self.sql = sql
    self.session = session
    self.recorder = recorder
    let start = StatementStart(of: sql)
    let (kind, keyword) = (start.kind, start.keyword)
    if let refusal = StatementGuard.refusal(of: sql, start) {
      throw DqliteError.make(.unsupported, refusal.message, remedy: refusal.remedy, sql: sql)
    }
    parameters = StatementParameters(of: sql)
    values = Array(repeating: .null, count: parameters.names.count)
    (route, isReadOnly, changesSchema) = (.plain(.reads), true, false)
    if session.hasLostTransaction, keyword != "explain", kind == .begin || kind == .rollback {
      // Only these statements end a lost transaction; none can be compiled before.
      route = .execute(kind == .begin ? .begins : .rollsBack)
    } else if keyword == "explain" {
      // Compiles the explained statement, so that its errors are reported now.
      do throws(DatabaseError) { _ = try readNames() } catch {
        guard error.isRowOfWritingStatement else { throw error }
        throw DqliteError.make(
          .unsupported, "this version of dqlite does not explain statements that write",
          remedy: "Explain the queries in it, or explain the statement in a SQLite database with the same schema.",
          sql: sql)
      }
    } else if case .pragma(let name, let hasArgument, let argument) = kind {
      // SQLite runs some of these statements while it compiles them, even for EXPLAIN.
      // A setting of an attached database cannot be made on the next connection, which has not attached it.
      let effect = start.concernsMain ? DqliteSession.Effect.sets(name: name) : .reads
      switch PragmaUse(name, hasArgument: hasArgument, argument: argument) {
      case .sets: route = .execute(effect)
      case .setsReturningRow: route = .plain(effect)
      case .writes: (route, isReadOnly) = (.execute(.writes), false)
      case .returnsRows, nil: break
      }
    } else {
      if Self.queries.contains(keyword) { try session.updateSchema() }
      try readProgram(keyword, kind)
      // Names that the node cannot send are reported before the statement runs.
      guard case .faithful = route else { return }
      do throws(DatabaseError) { _ = try readNames() } catch { throw located(error) }
    }
  }

  private static let queries = ["select", "values", "with"]
  /// The keywords of the statements that change rows, and not the schema.
  private static let rowChanges = ["insert", "replace", "update", "delete", "with"]

  /// Compiles the statement on the node, and reads from its program how it must be sent.
  ///
  /// Some versions of dqlite, such as 1.18, explain only statements that write nothing: for the others, EXPLAIN fails
  /// after the statement was compiled.
  private func readProgram(_ keyword: String, _ kind: SQLStatementKind) throws(DatabaseError) {
    var program = StatementProgram()
    let rows: RowStream
    do throws(DatabaseError) {
      rows = try session.query("EXPLAIN \(sql)")
      while try session.next(rows, sql) {
        if let instruction = rows.instruction { program.add(instruction) }
      }
    } catch {
      guard error.isRowOfWritingStatement else { throw located(error) }
      program = StatementProgram(unknownChangingSchema: !Self.rowChanges.contains(keyword))
    }
    // Rolling back to a savepoint may undo changes of the schema.
    (isReadOnly, changesSchema) = (program.isReadOnly, program.changesSchema || kind == .rollbackTo)
    explainToRecorder(program)
    if program.isReadOnly, Self.queries.contains(keyword) {
      guard program.columnCount <= FaithfulQuery.mostColumns else {
        throw DqliteError.make(
          .unsupported, "a query with \(program.columnCount) columns; a node can send \(FaithfulQuery.mostColumns)",
          remedy: "Select fewer columns.", sql: sql)
      }
      if try FaithfulQuery.hasTooLongNames(sql, columnCount: program.columnCount, columns: columnNames(of:)) {
        throw DqliteError.running(.namesTooLong, sql)
      }
      route = .faithful(program.columnCount, program.usesDatabase ? .readsDatabase : .reads)
      return
    }
    if program.isUnknown
      ? StatementGuard.holds("returning", sql) : program.columnCount > 0 && Self.rowChanges.contains(keyword)
    {
      throw DqliteError.make(
        .unsupported, "dqlite does not support RETURNING: outside a transaction, the changes would not be replicated",
        remedy: "Run the statement without RETURNING, and read the rows with a query.", sql: sql)
    }
    route = .execute(Self.effect(of: kind, program))
  }

  /// Returns an error with the statement as it was written, and the place in it: a rewritten one was sent.
  private func located(_ error: DatabaseError) -> DatabaseError {
    var error = error
    error.sql = sql
    error.utf8Offset = error.condition == .statement ? ErrorOffset.guess(message: error.message, sql: sql) : nil
    return error
  }

  private static func effect(of kind: SQLStatementKind, _ program: StatementProgram) -> DqliteSession.Effect {
    switch kind {
    case .begin: .begins
    case .commit: .commits
    case .rollback: .rollsBack
    case .savepoint: .opensSavepoint
    case .release: .releases
    // It copies the definitions, and runs only outside a transaction.
    case .vacuum: .writes
    default: program.isReadOnly ? .reads : program.writesDefinitions ? .writesSchema : .writes
    }
  }

  // MARK: Columns and parameters

  var columnNames: [String] {
    if let named, named.generation == session.schemaGeneration { return named.names }
    // The error is reported when the statement runs.
    return (try? readNames()) ?? named?.names ?? []
  }

  var columnCount: Int {
    if let rows { return rows.columns.count }
    if case .faithful(let count, _) = route { return count }
    return columnNames.count
  }

  private func readNames() throws(DatabaseError) -> [String] {
    var names: [String] = []
    switch route {
    case .execute: break
    case .faithful: names = try namesOfQuery()
    case .plain:
      if case .pragma(let pragma, let hasArgument, _) = SQLStatementKind(of: sql) {
        // https://www.sqlite.org/pragma.html#pragfunc: without an argument and without reading any row.
        let function = "SELECT * FROM \("pragma_\(pragma)".quotedIdentifier) LIMIT 0"
        do throws(DatabaseError) {
          names = try session.query(function).columns
        } catch {
          guard error.condition == .statement else { throw error }
          names = hasArgument ? [pragma] : []
        }
      } else {
        names = try session.query(sql).columns
      }
    }
    named = (names, session.schemaGeneration)
    return names
  }

  private func namesOfQuery() throws(DatabaseError) -> [String] {
    do throws(DatabaseError) {
      return try session.query(FaithfulQuery.withoutRows(sql)).columns
    } catch {
      guard error.condition == .statement else { throw error }
      return try session.query(FaithfulQuery.selectingNothing(from: sql)).columns
    }
  }

  /// Returns the names of the columns of a table or view, as rows; nil if there is no such table.
  private func columnNames(of table: String) throws(DatabaseError) -> [String]? {
    let sql = "SELECT name FROM pragma_table_xinfo(\(DatabaseValue.text(table).sqlLiteral)) WHERE hidden <> 1"
    let rows = try session.query(sql)
    var names: [String] = []
    while try session.next(rows, sql) {
      if case .text(let range) = rows.value(0) { names.append(rows.message.body.text(range)) }
    }
    return names.isEmpty ? nil : names
  }

  var parameterCount: Int { parameters.names.count }

  func parameterName(at index: Int) -> String? { parameters.names[index] }

  func bind(_ value: DatabaseValue, at index: Int) throws(DatabaseError) {
    guard values.indices.contains(index) else {
      throw DqliteError.make(.misuse, "the statement has no parameter number \(index + 1)", sql: sql)
    }
    values[index] = value
  }

  // MARK: Running

  func step(into row: UnsafeMutableBufferPointer<ColumnValue>) throws(DatabaseError) -> Bool {
    if rows == nil { try run() }
    guard let current = rows else { return false }
    do throws(DatabaseError) {
      guard try session.next(current, sql) else {
        rows = nil
        return false
      }
    } catch {
      rows = nil
      throw error
    }
    for column in row.indices { row.initializeElement(at: column, to: value(at: column)) }
    return true
  }

  func reset() { rows = nil }

  /// Makes the recorder determine what the statement accesses, unless it has already done so.
  func explainToRecorder(_ program: StatementProgram? = nil) {
    guard let recorder, recorder.isRecording, recorder.generation != explainedGeneration else { return }
    explainedGeneration = recorder.generation
    _ = recorder.explain(sql, isReadOnly: isReadOnly, program)
  }

  private func run() throws(DatabaseError) {
    guard values.count <= WireRequest.mostParameters else {
      throw DqliteError.make(
        .tooBig, "the statement has \(values.count) parameters; dqlite accepts \(WireRequest.mostParameters)",
        remedy: "Split it into several statements.", sql: sql)
    }
    explainToRecorder()
    let (text, arguments) = boundText()
    do throws(DatabaseError) {
      if case .faithful = route { try refreshNames() }
      switch route {
      case .execute(let effect):
        try session.execute(text, effect, arguments, changesSchema: changesSchema)
        if changesSchema { recorder?.schemaDidChange() }
      case .plain(let effect): rows = try queryPlain(text, arguments, effect)
      case .faithful(let count, let effect): rows = try queryFaithful(text, arguments, effect, columnCount: count)
      }
    } catch {
      throw located(error)
    }
    if let rows, case .plain = route { named = (rows.columns, session.schemaGeneration) }
  }

  /// Reads the names of the columns again, if they have changed since the last run: the rows do not contain them.
  private func refreshNames() throws(DatabaseError) {
    if hasRun || session.isInsideTransaction { try session.updateSchema() }
    hasRun = true
    if named?.generation != session.schemaGeneration { _ = try readNames() }
  }

  private func queryPlain(
    _ text: String, _ arguments: [WireValue], _ effect: DqliteSession.Effect
  ) throws(DatabaseError) -> RowStream? {
    do throws(DatabaseError) {
      return try session.query(text, arguments, effect)
    } catch {
      // The node reports that a statement returned no rows as an error without a message of SQLite.
      guard error.resultCode == 1, error.message == "not an error" else { throw error }
      return nil
    }
  }

  private func queryFaithful(
    _ text: String, _ arguments: [WireValue], _ effect: DqliteSession.Effect, columnCount: Int
  ) throws(DatabaseError) -> RowStream {
    do throws(DatabaseError) {
      return try session.query(FaithfulQuery.wrapping(text, columnCount: columnCount), arguments, effect)
    } catch {
      // Another connection has changed the number of columns: "table q has 2 values for 3 columns".
      guard error.condition == .statement, error.message.hasPrefix("table q has ") else { throw error }
      named = nil
      try readProgram("select", .other)
      guard case .faithful(let count, let effect) = route, count != columnCount else { throw error }
      return try session.query(FaithfulQuery.wrapping(text, columnCount: count), arguments, effect)
    }
  }

  /// Returns the statement and its values: text with a NUL is sent as a blob, which the statement casts to text.
  private func boundText() -> (String, [WireValue]) {
    var cast: Set<Int> = []
    let arguments = values.enumerated().map { index, value -> WireValue in
      switch value {
      case .null: return .null
      case .integer(let number): return .integer(number)
      case .real(let number): return number.isNaN ? .null : .real(number)
      case .blob(let data): return .blob([UInt8](data))
      case .text(let text):
        guard text.utf8.contains(0) else { return .text(text) }
        cast.insert(index)
        return .blob(Array(text.utf8))
      }
    }
    return (parameters.casting(cast), arguments)
  }
}

extension DqliteStatement {
  func value(at column: Int) -> ColumnValue {
    guard let rows else { return .null }
    let body = rows.message.body.bytes
    switch rows.value(column) {
    case .null: return .null
    case .integer(let number): return .integer(number)
    case .real(let number): return .real(number)
    case .text(let range): return .text(UnsafeRawBufferPointer(rebasing: body[range]).bindMemory(to: UInt8.self))
    case .blob(let range):
      guard case .faithful = route, let mark = body[range].first else {
        return .blob(UnsafeRawBufferPointer(rebasing: body[range]))
      }
      let content = UnsafeRawBufferPointer(rebasing: body[range].dropFirst())
      return mark == FaithfulQuery.textMark ? .text(content.bindMemory(to: UInt8.self)) : .blob(content)
    }
  }
}
