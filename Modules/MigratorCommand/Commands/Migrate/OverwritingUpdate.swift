internal import Migrator
internal import MigratorLint
internal import SQLMigrations
internal import SQLSyntax

/// An UPDATE of all rows of a table, of which the rows before the run show whether it can overwrite values.
struct OverwritingUpdate {
  let db: Database
  let file: MigrationFile
  let index: Int
  /// The name of the table before the run, in ASCII lower case.
  let table: String
  /// The statements of the run before this one.
  let earlier: [SQLStatement]

  private var text: String { file.statements[index].text }

  /// Whether the UPDATE overwrites no value, or only such as counting the rows during the run finds: those that it empties.
  ///
  /// - Parameter isNew: Returns whether the run has added a column, and has not moved values to it.
  func isHarmless(_ isNew: (_ column: String) -> Bool) throws -> Bool {
    if try db.recordsVersion(text), !earlierChange(["insert", "replace", "delete", "with"]) { return true }
    guard let overwriting = SQLStatementSummary(of: text).overwriting else { return false }
    return try overwriting.columns.allSatisfy { column in
      if overwriting.cleared.contains(column) { return true }
      if isNew(column), try db.column(column, of: table) == nil { return true }
      if try db.lacksValues(column, in: table), !earlierChange(of: column) { return true }
      return try overwriting.changed[column].map { try db.isEmpty($0) } ?? false && !earlierChange()
    }
  }

  /// Whether an earlier statement may change rows of a table that this one names.
  ///
  /// - Parameters:
  ///   - verbs: The first words of statements that count; empty for all that write, rename or drop.
  ///   - column: The column of the table that counts; nil for all.
  private func earlierChange(_ verbs: Set<String> = [], of column: String? = nil) -> Bool {
    let read = (try? SQLTree(parsing: text)).map { SQLNames(in: $0).tables } ?? []
    let tables = (read + [SQLStatementEffect(of: text).table].compactMap(\.self)).map(\.asciiLowercased)
    return earlier.contains { statement in
      if case .addColumn = SQLStatementEffect(of: statement.text) { return false }
      let verb = statement.firstTokens(1).first ?? ""
      guard verbs.isEmpty || verbs.contains(verb), statement.writesData || ["alter", "drop"].contains(verb) else {
        return false
      }
      let source = SQLSource(statement.text)
      return tables.contains(where: source.names) && (column.map { source.names($0) || verb != "update" } ?? true)
    }
  }
}

extension Database {
  /// Whether a column has no values, or its default in each row, so that the migrations can lose none.
  func lacksValues(_ column: String, in table: String) throws -> Bool {
    let query = { (condition: String) in SQLRowQuery(table, "FROM main.\(table.quotedIdentifier) WHERE \(condition)") }
    let name = "\(table.quotedIdentifier).\(column.quotedIdentifier)"
    if try isEmpty(query("trim(\(name)) <> ''")) { return true }
    // A default in double quotes may be read as a column.
    guard let value = try self.column(column, of: table)?.defaultValueSQL, !value.contains("\"") else { return false }
    return try isEmpty(query("\(name) IS NOT (\(value))"))
  }

  /// Whether a query returns no rows; false if it fails.
  fileprivate func isEmpty(_ query: SQLRowQuery) throws -> Bool {
    try DatabaseError.ifPossible { try Bool.fetchOne(self, sql: "SELECT EXISTS (\(query.text("1")))") } == false
  }

  /// Returns a column of a table; nil if there is none.
  fileprivate func column(_ name: String, of table: String) throws -> ColumnDescription? {
    try connection.columns(in: table)?.first { $0.name.asciiLowercased == name.asciiLowercased }
  }
}
