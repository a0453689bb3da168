/// A schema change that a migration made in a rehearsal, such as `db.alter(table:)`, and how the backend made it.
public struct RehearsedSchemaChange: Sendable, Hashable {
  /// The migration that made it.
  public let migration: String

  /// What was changed.
  public let change: SchemaChange

  /// How: by the engine's own statements, by editing definitions, or by creating the table anew.
  public let method: SchemaChangeStatements.Method
}

extension RehearsedSchemaChange {
  /// One line for people; nil for changes that every engine makes in one way.
  var line: String? {
    switch change {
    case .alterTable(let name, let alterations, _):
      let steps = alterations.count == 1 ? "1 step" : "\(alterations.count) steps"
      return "\"\(migration)\" alters table \"\(name)\" (\(steps)): \(method.text)"
    case .recreateTable(let table, _): return "\"\(migration)\" recreates table \"\(table.name)\": \(method.text)"
    case .renameTable(let name, let newName, _):
      return "\"\(migration)\" renames table \"\(name)\" to \"\(newName)\": \(method.text)"
    default: return nil
    }
  }
}

extension SchemaChangeStatements.Method {
  fileprivate var text: String {
    switch self {
    case .engine: "by the engine's own statements"
    case .definitions: "by editing stored definitions, no row is touched"
    case .rebuild: "by a rebuild, which copies every row"
    }
  }
}
