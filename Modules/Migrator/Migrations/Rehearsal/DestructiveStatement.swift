package import SQLSyntax

/// A statement of a migration that removes or changes more than single rows of what the database held before.
///
/// Tables that the migrations make themselves do not count.
public struct DestructiveStatement: Sendable, Hashable {
  /// What a statement does.
  public enum Effect: Sendable, Hashable {
    /// Removes a table with its rows, for good.
    case dropsTable(String)
    /// Removes a table in whose place another one of the same name is or was put: what was not copied is lost.
    case rebuildsTable(String)
    /// Removes a column with its values.
    case dropsColumn(table: String, column: String)
    /// Deletes all rows of a table.
    case deletesAllRows(table: String)
    /// Changes all rows of a table.
    case updatesAllRows(table: String)
    /// Allows the text of the schema to be edited, which can destroy everything.
    case allowsSchemaEditing
  }

  /// The migration that ran the statement.
  public let migration: String
  /// The statement, without the values that were bound to it.
  public let sql: String
  /// What it does.
  public internal(set) var effect: Effect
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
    case .allowsSchemaEditing: "allows the text of the schema to be edited"
    }
  }
}

/// Follows what the statements of migrations do to the tables that were there before.
package struct DestructionRecord {
  /// What was found, in the order in which it ran; equal findings of one migration once.
  package private(set) var statements: [DestructiveStatement] = []

  private var known: Set<DestructiveStatement> = []
  private let tablesBefore: Set<String>
  /// The tables that migrations made, by their name in ASCII lower case.
  private var own: Set<String> = []
  /// What renamed tables were called before, by their name in ASCII lower case.
  private var oldNames: [String: String] = [:]
  /// Where ``statements`` holds the tables that the running migration has dropped.
  private var drops: [(place: Int, table: String)] = []

  /// Begins to follow, with the tables that are there before.
  package init(tables: [String]) { tablesBefore = Set(tables.map(\.asciiLowercased)) }

  /// The tables that the running migration has dropped.
  package var droppedTables: [String] { drops.map(\.table) }

  /// Looks at a statement that is about to run.
  ///
  /// - Parameters:
  ///   - isTrusted: Whether it is a backend's own, which edits the schema with care.
  ///   - tableIsThere: Whether the main schema has the table that it names. DROP TABLE IF EXISTS may find none, and
  ///     other statements a temporary one.
  package mutating func add(
    _ effect: SQLStatementEffect, _ sql: String, of migration: String, isTrusted: Bool, tableIsThere: Bool
  ) {
    switch effect {
    case .none: break
    case .createTable(let table): if !isOld(table) { own.insert(table.asciiLowercased) }
    case .renameTable(let table, let newName): rename(table, to: newName)
    case .allowSchemaEditing: if !isTrusted { append(.allowsSchemaEditing, sql, migration) }
    case .dropTable(let table):
      guard tableIsThere, own.remove(table.asciiLowercased) == nil else { break }
      let name = oldNames.removeValue(forKey: table.asciiLowercased) ?? table
      if append(.dropsTable(name), sql, migration) { drops.append((statements.count - 1, name)) }
    case .dropColumn(let table, let column):
      guard tableIsThere, !isOwn(table) else { break }
      append(.dropsColumn(table: oldName(table), column: column), sql, migration)
    case .deleteAllRows(let table):
      guard tableIsThere, !isOwn(table) else { break }
      append(.deletesAllRows(table: oldName(table)), sql, migration)
    case .updateAllRows(let table):
      guard tableIsThere, !isOwn(table) else { break }
      append(.updatesAllRows(table: oldName(table)), sql, migration)
    }
  }

  /// Ends a migration: tables that it dropped and that are there again were rebuilt.
  package mutating func endMigration(tablesThere: Set<String>) {
    for (place, table) in drops where tablesThere.contains(table) { statements[place].effect = .rebuildsTable(table) }
    drops.removeAll()
  }

  /// - Returns: False when it is there already.
  @discardableResult
  private mutating func append(_ effect: DestructiveStatement.Effect, _ sql: String, _ migration: String) -> Bool {
    let statement = DestructiveStatement(migration: migration, sql: sql, effect: effect)
    guard known.insert(statement).inserted else { return false }
    statements.append(statement)
    return true
  }

  private mutating func rename(_ table: String, to newName: String) {
    let (old, new) = (table.asciiLowercased, newName.asciiLowercased)
    if own.remove(old) != nil {
      // Under the name of an old table it has taken that one's place, and holds its rows.
      if !isOld(newName) { own.insert(new) }
    } else {
      oldNames[new] = oldNames.removeValue(forKey: old) ?? table
    }
  }

  private func isOld(_ table: String) -> Bool { tablesBefore.contains(table.asciiLowercased) }

  /// Whether the migrations made the table, which therefore holds nothing of what was there before.
  package func isOwn(_ table: String) -> Bool { own.contains(table.asciiLowercased) }

  private func oldName(_ table: String) -> String { oldNames[table.asciiLowercased] ?? table }
}
