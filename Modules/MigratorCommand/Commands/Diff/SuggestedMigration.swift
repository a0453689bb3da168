internal import Migrator
internal import SQLSyntax

/// The statements that change one schema into another.
///
/// The statements run on every version of SQLite, in a migration with deferred foreign key checks, apart from DROP COLUMN
/// and those of ``NativeRenames``. A table that an old engine cannot change in place is recreated, and its rows are copied. If foreign
/// keys were enforced, recreating a table would delete the rows of other tables that refer to it
/// (https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes).
struct SuggestedMigration: Sendable, Hashable {
  struct Statement: Sendable, Hashable {
    /// The statement, without its semicolon.
    let sql: String
    /// Descriptions of the data that the statement deletes permanently.
    let losses: [String]
    /// Descriptions of the rows that may cause the statement to fail, and of data that the user must add.
    var risks: [Risk]
  }

  /// A reason for which a statement may fail on existing rows, or does not suffice.
  struct Risk: Sendable, Hashable {
    let text: String
    /// Statements that fail in an empty database if the risk exists; empty if only rows can show that.
    var probe: [String] = []
  }

  private(set) var statements: [Statement] = []
  var losses: [String] { statements.flatMap(\.losses) }
  var risks: [String] { statements.flatMap(\.risks).map(\.text) }

  /// Whether the engine must have `ALTER TABLE ... DROP COLUMN`, which also fails on some mistakes in other objects.
  var dropsColumns: Bool {
    statements.contains { if case .dropColumn = SQLStatementEffect(of: $0.sql) { true } else { false } }
  }

  init(
    from before: SchemaSnapshot, to after: SchemaSnapshot, renames: SchemaRenames = SchemaRenames(),
    dropsColumns: Bool = false
  ) throws(SchemaRenames.Failure) {
    var path = try SchemaPath(SchemaSide(before), SchemaSide(after), renames, dropsColumns: dropsColumns)
    path.find()
    statements = path.statements
  }

  /// Puts statements that rename in front of others.
  init(renaming renames: [String], _ others: [Statement]) {
    statements = renames.map { Statement(sql: $0, losses: [], risks: []) } + others
  }

  /// Removes the risks whose statements an empty database executes.
  ///
  /// - Parameter succeeds: Returns whether an empty database executes statements.
  mutating func removeRisks<Failure: Error>(
    trying succeeds: ([String]) throws(Failure) -> Bool
  ) throws(Failure) {
    for index in statements.indices {
      var risks: [Risk] = []
      for risk in statements[index].risks {
        let isRefuted = risk.probe.isEmpty ? false : try succeeds(risk.probe)
        if !isRefuted { risks.append(risk) }
      }
      statements[index].risks = risks
    }
  }

  /// The statements as a script, with losses and risks in comments.
  var sql: String {
    statements.map { statement in
      let notes = statement.losses.map { "-- LOST: \($0)" } + statement.risks.map { "-- CHECK: \($0.text)" }
      // A name may contain a line break, which would end the comment.
      let comments = notes.map { $0.replacing("\n", with: " ") + "\n" }.joined()
      return comments + SQLFragment.closed(statement.sql) + ";\n"
    }.joined()
  }
}

extension SchemaRenames.Failure: CustomStringConvertible {
  /// The mistake as a sentence.
  package var description: String {
    switch self {
    case .malformed(let text):
      "--rename \"\(text)\" does not have the form OLD=NEW, as in team=guild or player.nick=name"
    case .noSuchTable(let name):
      "--rename refers to \"\(name)\", but there is no table \"\(name.prefix { $0 != "." })\""
    case .noSuchColumn(let name, let table):
      "--rename refers to column \"\(name)\", which table \"\(table)\" does not have"
    case .nameTakenTwice(let name): "\"\(name)\" is renamed twice, or is the new name of two objects"
    }
  }
}
