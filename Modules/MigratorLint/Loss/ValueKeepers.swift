package import Migrator
package import SQLMigrations
internal import SQLSyntax

/// The places to which the statements of a migration copy the values of columns, read once for all columns and tables that
/// the migration drops.
///
/// Whether the values are there, the rows show: see `RowLossReview`. Names are in ASCII lower case.
package struct ValueKeepers: Sendable {
  /// A statement that drops a column or a table, overwrites columns or deletes rows, and the state before it.
  struct Drop {
    /// The part of a table whose values a statement removes.
    enum Part { case table, column, cells, rows }

    let table: Int
    let part: Part
    let state: ValueMoves
    /// The names of the tables.
    let names: [Int: ValueKeeper.Table]
    /// The name of the table.
    var name: String { names[table]?.name ?? "" }
  }

  private var state = ValueMoves()
  /// The statements of the last file that drop or overwrite values, by index.
  private var drops: [Int: Drop] = [:]
  /// The tables that earlier files of the run have created, and to which these have copied the values of dropped columns.
  package private(set) var holders: Set<String> = []

  /// Creates a reading of no files.
  package init() {}

  /// Reads the statements of a migration.
  package init(_ file: MigrationFile) { read(file, isPending: true) }

  /// Reads the statements of another migration, about whose statements the questions are from now on.
  ///
  /// - Parameter isPending: Whether the run applies the migration, so that no old values are in the tables that it creates.
  package mutating func read(_ file: MigrationFile, isPending: Bool) {
    state.beginFile()
    (drops, holders) = ([:], state.holders)
    var savepoints = SQLSavepoints<ValueMoves>()
    for (index, statement) in file.statements.enumerated() {
      savepoints.follow(statement.kind, statement.text, &state)
      read(statement, at: index)
    }
    // A temporary table ends with the migration.
    for (table, index) in state.remainingTemporary { noteDrop(of: .table, table, at: index) }
    state.endFile(isPending: isPending)
  }

  // MARK: Answers

  /// Returns the places and expressions that are meant to keep the values of columns that a statement drops, by column.
  ///
  /// The list is empty if there are none. A column is missing if the migration has added it, and has not kept the values of
  /// a dropped column in it; or if it is one of deleted rows, and these do not come back without it.
  ///
  /// - Parameter isOld: Whether the table existed before the run.
  package func keepers(at statement: Int, of columns: [String], isOld: Bool) -> [String: [ValueKeeper]] {
    guard let drop = drops[statement] else { return [:] }
    return ColumnKeepers(drop, at: statement, state).keepers(of: columns, isOld: isOld)
  }

  /// Whether the run has added a column before a statement overwrites or drops it, and no earlier file has moved values to it.
  package func isNew(_ column: String, at statement: Int) -> Bool {
    guard let drop = drops[statement] else { return false }
    let column = ValueMoves.Column(table: drop.table, name: column.asciiLowercased)
    let isAdded = state.new.contains(drop.table) || drop.state.ownColumns.contains(column)
    let kept = drop.state.kept[drop.table] ?? []
    return isAdded && !drop.state.filled.contains(column)
      && kept.allSatisfy { if case .named(let name) = $0 { name != column.name } else { false } }
  }

  /// Whether values are computed from a column of the same row, or copied under a condition that sample rows may not satisfy.
  ///
  /// - Parameter table: The name of the table before the migration.
  func computes(_ column: String, of table: String) -> Bool {
    state.computed.contains { $0.name == column && state.names[$0.table].contains(table) }
  }

  /// Whether a rebuild of a table copies other columns, but not this one.
  ///
  /// - Parameter table: The name of the table before the migration.
  func leavesOut(_ column: String, of table: String) -> Bool {
    let copied = state.moves.filter { move in
      state.names[move.source.table].contains(table) && state.replaces(move.destination, move.source.table)
    }.map(\.source.name)
    return !copied.isEmpty && !copied.contains(nil) && !copied.contains(column)
  }

  /// Returns whether the migration adds rows to the table from which a statement deletes some, other than those that it
  /// copies from the table itself.
  package func addsRows(at statement: Int) -> Bool {
    guard let table = drops[statement]?.table, state.insertions[table] != nil else { return false }
    return !state.moves.contains { move in
      move.query > state.earlierQueryCount && move.addsRows && move.source.table == table && move.destination == table
    }
  }

  // MARK: Statements

  private mutating func read(_ statement: SQLStatement, at index: Int) {
    let summary = SQLStatementSummary(of: statement.text)
    if state.hasTable(ofCreation: summary) { return }
    noteDrop(by: summary, at: index)
    state.follow(summary, at: index)
    // Rows that were copied may no longer be those that the number of rows counts, and a trigger may have held some back.
    let words = statement.firstTokens(3)
    if words.first == "replace" || words.first == "delete" || words == ["insert", "or", "replace"]
      || words.prefix(2) == ["drop", "trigger"]
    {
      state.endCounting()
    }
    if let table = statement.insertedTable { state.noteInsertion(into: state.number(of: table.name, in: table.schema)) }
    // A statement that creates a table has created it above.
    guard statement.mayMoveValues, let syntax = try? SQLTree(parsing: statement.text) else { return }
    let names = SQLNames(in: syntax)
    let targets = Set(names.uses.filter { [.target, .owner].contains($0.role) }.map(\.name.folded))
    let isDeletion = if case .data(.delete) = syntax.statement { true } else { false }
    let sources = names.uses.filter { $0.role == .source && !targets.contains($0.name.folded) }
    for use in names.uses where [.column, .joinColumn].contains(use.role) && !isDeletion {
      for table in state.tables(of: use, names) {
        let partners = sources.map { state.number(of: $0.name.folded, in: $0.qualifier?.folded) }
        state.notePartners(partners, of: ValueMoves.Column(table: table, name: use.name.folded))
      }
    }
    if let overwriting = syntax.overwriting {
      noteDrop(of: .cells, state.number(of: overwriting.table), at: index)
    }
    switch syntax.statement {
    case .data(.insert(let insert)):
      let table = state.number(of: insert.table)
      if words.first == "with" { state.noteInsertion(into: table) }
      state.readQueries(into: table, insert.columns.map(\.folded), names)
    case .createTable(let table):
      let name = ValueKeeper.Table(table.name.name.folded, isTemporary: syntax.createsTemporary)
      guard let number = state.tables[name] else { return }
      if table.select == nil {
        state.define(number, columns: table.columns.map(\.name.folded))
      } else {
        state.noteInsertion(into: number)
      }
      state.readQueries(into: number, [], names)
    case .data(.update(let update)): state.read(update, names, at: index)
    case .data(.delete(let deletion)):
      let table = state.number(of: deletion.table)
      noteDrop(of: .rows, table, at: index)
      state.noteDeletion(from: table, at: index)
    default: break
    }
  }

  /// Notes the state before a statement that removes values of columns of a table, or of the whole table.
  private mutating func noteDrop(of part: Drop.Part, _ table: Int, at index: Int) {
    drops[index] = Drop(table: table, part: part, state: state, names: state.currentNames)
  }

  private mutating func noteDrop(by statement: SQLStatementSummary, at index: Int) {
    let part: Drop.Part
    switch statement.tableEffect {
    case .dropTable: part = .table
    case .dropColumn: part = .column
    default: return
    }
    if let table = state.table(of: statement) { noteDrop(of: part, table, at: index) }
  }
}

extension SQLStatement {
  /// The table of an INSERT or REPLACE, in ASCII lower case; nil for other statements, and after common table expressions.
  fileprivate var insertedTable: (name: String, schema: String?)? {
    let words = firstTokens(7)
    guard ["insert", "replace"].contains(words.first), let into = words.firstIndex(of: "into") else { return nil }
    let names = words[(into + 1)...].map { SQLIdentifier.unquoted($0) }
    guard let first = names.first else { return nil }
    return names.dropFirst().first == "." ? names.dropFirst(2).first.map { ($0, first) } : (first, nil)
  }

  /// Whether the statement may store values of a table in another column, or remove them from one; false for the many
  /// INSERTs of literal values without a conflict clause.
  fileprivate var mayMoveValues: Bool {
    guard text.utf8.count < 100_000 else { return false }
    switch firstTokens(1).first {
    case "update", "delete", "with": return true
    case "insert", "replace": return ["select", "replace", "update"].contains(where: text.holdsWord)
    case "create": return firstTokens(3).contains("table")
    default: return false
    }
  }
}
