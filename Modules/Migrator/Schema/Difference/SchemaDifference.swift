internal import SQLSyntax

/// The differences in meaning between the definitions of two schemas: differences in whitespace, comments, quoting and
/// the order of a column's constraints are ignored.
///
/// Each list contains tables, then indexes, views and triggers, each sorted by name.
///
///     let difference = SchemaDifference(from: installed, to: expected)
///     print(difference)  // ~ table "author"
///                        //     + column "born" INTEGER
public struct SchemaDifference: Sendable, Equatable, CustomStringConvertible {
  /// Objects that only the later schema has.
  public let made: [SchemaObject]
  /// Objects in both schemas whose definitions differ.
  public let changed: [Change]
  /// Objects that only the earlier schema has.
  public let removed: [SchemaObject]

  /// An object whose definition differs.
  public struct Change: Sendable, Equatable {
    /// The object in the earlier schema, with its SQL.
    public let before: SchemaObject
    /// The object in the later schema, with its SQL.
    public let after: SchemaObject
    /// A line for each difference between the definitions of an ordinary table; nil for other objects, and if a
    /// definition cannot be parsed.
    let tableLines: [String]?
  }

  /// Whether the schemas are equivalent.
  public var isEmpty: Bool { made.isEmpty && changed.isEmpty && removed.isEmpty }

  /// Compares two schemas.
  ///
  /// Objects without an SQL definition do not count, nor do the shadow tables of virtual tables.
  ///
  /// - Parameter tables: Tables to leave out, with their indexes and triggers, such as a ledger.
  public init(from before: SchemaSnapshot, to after: SchemaSnapshot, leavingOut tables: Set<String> = []) {
    let (oldSchema, newSchema) = (before, after)
    let old = before.countedObjects(leavingOut: tables)
    let new = after.countedObjects(leavingOut: tables)
    made = new.keys.filter { old[$0] == nil }.sorted().compactMap { new[$0] }
    removed = old.keys.filter { new[$0] == nil }.sorted().compactMap { old[$0] }
    let differing = new.filter { name, after in old[name].map { !$0.hasSameDefinition(as: after) } ?? false }
    changed = differing.keys.sorted().compactMap { name in
      guard let before = old[name], let after = new[name], let oldSQL = before.sql, let newSQL = after.sql,
        oldSchema.canonicalDefinition(oldSQL) != newSchema.canonicalDefinition(newSQL)
      else { return nil }
      let lines = TableParts(oldSQL).flatMap { old in TableParts(newSQL)?.differences(from: old) }
      return Change(before: before, after: after, tableLines: lines)
    }
  }

  /// One line for each object that was created or removed, and the differences in each object that changed.
  public var description: String { lines.map { $0.indentedFurtherLines(by: 4) }.joined(separator: "\n") }

  /// A text for each object that differs; the text for a changed object has several lines.
  var lines: [String] {
    made.map { "+ \($0.text)" } + removed.map { "- \($0.text)" }
      + changed.map { change in
        if let lines = change.tableLines { return (["~ \(change.after.text)"] + lines).joined(separator: "\n") }
        let (before, after) = (change.before.sql?.onOneLineOfSQL ?? "", change.after.sql?.onOneLineOfSQL ?? "")
        return "~ \(change.after.text)\nbefore: \(before)\nafter:  \(after)"
      }
  }
}

extension SchemaObject {
  fileprivate var text: String { "\(kind.rawValue) \"\(name)\"" }

  /// Returns whether another object has an equivalent definition, ignoring differences in whitespace, comments and
  /// quoting.
  package func hasSameDefinition(as other: SchemaObject) -> Bool {
    guard let sql, let otherSQL = other.sql else { return false }
    return sql == otherSQL
      || SQLNormalization.canonicalDefinition(of: sql) == SQLNormalization.canonicalDefinition(of: otherSQL)
  }
}

extension String {
  /// The statement without comments, with one space for each run of whitespace outside quotes.
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
