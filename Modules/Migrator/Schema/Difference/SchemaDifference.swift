internal import SQLSyntax

/// What distinguishes two schemas, by the meaning of their definitions: blanks, comments, the way of quoting and the order
/// of a column's constraints do not count.
///
/// Each list is sorted: tables, indexes, views, triggers, each by name.
///
///     let difference = SchemaDifference(from: installed, to: expected)
///     print(difference)  // ~ table "author"
///                        //     + column "born" INTEGER
public struct SchemaDifference: Sendable, Hashable, CustomStringConvertible {
  /// Objects that only the later schema has.
  public let made: [SchemaObject]
  /// Objects that both have, defined otherwise.
  public let changed: [Change]
  /// Objects that only the earlier schema has.
  public let removed: [SchemaObject]

  /// An object that is defined otherwise.
  public struct Change: Sendable, Hashable {
    /// The object in the earlier schema, with its SQL.
    public let before: SchemaObject
    /// The object in the later schema, with its SQL.
    public let after: SchemaObject
    /// What differs in a table; nil for other objects, for virtual tables, and where a definition could not be read.
    public let table: TableDifference?
  }

  /// Whether both schemas say the same.
  public var isEmpty: Bool { made.isEmpty && changed.isEmpty && removed.isEmpty }

  /// Compares two schemas.
  ///
  /// Objects without a definition of their own do not count, nor do those that virtual tables make for themselves.
  ///
  /// - Parameter tables: Tables that are left out with all that belongs to them, such as a ledger.
  public init(from before: SchemaSnapshot, to after: SchemaSnapshot, leavingOut tables: Set<String> = []) {
    self.init(from: before, to: after, leavingOut: tables) { SQLNormalization.canonicalDefinition(of: $0) }
  }

  /// Compares two schemas by a form of definitions that is equal for those that say the same.
  init(
    from before: SchemaSnapshot, to after: SchemaSnapshot, leavingOut tables: Set<String>,
    canonical: (String) -> String
  ) {
    let (oldSchema, newSchema) = (before, after)
    let old = before.countedObjects(leavingOut: tables)
    let new = after.countedObjects(leavingOut: tables)
    made = new.keys.filter { old[$0] == nil }.sorted().compactMap { new[$0] }
    removed = old.keys.filter { new[$0] == nil }.sorted().compactMap { old[$0] }
    changed = new.keys.filter { old[$0] != nil && old[$0]?.sql != new[$0]?.sql }.sorted().compactMap { name in
      guard let before = old[name], let after = new[name], let oldSQL = before.sql, let newSQL = after.sql,
        canonical(oldSQL) != canonical(newSQL),
        oldSchema.canonicalDefinition(oldSQL) != newSchema.canonicalDefinition(newSQL)
      else { return nil }
      return Change(before: before, after: after, table: TableDifference(from: oldSQL, to: newSQL))
    }
  }

  /// One line for each object that was made or removed, and what differs in those that were changed.
  public var description: String { lines.map { $0.indentedFurtherLines(by: 4) }.joined(separator: "\n") }

  /// An entry for each object; those of changed ones have several lines.
  var lines: [String] {
    made.map { "+ \($0.text)" } + removed.map { "- \($0.text)" }
      + changed.map { change in
        if let table = change.table { return (["~ \(change.after.text)"] + table.lines).joined(separator: "\n") }
        let (before, after) = (change.before.sql?.onOneLineOfSQL ?? "", change.after.sql?.onOneLineOfSQL ?? "")
        return "~ \(change.after.text)\nbefore: \(before)\nafter:  \(after)"
      }
  }
}

extension SchemaObject {
  fileprivate var text: String { "\(kind.rawValue) \"\(name)\"" }
}

extension String {
  /// The statement without comments, and with one blank for each run of blanks and line ends outside of quotes.
  package var onOneLineOfSQL: String {
    let tokenizer = SQLTokenizer(self)
    var line = ""
    var needsBlank = false
    for token in tokenizer {
      if token.isTrivia {
        needsBlank = true
        continue
      }
      if needsBlank, !line.isEmpty { line += " " }
      needsBlank = false
      line += tokenizer.text(of: token)
    }
    return line
  }
}
