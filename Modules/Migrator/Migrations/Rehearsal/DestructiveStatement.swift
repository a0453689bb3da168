package import SQLSyntax

/// A statement of a migration that removes a table or column with existing data, removes or changes all rows of a
/// table, or allows the schema text to be edited.
///
/// Tables and columns that the migrations created are ignored.
public struct DestructiveStatement: Sendable, Hashable {
  /// The effect of a statement.
  public enum Effect: Sendable, Hashable {
    /// Removes a table with its rows permanently.
    case dropsTable(String)
    /// Removes a table and replaces it with another table of the same name: data that was not copied is lost.
    case rebuildsTable(String)
    /// Removes a column with its values.
    case dropsColumn(table: String, column: String)
    /// Deletes all rows of a table.
    case deletesAllRows(table: String)
    /// Changes all rows of a table.
    case updatesAllRows(table: String)
    /// Allows the stored schema text to be edited, which can destroy everything.
    case allowsSchemaEditing
  }

  /// The migration that ran the statement.
  public let migration: String
  /// The statement, without its bound values.
  public let sql: String
  /// The effect of the statement.
  public internal(set) var effect: Effect
}

extension DestructiveStatement.Effect {
  /// The table that the effect concerns; empty for edits of the schema text.
  package var table: String {
    switch self {
    case .dropsTable(let table), .rebuildsTable(let table), .dropsColumn(let table, _), .deletesAllRows(let table),
      .updatesAllRows(let table):
      table
    case .allowsSchemaEditing: ""
    }
  }
}

extension DestructiveStatement.Effect: CustomStringConvertible {
  /// The effect as a sentence without a subject.
  public var description: String {
    switch self {
    case .dropsTable(let table): "drops table \"\(table)\""
    case .rebuildsTable(let table): "rebuilds table \"\(table)\""
    case .dropsColumn(let table, let column): "drops column \"\(column)\" of table \"\(table)\""
    case .deletesAllRows(let table): "deletes all rows of table \"\(table)\""
    case .updatesAllRows(let table): "changes all rows of table \"\(table)\""
    case .allowsSchemaEditing: "allows edits of the schema text"
    }
  }
}

extension Database {
  /// Returns whether a temporary table hides the table of the main schema to which a statement would refer otherwise.
  package func hidesTable(of statement: SQLStatementSummary) throws -> Bool {
    guard let table = statement.effect.table, !statement.namesMainSchema else { return false }
    return try connection.columns(in: table, inSchema: "temp") != nil
  }
}

/// A record of the effects of migrations on the tables that existed before them.
package struct DestructionRecord {
  /// The destructive statements in the order in which they ran; equal statements of one migration are listed once.
  package private(set) var statements: [DestructiveStatement] = []

  private var known: Set<DestructiveStatement> = []
  private var names: TableNames
  /// The columns that migrations added, each as its table and its name in ASCII lowercase.
  private var ownColumns: Set<[String]> = []
  /// The tables that the running migration has dropped, with their positions in ``statements``.
  private var drops: [(place: Int, table: String)] = []

  /// Creates a record with the tables that exist before the migrations.
  package init(tables: [String]) { names = TableNames(tables) }

  /// The new names of the renamed tables that are left, in ASCII lower case, by their old ones.
  var newNames: [String: String] {
    let renamed = names.remaining.filter { $0 != $1.asciiLowercased }.map { ($1.asciiLowercased, $0) }
    return Dictionary(renamed) { first, _ in first }
  }

  /// Records a statement that is about to run.
  ///
  /// - Parameters:
  ///   - isTrusted: Whether a backend issued the statement; backends edit the schema safely.
  ///   - tableIsThere: Whether the main schema contains the table that the statement names. `DROP TABLE IF EXISTS` may
  ///     name a missing table, and other statements may name a temporary one.
  package mutating func add(
    _ effect: SQLStatementEffect, _ sql: String, of migration: String, isTrusted: Bool, tableIsThere: Bool
  ) {
    switch effect {
    case .none: break
    case .createTable: names.follow(effect)
    case .renameTable: if tableIsThere { names.follow(effect) }
    case .allowSchemaEditing: if !isTrusted { append(.allowsSchemaEditing, sql, migration) }
    case .dropTable(let table):
      guard tableIsThere else { break }
      let (name, isOld) = (oldName(table), !isOwn(table))
      names.follow(effect)
      if isOld, append(.dropsTable(name), sql, migration) { drops.append((statements.count - 1, name)) }
    case .addColumn(let table, let column):
      if tableIsThere { ownColumns.insert(Self.place(oldName(table), column)) }
    case .renameColumn(let table, let column, let newName):
      guard tableIsThere, ownColumns.remove(Self.place(oldName(table), column)) != nil else { break }
      ownColumns.insert(Self.place(oldName(table), newName))
    case .dropColumn(let table, let column):
      guard tableIsThere, !isOwn(table), ownColumns.remove(Self.place(oldName(table), column)) == nil else { break }
      append(.dropsColumn(table: oldName(table), column: column), sql, migration)
    case .deleteAllRows(let table):
      guard tableIsThere, !isOwn(table) else { break }
      append(.deletesAllRows(table: oldName(table)), sql, migration)
      names.follow(effect)
    case .updateAllRows(let table):
      guard tableIsThere, !isOwn(table) else { break }
      append(.updatesAllRows(table: oldName(table)), sql, migration)
    }
  }

  /// Ends a migration: a table that it dropped counts as rebuilt if a table of that name exists again.
  package mutating func endMigration() {
    for (place, table) in drops where names.contains(table) { statements[place].effect = .rebuildsTable(table) }
    drops.removeAll()
  }

  /// Adds a statement and returns true, unless the record already contains it with the same effect.
  @discardableResult
  private mutating func append(_ effect: DestructiveStatement.Effect, _ sql: String, _ migration: String) -> Bool {
    let statement = DestructiveStatement(migration: migration, sql: sql, effect: effect)
    guard known.insert(statement).inserted else { return false }
    statements.append(statement)
    return true
  }

  /// Returns whether the migrations created the table; if so, it contains no earlier data.
  package func isOwn(_ table: String) -> Bool { names.isNew(table) }

  private static func place(_ table: String, _ column: String) -> [String] {
    [table.asciiLowercased, column.asciiLowercased]
  }

  private func oldName(_ table: String) -> String { names.original(of: table) ?? table }
}
