package import Migrator
internal import SQLSyntax

/// A connection to an engine of the SQLite family that runs SQL and gives rows.
///
/// This module needs nothing else, so that it serves an engine in this process as well as one across a network. A
/// connection that conforms has with it what the core's `SchemaIntrospection` asks for.
package protocol SQLiteConnection: TransactionControl {
  /// The engine's name, version and abilities, for messages and for what depends on how the engine was built.
  var engine: EngineDescription { get }
  /// What the engine's version of SQLite can do.
  var features: SQLiteFeatures { get }

  /// Prepares the first statement found in a script at or after an offset, as the core's `DatabaseConnection` does.
  func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation

  /// Calls a closure while statements may write to the engine's own tables, and protects these again afterwards where
  /// they were before.
  ///
  /// Source: https://www.sqlite.org/c3ref/c_dbconfig_defensive.html, which no statement can set. An engine that cannot
  /// be told otherwise calls the closure as it is.
  func withoutDefense(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError)
}

extension SQLiteConnection {
  /// Runs all statements of a script; rows that they yield are skipped.
  ///
  /// - Throws: ``DatabaseError`` of the first statement that fails; those before it have run.
  package func execute(_ script: String) throws(DatabaseError) {
    var offset = 0
    while offset < script.utf8.count {
      let preparation = try prepare(script, utf8Offset: offset)
      guard let statement = preparation.statement else { return }
      while try statement.step() {}
      offset = preparation.endOffset
    }
  }

  /// Calls a closure with each row of a query.
  package func forEachRow(
    _ sql: String, _ body: (any DatabaseStatement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    guard let statement = try prepare(sql, utf8Offset: 0).statement else { return }
    defer { statement.reset() }
    while try statement.step() { try body(statement) }
  }

  /// All rows of a query.
  package func rows(_ sql: String) throws(DatabaseError) -> [[DatabaseValue]] {
    var rows: [[DatabaseValue]] = []
    try forEachRow(sql) { (row: any DatabaseStatement) throws(DatabaseError) in
      rows.append((0..<row.columnCount).map { DatabaseValue(row, column: $0) })
    }
    return rows
  }

  /// The first column of the first row as an integer; nil when there is no row or the value is NULL.
  package func integer(_ sql: String) throws(DatabaseError) -> Int64? {
    guard let row = try firstRow(sql), row.valueKind(at: 0) != .null else { return nil }
    return row.integer(at: 0)
  }

  /// The first column of the first row as text; nil when there is no row or the value is NULL.
  package func text(_ sql: String) throws(DatabaseError) -> String? {
    guard let row = try firstRow(sql), row.valueKind(at: 0) != .null else { return nil }
    return row.text(at: 0)
  }

  /// The first column of all rows as text, NULL left out.
  package func texts(_ sql: String) throws(DatabaseError) -> [String] {
    var texts: [String] = []
    try forEachRow(sql) { (row: any DatabaseStatement) throws(DatabaseError) in
      if row.valueKind(at: 0) != .null { texts.append(row.text(at: 0)) }
    }
    return texts
  }

  private func firstRow(_ sql: String) throws(DatabaseError) -> (any DatabaseStatement)? {
    guard let statement = try prepare(sql, utf8Offset: 0).statement, try statement.step() else { return nil }
    return statement
  }

  func hasRow(_ query: String) throws(DatabaseError) -> Bool { try firstRow(query) != nil }

  func refusal(_ message: String, remedy: String, condition: DatabaseError.Condition = .unsupported) -> DatabaseError {
    error(condition, message, remedy: remedy)
  }

  var versionText: String { "version \(engine.version)" }

  /// An error that the backend reports by itself.
  package func error(
    _ condition: DatabaseError.Condition, _ message: String, remedy: String? = nil, sql: String? = nil
  ) -> DatabaseError {
    DatabaseError(condition, engine: engine.name, message: message, remedy: remedy, sql: sql)
  }
}

/// A schema of a connection: the main one, the temporary one, or that of an attached database
/// (https://www.sqlite.org/lang_attach.html).
package struct SchemaName: Hashable {
  /// The schema of the file that was opened.
  package static let main = SchemaName(unchecked: "main")
  /// The schema of what is gone when the connection closes.
  package static let temporary = SchemaName(unchecked: "temp")
  /// The name as it was given.
  package let name: String
  /// The name as it is written before a dot; quoted unless it is one of the engine's own names.
  let prefix: String

  private let folded: String

  init(unchecked name: String) {
    self.name = name
    folded = name.asciiLowercased
    prefix = ["main", "temp"].contains(folded) ? folded : name.quotedIdentifier
  }

  var isMain: Bool { folded == "main" }
  var isTemporary: Bool { folded == "temp" }

  /// Whether a name is the engine's own: it begins with `sqlite_`, in whatever case.
  ///
  /// Not a matter for LIKE, whose underscore matches any character (https://www.sqlite.org/fileformat2.html#intschema).
  package static func isReserved(_ name: String) -> Bool { name.asciiLowercased.utf8.starts(with: "sqlite_".utf8) }

  /// The table of definitions; engines before 3.33 know the temporary one by this name alone
  /// (https://www.sqlite.org/schematab.html).
  var definitions: String { isTemporary ? "temp.sqlite_temp_master" : "\(prefix).sqlite_master" }

  func qualified(_ name: String) -> String { "\(prefix).\(name.quotedIdentifier)" }

  package static func == (lhs: Self, rhs: Self) -> Bool { lhs.folded == rhs.folded }

  package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension SQLiteConnection {
  /// The schema of a name, the main one for nil; an error as notFound when no attached database bears the name.
  func schemaName(_ name: String?) throws(DatabaseError) -> SchemaName {
    guard let name else { return .main }
    let schema = SchemaName(unchecked: name)
    guard !schema.isMain, !schema.isTemporary, try !schemaNames().contains(schema) else { return schema }
    let remedy = "Attach the database under that name first, with every connection that is to use it."
    throw error(.notFound, "no such schema: \(name)", remedy: remedy)
  }

  /// The schemas in the order in which the engine looks for a name that has no schema before it.
  func schemaNames() throws(DatabaseError) -> [SchemaName] {
    var names: [SchemaName] = [.temporary]
    // https://www.sqlite.org/pragma.html#pragma_database_list
    for case .text(let name) in try rows("PRAGMA database_list").map({ $0[1] }) {
      let schema = SchemaName(unchecked: name)
      if !schema.isTemporary { names.append(schema) }
    }
    return names
  }

  /// Whether a name is that of a temporary table, which comes before one of the main schema.
  func isTemporary(_ table: String) throws(DatabaseError) -> Bool {
    let name = table.quotedText
    return try hasRow(
      "SELECT 1 FROM temp.sqlite_temp_master WHERE type = 'table' AND name = \(name) COLLATE NOCASE")
  }

  /// The schemas that have a table or view of a name, the one in which the engine finds it first of all.
  func schemas(holding table: String) throws(DatabaseError) -> [SchemaName] {
    let condition = "type IN ('table', 'view') AND name = \(table.quotedText) COLLATE NOCASE"
    var holding: [SchemaName] = []
    for schema in try schemaNames() {
      if try hasRow("SELECT 1 FROM \(schema.definitions) WHERE \(condition)") { holding.append(schema) }
    }
    return holding
  }
}
