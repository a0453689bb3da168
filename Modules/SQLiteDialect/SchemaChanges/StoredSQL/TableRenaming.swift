internal import Migrator
internal import SQLSyntax

/// Gives a table another name in stored definitions, token by token.
struct TableRenaming {
  /// The table's name in lower case.
  let table: String
  /// The new name in lower case.
  let newTable: String
  /// The new name in quotes.
  let newName: String

  /// A table's definition with its foreign keys to the table renamed, and with names that are qualified with the
  /// table's left unqualified where it is the table's own; nil when nothing changes.
  func references(in sql: String, isOwn: Bool) -> String? {
    let sources = isOwn ? TableText.unqualified(sql, table: table) ?? sql : sql
    guard let text = TableText(sources) else { return nil }
    let parents = text.foreignKeys.map(\.table).filter { $0.folded == table }
    let renamed = text.source.replacing(parents.map(\.token), with: newName)
    return renamed == sql ? nil : renamed
  }

  /// What a view or trigger has to do with the table, save that a trigger belongs to it, which every engine renames; nil
  /// when it does not name it.
  func uses(in dependent: Dependents.Dependent) throws(SQLUncertainName) -> SQLTableResolver.Uses? {
    guard dependent.mentions(table) else { return nil }
    guard let syntax = try? SQLTree(dependent.source) else { throw SQLUncertainName(token: nil) }
    let uses = try SQLTableResolver.uses(in: syntax, table: table, newTable: newTable)
    return uses.tokens.isEmpty ? nil : uses
  }

  /// Whether a view or trigger uses the table, or may do so for all that is certain.
  func mayBeUsed(by dependent: Dependents.Dependent) -> Bool {
    do throws(SQLUncertainName) { return try uses(in: dependent) != nil } catch { return true }
  }

  /// The text of a view or trigger with the table renamed where it is used.
  func text(of dependent: Dependents.Dependent, _ uses: SQLTableResolver.Uses?) -> String {
    var tokens = uses?.tokens ?? []
    // The engine renames the table that a trigger belongs to, save in triggers that are gone when it does so.
    if dependent.object.isTemporary, let syntax = try? SQLTree(dependent.source),
      case .createTrigger(let trigger) = syntax.statement, trigger.table.name.folded == table
    {
      tokens.append(trigger.table.name.token)
    }
    return dependent.source.replacing(tokens, with: newName)
  }
}
