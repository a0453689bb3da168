/// Finds the tokens of a view or trigger that mean one table: where it is read or written, and where columns are
/// qualified with its name.
///
/// Names are looked up as SQLite does it: common tables hide tables, and a name before a dot is that of something behind
/// the nearest FROM, by its other name where it has one. What cannot be told for sure is an error.
package struct SQLTableResolver {
  /// Something behind FROM, or `NEW`, `OLD` and `excluded`, with the name that qualifies its columns.
  struct Source: Hashable {
    let name: String?
    /// Whether it is the table under its own name.
    let isTarget: Bool
  }

  /// What a view or trigger has to do with a table.
  package struct Uses: Sendable, Hashable {
    /// The tokens that mean the table, by their indexes in ``SQLSource/tokens``; not the one behind a trigger's `ON`.
    package let tokens: [Int]

    /// The texts of results without a name, in lower case, that change with the table's name: the engine makes names of
    /// them, by which other views may call the columns.
    package let fragileNames: Set<String>
  }

  let source: SQLSource
  let table: String
  let newTable: String

  /// The names of the common tables that can be named, the innermost last.
  var commonTables: [Set<String>] = []

  var uses: Set<Int> = []
  var fragileNames: Set<String> = []

  /// A place where something bears the new name.
  var newNameToken: Int?

  /// The tokens of a view or trigger that mean a table.
  ///
  /// - Parameters:
  ///   - syntax: The statement.
  ///   - table: The table's name in lower case.
  ///   - newTable: The name that the table is to get, in lower case. Where something else in the statement bears it,
  ///     uses of the table are not certain.
  /// - Throws: ``SQLUncertainName``.
  package static func uses(in syntax: SQLTree, table: String, newTable: String) throws(SQLUncertainName) -> Uses {
    var resolver = SQLTableResolver(source: syntax.source, table: table, newTable: newTable)
    switch syntax.statement {
    case .createView(let view): try resolver.resolve(view.select, [])
    case .createTrigger(let trigger): try resolver.resolve(trigger)
    case .data(let statement): try resolver.resolve(statement, [])
    default: throw SQLUncertainName(token: nil)
    }
    if !resolver.uses.isEmpty, table != newTable, let token = resolver.newNameToken {
      throw SQLUncertainName(token: token)
    }
    return Uses(tokens: resolver.uses.sorted(), fragileNames: resolver.fragileNames)
  }

  private init(source: SQLSource, table: String, newTable: String) {
    self.source = source
    self.table = table
    self.newTable = newTable
  }

  /// Takes note of a name of a table or of something that stands for one.
  mutating func see(_ name: SQLName) {
    if name.folded == newTable, newNameToken == nil { newNameToken = name.token }
  }

  /// Whether a name that stands where a table is read or written is that of the table.
  mutating func means(_ name: SQLQualifiedName) -> Bool {
    see(name.name)
    guard name.name.folded == table else { return false }
    if let schema = name.schema?.folded {
      guard schema == "main" else { return false }
    } else if commonTables.contains(where: { $0.contains(table) }) {
      return false
    }
    uses.insert(name.name.token)
    return true
  }

  /// A table with the name that qualifies its columns.
  mutating func named(_ name: SQLQualifiedName, as alias: SQLName?) -> Source {
    let isTarget = means(name)
    if let alias { see(alias) }
    return Source(name: (alias ?? name.name).folded, isTarget: isTarget && alias == nil)
  }

  /// Looks up the names of an expression.
  mutating func resolve(_ expression: SQLExpression, _ frames: [[Source]]) throws(SQLUncertainName) {
    for reference in expression.references {
      guard let qualifier = reference.table else { continue }
      try resolve(qualifier: qualifier, frames)
    }
    for name in expression.tables { _ = means(name) }
    for subquery in expression.subqueries { try resolve(subquery, frames) }
  }

  /// Looks up a name that stands before a dot.
  mutating func resolve(qualifier: SQLName, _ frames: [[Source]]) throws(SQLUncertainName) {
    see(qualifier)
    guard qualifier.folded == table else { return }
    for frame in frames.reversed() {
      let found = Set(frame.filter { $0.name == table })
      guard let source = found.first else { continue }
      if found.count > 1 { throw SQLUncertainName(token: qualifier.token) }
      if source.isTarget { uses.insert(qualifier.token) }
      return
    }
    throw SQLUncertainName(token: qualifier.token)
  }
}
