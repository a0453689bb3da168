package import Migrator
internal import SQLSyntax

/// A connection to an engine that understands SQLite's SQL, in this process or across a network.
///
/// A conforming type gets the implementation of the core's `SchemaIntrospection`.
package protocol SQLiteConnection: TransactionControl {
  /// The engine's name, version and abilities, for messages and for behavior that depends on its compile-time
  /// options.
  var engine: EngineDescription { get }
  /// The features of the engine's version of SQLite.
  var features: SQLiteFeatures { get }

  /// Prepares the first statement at or after an offset in a script, as the core's `DatabaseConnection` does.
  func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation

  /// Switches off SQLite's defensive mode, which SQL statements cannot change
  /// (https://www.sqlite.org/c3ref/c_dbconfig_defensive.html), while a closure runs; a connection that cannot do so
  /// only calls the closure.
  func withoutDefense(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError)
}

extension SQLiteConnection {
  /// Runs all statements of a script; the rows that they return are skipped.
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

  /// Returns all rows of a query.
  package func rows(_ sql: String) throws(DatabaseError) -> [[DatabaseValue]] {
    var rows: [[DatabaseValue]] = []
    try forEachRow(sql) { (row: any DatabaseStatement) throws(DatabaseError) in
      rows.append((0..<row.columnCount).map { DatabaseValue(row.value(at: $0)) })
    }
    return rows
  }

  /// Returns the first column of the first row as an integer; nil when there is no row or the value is NULL.
  package func integer(_ sql: String) throws(DatabaseError) -> Int64? {
    guard let row = try firstRow(sql), !row.isNull(at: 0) else { return nil }
    return row.integer(at: 0)
  }

  /// Returns the first column of the first row as text; nil when there is no row or the value is NULL.
  package func text(_ sql: String) throws(DatabaseError) -> String? {
    guard let row = try firstRow(sql), !row.isNull(at: 0) else { return nil }
    return row.text(at: 0)
  }

  /// Returns the first column of all rows as text, without NULL values.
  package func texts(_ sql: String) throws(DatabaseError) -> [String] {
    var texts: [String] = []
    try forEachRow(sql) { (row: any DatabaseStatement) throws(DatabaseError) in
      if !row.isNull(at: 0) { texts.append(row.text(at: 0)) }
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

  func requireFeatures(of table: NewTableDescription) throws(DatabaseError) {
    if table.options.contains(.strict), !engine.abilities.contains(.strictTables) {
      throw refusal(
        "\(versionText) does not support STRICT tables such as \"\(table.name)\"",
        remedy: "Omit the option, or use an engine with SQLite 3.37 or newer.")
    }
    for case .definition(let column) in table.columns { try requireFeatures(of: column, in: table.name) }
  }

  func requireFeatures(of column: NewColumnDescription, in table: String) throws(DatabaseError) {
    guard column.generated != nil, !engine.abilities.contains(.generatedColumns) else { return }
    throw refusal(
      "\(versionText) does not support generated columns such as \"\(column.name)\" of \"\(table)\"",
      remedy: "Compute the value in a view or a query, or use an engine with SQLite 3.31 or newer.")
  }

  /// Returns an error that this module detects, with the engine's name as the source.
  package func error(
    _ condition: DatabaseError.Condition, _ message: String, remedy: String? = nil, sql: String? = nil
  ) -> DatabaseError {
    DatabaseError(condition, engine: engine.name, message: message, remedy: remedy, sql: sql)
  }
}

/// A schema of a connection: the main schema, the temporary schema, or the schema of an attached database
/// (https://www.sqlite.org/lang_attach.html).
package struct SchemaName: Equatable {
  /// The main schema, which contains the objects of the database file that the connection opened.
  package static let main = SchemaName(unchecked: "main")
  /// The schema of temporary objects, which disappear when the connection closes.
  package static let temporary = SchemaName(unchecked: "temp")
  /// The name as the caller gave it.
  package let name: String
  /// The name in the form in which it precedes a dot in SQL: quoted, except for `main` and `temp`.
  let prefix: String

  private let folded: String

  init(unchecked name: String) {
    self.name = name
    folded = name.asciiLowercased
    prefix = ["main", "temp"].contains(folded) ? folded : name.quotedIdentifier
  }

  var isMain: Bool { folded == "main" }
  var isTemporary: Bool { folded == "temp" }

  /// Whether the engine reserves a name because it begins with `sqlite_`, in upper or lower case.
  ///
  /// LIKE cannot determine this, because its underscore matches any character
  /// (https://www.sqlite.org/fileformat2.html#intschema).
  package static func isReserved(_ name: String) -> Bool { name.asciiLowercased.utf8.starts(with: "sqlite_".utf8) }

  /// The name of the schema table, which contains the definitions of all objects.
  ///
  /// Engines before 3.33 have only this name for the temporary schema's table (https://www.sqlite.org/schematab.html).
  var definitions: String { isTemporary ? "temp.sqlite_temp_master" : "\(prefix).sqlite_master" }

  func qualified(_ name: String) -> String { "\(prefix).\(name.quotedIdentifier)" }

  /// Returns whether the names are equal but for letter case.
  package static func == (lhs: Self, rhs: Self) -> Bool { lhs.folded == rhs.folded }
}

extension SQLiteConnection {
  /// Returns the schema with the given name, or the main schema for nil; throws `notFound` when no attached database
  /// has that name.
  func schemaName(_ name: String?) throws(DatabaseError) -> SchemaName {
    guard let name else { return .main }
    let schema = SchemaName(unchecked: name)
    guard !schema.isMain, !schema.isTemporary, try !schemaNames().contains(schema) else { return schema }
    let remedy = "Attach the database under that name first, on every connection that uses it."
    throw error(.notFound, "no such schema: \(name)", remedy: remedy)
  }

  /// Returns the schemas in the order in which the engine resolves an unqualified name.
  func schemaNames() throws(DatabaseError) -> [SchemaName] {
    var names: [SchemaName] = [.temporary]
    // https://www.sqlite.org/pragma.html#pragma_database_list
    try forEachRow("PRAGMA database_list") { (row: any DatabaseStatement) throws(DatabaseError) in
      let schema = SchemaName(unchecked: row.text(at: 1))
      if !schema.isTemporary { names.append(schema) }
    }
    return names
  }

  /// Whether a name refers to a temporary table, which takes precedence over a table in the main schema.
  func isTemporary(_ table: String) throws(DatabaseError) -> Bool {
    let name = table.quotedText
    return try hasRow(
      "SELECT 1 FROM temp.sqlite_temp_master WHERE type = 'table' AND name = \(name) COLLATE NOCASE")
  }

  /// Returns the schemas that contain a table or view of this name; the schema that the engine would choose is first.
  func schemas(holding table: String) throws(DatabaseError) -> [SchemaName] {
    let condition = "type IN ('table', 'view') AND name = \(table.quotedText) COLLATE NOCASE"
    var holding: [SchemaName] = []
    for schema in try schemaNames() {
      if try hasRow("SELECT 1 FROM \(schema.definitions) WHERE \(condition)") { holding.append(schema) }
    }
    return holding
  }
}
