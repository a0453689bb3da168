package import Migrator
internal import SQLSyntax

/// The statements that lead from one schema to another.
///
/// The statements run on every version of SQLite, in a migration with deferred foreign key checks: a table whose change
/// an old engine cannot make in place is recreated and its rows are copied, which with enforced foreign keys would
/// delete the rows that refer to it (https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes).
package struct SuggestedMigration: Sendable, Hashable {
  /// A statement.
  package struct Statement: Sendable, Hashable {
    /// The statement, without a semicolon after it.
    package let sql: String
    /// The data that the statement loses for good; empty for most.
    package let losses: [String]
    /// The rows that may stop the statement; empty for most.
    package let risks: [String]
  }

  /// The statements in their order; empty when the schemas say the same.
  package private(set) var statements: [Statement] = []
  /// The data that is lost for good, in the order of the statements.
  package var losses: [String] { statements.flatMap(\.losses) }
  /// The rows that may stop the migration, in the order of the statements.
  package var risks: [String] { statements.flatMap(\.risks) }

  /// Finds the way from one schema to another.
  ///
  /// - Throws: ``SchemaRenames/Failure`` when a rename does not fit the schemas.
  package init(
    from before: SchemaSnapshot, to after: SchemaSnapshot, renames: SchemaRenames = SchemaRenames()
  ) throws(SchemaRenames.Failure) {
    var path = try SchemaPath(SchemaSide(before), SchemaSide(after), renames)
    path.find()
    statements = path.statements
  }

  /// The statements as a script, what is lost and what may stop them in comments.
  package var sql: String {
    statements.map { statement in
      let notes = statement.losses.map { "-- LOST: \($0)" } + statement.risks.map { "-- CHECK: \($0)" }
      // A name may hold a line end, which would end the comment.
      let comments = notes.map { $0.replacing("\n", with: " ") + "\n" }.joined()
      return comments + SQLFragment.closed(statement.sql) + ";\n"
    }.joined()
  }
}

/// The renames between two schemas.
///
/// Nothing is ever guessed: without a rename, a table or column that is gone is lost, and one that is new is empty.
package struct SchemaRenames: Sendable, Hashable {
  /// The later name of each renamed table, by the earlier name.
  package var tables: [String: String] = [:]
  /// The later name of each renamed column, by the earlier name, by the table's earlier name.
  package var columns: [String: [String: String]] = [:]

  /// A rename that does not fit the schemas.
  package enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text is not `OLD=NEW`.
    case malformed(String)
    /// The earlier or the later schema has no such table.
    case noSuchTable(String)
    /// The earlier or the later table has no such column.
    case noSuchColumn(String, table: String)
    /// Two tables or columns would get the same name, or one would get two.
    case nameTakenTwice(String)

    /// The fault, as a sentence without a full stop.
    package var description: String {
      switch self {
      case .malformed(let text): "\(text) is not of the form OLD=NEW, as in team=guild or player.nick=name"
      case .noSuchTable(let name): "there is no table \"\(name)\" to rename or to rename to"
      case .noSuchColumn(let name, let table):
        "there is no column \"\(name)\" of \"\(table)\" to rename or to rename to"
      case .nameTakenTwice(let name): "\"\(name)\" is renamed twice, or the new name of two"
      }
    }
  }

  /// Creates renames.
  package init(tables: [String: String] = [:], columns: [String: [String: String]] = [:]) {
    self.tables = tables
    self.columns = columns
  }

  /// Reads texts of the form `OLD=NEW`, where OLD is a table of the earlier schema, or a column of one as `TABLE.COLUMN`.
  package init(parsing texts: [String], of before: SchemaSnapshot) throws(Failure) {
    for text in texts {
      guard let sign = text.firstIndex(of: "="), sign > text.startIndex, text.index(after: sign) < text.endIndex else {
        throw .malformed(text)
      }
      let (old, new) = (String(text[..<sign]), String(text[text.index(after: sign)...]))
      // A table's name may hold a full stop itself.
      let stop = old.indices.first { old[$0] == "." && before.object(.table, named: String(old[..<$0])) != nil }
      if before.object(.table, named: old) == nil, let stop {
        let (table, column) = (String(old[..<stop]), String(old[old.index(after: stop)...]))
        guard columns[table, default: [:]].updateValue(new, forKey: column) == nil else { throw .nameTakenTwice(old) }
      } else {
        guard tables.updateValue(new, forKey: old) == nil else { throw .nameTakenTwice(old) }
      }
    }
  }
}
