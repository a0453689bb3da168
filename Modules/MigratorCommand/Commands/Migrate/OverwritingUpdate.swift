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
    if try db.recordsVersion(text), earlier.allSatisfy({ !changesData($0) || $0.firstTokens(1) == ["update"] }) {
      return true
    }
    guard let overwriting = SQLStatementSummary(of: text).overwriting else { return false }
    // A view or a trigger may lead from any change to what the statement reads.
    let isFirst = !earlier.contains(where: changesData)
    return try overwriting.columns.allSatisfy { column in
      if overwriting.cleared.contains(column) { return true }
      if isNew(column), try db.column(column, of: table) == nil { return true }
      if try db.lacksValues(column, in: table) { return true }
      guard isFirst else { return false }
      return try db.hasOnlyDefault(column, in: table)
        || overwriting.changed[column].map { try db.isEmpty($0) } ?? false
    }
  }

  /// Whether a statement may change rows, or the name of a table or a column.
  private func changesData(_ statement: SQLStatement) -> Bool {
    if case .addColumn = SQLStatementEffect(of: statement.text) { return false }
    return statement.writesData || ["alter", "drop"].contains(statement.firstTokens(1).first)
  }
}

extension Database {
  /// Whether a column has no values, so that the migrations can lose none.
  func lacksValues(_ column: String, in table: String) throws -> Bool {
    try isEmpty(rows(of: table) { "trim(\($0).\(column.quotedIdentifier)) <> ''" })
  }

  /// Whether a column has its default in each row.
  fileprivate func hasOnlyDefault(_ column: String, in table: String) throws -> Bool {
    // A default in double quotes may be read as a column.
    guard let value = try self.column(column, of: table)?.defaultValueSQL, !value.contains("\"") else { return false }
    return try isEmpty(rows(of: table) { "\($0).\(column.quotedIdentifier) IS NOT (\(value))" })
  }

  private func rows(of table: String, where condition: (_ name: String) -> String) -> SQLRowQuery {
    SQLRowQuery(table, "FROM main.\(table.quotedIdentifier) WHERE \(condition(table.quotedIdentifier))")
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
