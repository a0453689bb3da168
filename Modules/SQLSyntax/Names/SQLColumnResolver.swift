/// Finds the tokens of a statement that mean one column of one table, also through aliases, subqueries and views.
///
/// Names are looked up as SQLite does it (`resolve.c`): in the tables behind FROM first, then among the names that
/// results are given, then in the statement around. What cannot be told for sure is an error.
///
/// Only names that are spelled like the column's old or new name are looked up; all others cannot change their meaning.
package struct SQLColumnResolver {
  /// A column of something behind FROM.
  struct Column: Hashable {
    let name: String
    /// Whether it is the column that is looked for, under its own name.
    let isTarget: Bool
    /// Whether it comes from a query, and not from the table itself.
    var isDerived = false
  }

  /// Something behind FROM, or `NEW`, `OLD` and `excluded`.
  struct Source {
    /// The name that qualifies its columns, in lower case.
    let name: String?
    /// The columns; nil where they are not known.
    let columns: [Column]?
    /// Whether a column is only found with the name before it.
    var isQualifiedOnly = false

    var hasTarget: Bool { columns?.contains { $0.isTarget } == true }

    func has(_ name: String) -> Bool { columns?.contains { $0.name == name } == true }
  }

  /// What one query can name: its sources, and the names of its results.
  struct Frame {
    var sources: [Source]
    var aliases: Set<String> = []
  }

  let relations: SQLRelations
  let table: String
  let column: String
  let newColumn: String

  /// The common tables that can be named, the innermost last.
  var commonTables: [[String: [Column]?]] = []

  /// The views whose columns are being found out, which must not contain themselves.
  var openViews: Set<String> = []

  /// The tokens that mean the column.
  var uses: Set<Int> = []

  /// Whether a use names the column as that of a view, a subquery or a common table.
  var usesDerived = false

  /// Texts of results without a name that use the column: the engine makes a name of each.
  var fragileNames: Set<String> = []

  let source: SQLSource

  /// Prepares to look through a statement.
  ///
  /// - Parameters:
  ///   - source: The statement.
  ///   - relations: The tables and views that it may name.
  ///   - table: The table's name in lower case.
  ///   - column: The column's name in lower case.
  ///   - newColumn: The name that the column is to get, in lower case; the same name when it is to get none.
  init(_ source: SQLSource, relations: SQLRelations, table: String, column: String, newColumn: String) {
    self.source = source
    self.relations = relations
    self.table = table
    self.column = column
    self.newColumn = newColumn
  }

  /// What a view or trigger has to do with a column.
  package struct Uses: Sendable, Hashable {
    /// The tokens that mean the column, by their indexes in ``SQLSource/tokens``.
    package let tokens: [Int]

    /// Whether one of them names it as a column of a view, a subquery or a common table that passes it on.
    ///
    /// SQLite's own RENAME COLUMN fails then: it renames the column inside the query, and not where that is used.
    package let isDerived: Bool
  }

  /// The tokens of a view or trigger that mean a column.
  ///
  /// - Parameters:
  ///   - syntax: The statement.
  ///   - relations: The tables and views that it may name.
  ///   - table: The table's name in lower case.
  ///   - column: The column's name in lower case.
  ///   - newColumn: The name that the column is to get, in lower case. A name that would come to mean the column then
  ///     is not certain.
  /// - Throws: ``SQLUncertainName``.
  package static func uses(
    in syntax: SQLTree, relations: SQLRelations, table: String, column: String, newColumn: String
  ) throws(SQLUncertainName) -> Uses {
    var resolver = SQLColumnResolver(
      syntax.source, relations: relations, table: table, column: column, newColumn: newColumn)
    switch syntax.statement {
    case .createView(let view):
      let columns = try resolver.resolve(view.select, [])
      if view.columns.isEmpty { try resolver.requireDistinct(columns) }
    case .createTrigger(let trigger): try resolver.resolve(trigger)
    case .data(let statement): try resolver.resolve(statement, [])
    default: throw SQLUncertainName(token: nil)
    }
    return Uses(tokens: resolver.uses.sorted(), isDerived: resolver.usesDerived)
  }

  /// The column is about to get a name that another one has.
  private func requireDistinct(_ columns: [Column]?) throws(SQLUncertainName) {
    guard newColumn != column, let columns, columns.contains(where: \.isTarget) else { return }
    if columns.contains(where: { $0.name == newColumn }) { throw SQLUncertainName(token: nil) }
  }

  /// The columns of a table, view or common table; nil where they are not known.
  mutating func columns(of name: SQLQualifiedName) throws(SQLUncertainName) -> [Column]? {
    let folded = name.name.folded
    if name.schema == nil {
      for level in commonTables.reversed() { if let columns = level[folded] { return columns } }
    } else if name.schema?.folded != "main", name.schema?.folded != "temp" {
      return nil
    }
    switch relations.named[folded] {
    case nil: return nil
    case .table(let columns):
      return columns?.map { Column(name: $0, isTarget: folded == table && $0 == column) }
    case .view(let view, let source):
      guard view.columns.isEmpty else { return view.columns.map { Column(name: $0.folded, isTarget: false) } }
      guard !openViews.contains(folded) else { return nil }
      var resolver = SQLColumnResolver(
        source, relations: relations, table: table, column: column, newColumn: newColumn)
      resolver.openViews = openViews.union([folded])
      let columns = try resolver.resolve(view.select, [])
      fragileNames.formUnion(resolver.fragileNames)
      return derived(columns)
    }
  }

  /// Columns as those of the query that gives them.
  func derived(_ columns: [Column]?) -> [Column]? {
    columns?.map { Column(name: $0.name, isTarget: $0.isTarget, isDerived: true) }
  }

  /// Looks up the names of an expression.
  mutating func resolve(_ expression: SQLExpression, _ frames: [Frame]) throws(SQLUncertainName) {
    for reference in expression.references where try means(reference, frames) { uses.insert(reference.column.token) }
    for subquery in expression.subqueries { _ = try resolve(subquery, frames) }
  }

  /// Whether a reference means the column.
  mutating func means(_ reference: SQLColumnReference, _ frames: [Frame]) throws(SQLUncertainName) -> Bool {
    let name = reference.column.folded
    let uncertain = SQLUncertainName(token: reference.column.token)
    if fragileNames.contains(name) { throw uncertain }
    guard name == column || name == newColumn else { return false }
    if let qualifier = reference.table?.folded { return try means(name, of: qualifier, frames, uncertain) }
    // A double-quoted name is the text that it spells where no column has it
    // (https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted).
    let mayBeText = source.token(reference.column.token)?.kind == .quotedIdentifier
    return try means(name, mayBeText: mayBeText, frames, uncertain)
  }

  mutating func noteUse(of column: Column) {
    if column.isTarget, column.isDerived { usesDerived = true }
  }

  private mutating func means(
    _ name: String, of qualifier: String, _ frames: [Frame], _ uncertain: SQLUncertainName
  ) throws(SQLUncertainName) -> Bool {
    for frame in frames.reversed() {
      let sources = frame.sources.filter { $0.name == qualifier }
      guard let found = sources.first else { continue }
      guard sources.count == 1, let columns = found.columns else { throw uncertain }
      if name == newColumn, newColumn != column {
        // The column would come to bear a name that stands here already.
        if found.hasTarget { throw uncertain }
        return false
      }
      let matches = columns.filter { $0.name == name }
      guard !matches.isEmpty else { throw uncertain }
      if Set(matches).count > 1 { throw uncertain }
      noteUse(of: matches[0])
      return matches[0].isTarget
    }
    throw uncertain
  }

  private mutating func means(
    _ name: String, mayBeText: Bool, _ frames: [Frame], _ uncertain: SQLUncertainName
  ) throws(SQLUncertainName) -> Bool {
    let isNew = name == newColumn && newColumn != column
    var hasUnknown = false
    for frame in frames.reversed() {
      let sources = frame.sources.filter { !$0.isQualifiedOnly }
      if isNew, sources.contains(where: \.hasTarget) { throw uncertain }
      let candidates = sources.filter { $0.has(name) }
      hasUnknown = hasUnknown || sources.contains { $0.columns == nil }
      if candidates.isEmpty {
        if frame.aliases.contains(name), !hasUnknown { return false }
        continue
      }
      let columns = Set(candidates.flatMap { $0.columns?.filter { $0.name == name } ?? [] })
      // What has unknown columns may have this one as well.
      if columns.contains(where: \.isTarget), hasUnknown || columns.count > 1 { throw uncertain }
      columns.first.map { noteUse(of: $0) }
      return columns.first?.isTarget == true
    }
    if isNew || mayBeText && !hasUnknown || ["true", "false", "rowid", "oid", "_rowid_"].contains(name) {
      return false
    }
    throw uncertain
  }
}
