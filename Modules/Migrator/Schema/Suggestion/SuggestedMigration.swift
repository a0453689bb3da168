/// The statements that lead from one schema to another.
///
///     let suggestion = try SuggestedMigration(
///       from: installed, to: wanted, hints: SchemaHints(renamedTables: ["team": "guild"]))
///     print(suggestion.sql)
///
/// The statements run on every version of SQLite, in a migration with deferred foreign key checks: a table whose change
/// an old engine cannot make in place is created anew and its rows are copied, which with enforced foreign keys would
/// delete the rows that refer to it (https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes).
public struct SuggestedMigration: Sendable, Hashable {
  /// A statement.
  public struct Statement: Sendable, Hashable {
    /// The statement, without a semicolon behind it.
    public let sql: String

    /// What the statement loses for good; empty for most.
    public let losses: [String]

    /// What may stop the statement where rows exist; empty for most.
    public let risks: [String]
  }

  /// The statements in their order; empty when the schemas say the same.
  public private(set) var statements: [Statement] = []

  /// What is lost for good, in the order of the statements.
  public var losses: [String] { statements.flatMap(\.losses) }

  /// What may stop the migration where rows exist, in the order of the statements.
  public var risks: [String] { statements.flatMap(\.risks) }

  /// Looks for the way from one schema to another.
  ///
  /// - Parameters:
  ///   - before: The schema that is there.
  ///   - after: The schema that is wanted.
  ///   - hints: What was renamed, and how new columns are filled.
  ///   - tables: Tables that are left out with all that belongs to them, such as a ledger.
  /// - Throws: ``SchemaHintError`` when a hint fits neither schema.
  public init(
    from before: SchemaSnapshot, to after: SchemaSnapshot, hints: SchemaHints = SchemaHints(),
    leavingOut tables: Set<String> = []
  ) throws(SchemaHintError) {
    var path = try SchemaPath(
      SchemaSide(before, leavingOut: tables), SchemaSide(after, leavingOut: tables), hints: hints)
    path.find()
    statements = path.statements
  }

  /// The statements as a script, what is lost and what may stop them in comments.
  public var sql: String {
    statements.map { statement in
      let notes = statement.losses.map { "-- LOST: \($0)" } + statement.risks.map { "-- CHECK: \($0)" }
      // A name may hold a line end, which would end the comment.
      let comments = notes.map { $0.replacing("\n", with: " ") + "\n" }.joined()
      return comments + statement.sql.closedForMoreSQL + ";\n"
    }.joined()
  }
}
