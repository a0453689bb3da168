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
    // Of a table that no other one replaces, all rows count as lost.
    let isReplaced = state.tables.values.contains { state.replaces($0, drop.table) }
    if drop.part == .table, isOld, !drop.state.own.contains(drop.table), !isReplaced { return [:] }
    if drop.part == .rows, state.insertions[drop.table] == drop.state.insertions[drop.table] { return [:] }
    let moves = drop.state.moves.indices.prefix(state.moves.count).filter { place in
      // Tested in place: a copy of a move takes longer.
      guard drop.state.moves[place].source.table == drop.table, !drop.state.moves[place].isGone else { return false }
      // With a table or a column, what keeps its values is counted when that is dropped.
      let destination = drop.state.moves[place].destination
      return drop.part == .table || drop.part == .column
        || lasts(place)
          && (!drop.state.own.contains(destination)
            || state.temporary[destination] == nil && state.tables.values.contains(destination))
    }
    let isOwn = !isOld || drop.state.own.contains(drop.table)
    let kept = drop.state.kept[drop.table] ?? []
    let isRebuilt = rebuiltColumns(drop, moves)
    var found: [String: [ValueKeeper]] = [:]
    for (position, name) in columns.map(\.asciiLowercased).enumerated() {
      let isNew = isOwn || drop.state.ownColumns.contains(ValueMoves.Column(table: drop.table, name: name))
      // A column that a rebuild copies may have the values of another one, which it leaves out.
      let isKeeper =
        drop.part == .table && !isOwn
        && moves.contains { place in
          let move = drop.state.moves[place]
          return move.destination == drop.table && move.place == .named(name) && move.source.name != name
        }
      if isNew, !isKeeper, kept.isDisjoint(with: [.any, .named(name), .position(position)]) { continue }
      var lasting = moves.filter { place in
        !state.moves[place].isEmptied(after: statement, name) && !isDropped(place, with: name, drop, isRebuilt)
      }.map { place in
        var move = drop.state.moves[place]
        move.isCombined = state.moves[place].droppedCount > 1
        if drop.part == .table, move.destination == drop.table { move.mustLeadBack = true }
        return move
      }
      let isSole = lasting.count { $0.expression != nil && $0.source.name == name } == 1
      for place in lasting.indices { lasting[place].isSole = isSole }
      found[name] = keepers(of: name, drop, lasting) + (isOwn ? otherCopies(of: name, drop, at: statement) : [])
    }
    return found
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

  /// Whether the column with the values is there at the end of the file, or another one to which they went from it.
  private func lasts(_ place: Int) -> Bool {
    let move = state.moves[place]
    return !move.isDestinationGone
      || state.moves.dropFirst(place + 1).contains {
        $0.source == move.source && $0.isCopy && !$0.isDestinationGone && $0.query > move.query
      }
  }

  /// Returns the places to which the values of a column of a copy were copied, too: a backup beside a rebuild is not needed.
  private func otherCopies(of column: String, _ drop: Drop, at statement: Int) -> [ValueKeeper] {
    let moves = drop.state.moves.indices.prefix(state.moves.count).filter {
      drop.state.moves[$0].isCopy && !drop.state.moves[$0].isGone
    }
    let copied = moves.map { drop.state.moves[$0] }.filter {
      $0.destination == drop.table && [.same, .named(column)].contains($0.place)
    }
    return copied.flatMap { copy -> [ValueKeeper] in
      let original = copy.source.name ?? column
      // The column itself may still have the values.
      let source = copy.source.table == drop.table ? nil : drop.names[copy.source.table]
      return [source.map { .column(.named(original), table: $0, isWhole: false, isLinked: true) }].compactMap(\.self)
        + moves.compactMap { place in
          let other = drop.state.moves[place]
          guard other.source.table == copy.source.table, other.source.name ?? original == original,
            other.destination != drop.table, state.tables.values.contains(other.destination),
            !state.moves[place].isEmptied(after: statement, original), let name = drop.names[other.destination]
          else { return nil }
          let column = other.place == .same ? .named(original) : other.place
          return .column(column, table: name, isWhole: false, isLinked: true)
        }
    }
  }

  /// Whether the destination of a move goes with a dropped or overwritten column or table: the move was within the table.
  ///
  /// - Parameter isRebuilt: Returns whether the table that replaces a dropped one has another column as it is.
  private func isDropped(
    _ place: Int, with column: String, _ drop: Drop, _ isRebuilt: (_ other: String) -> Bool
  ) -> Bool {
    let move = drop.state.moves[place]
    guard move.destination == drop.table else { return false }
    return switch move.place {
    case .same, .named(column): true
    case .named(let other) where drop.part == .table: move.droppedCount > 0 || !isRebuilt(other)
    case .named, .position, .any: drop.part == .table || drop.part == .rows
    }
  }

  /// Returns the columns of a dropped table that its rebuild copies as they are, and that keep their values afterwards.
  private func rebuiltColumns(_ drop: Drop, _ moves: [Int]) -> (_ column: String) -> Bool {
    let rebuild = moves.filter { state.replaces(drop.state.moves[$0].destination, drop.table) }
    var known: [String: Bool] = [:]
    return { column in
      if let isRebuilt = known[column] { return isRebuilt }
      let own = rebuild.filter { (drop.state.moves[$0].source.name ?? column) == column }
      let isChanged = own.contains { !state.moves[$0].isPlain || state.moves[$0].changed.contains(column) }
      let copies = own.map { drop.state.moves[$0] }
      let isRebuilt =
        !isChanged && rowKeepers(of: column, drop, copies, Set(copies.map(\.query)))?.isEmpty == false
      known[column] = isRebuilt
      return isRebuilt
    }
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

  private func keepers(of column: String, _ drop: Drop, _ moves: [ValueMoves.Move]) -> [ValueKeeper] {
    let own = moves.filter { $0.source.name ?? column == column }
    // A query that leaves the column out makes the rebuild incomplete.
    let queries = Set(moves.filter { state.replaces($0.destination, drop.table) }.map(\.query))
    let rebuild = own.filter { state.replaces($0.destination, drop.table) }
    if let rows = rowKeepers(of: column, drop, rebuild, queries) { return rows }
    let isInEach = queries.isSubset(of: rebuild.map(\.query))
    var found: [ValueKeeper] = []
    for move in own {
      guard let name = drop.names[move.destination] else { continue }
      let isRebuild = state.replaces(move.destination, drop.table)
      var results: [ValueKeeper] = []
      if isRebuild && isInEach, let result = rebuiltResult(of: column, move, drop, moves) { results.append(result) }
      if move.destination == drop.table, case .named(let keeper) = move.place {
        results += values(keeper, of: column, move, drop)
      }
      let isWhole = move.isPlain && isCounted(move) && !isRebuild && move.changed.isEmpty
      // An equal value in another row does not count where the row itself shows whether it has the value.
      if move.isCopy, isWhole || results.isEmpty || move.expression == nil {
        let isLinked = isRebuild || isLinked(move, column, moves)
        found.append(
          .column(
            move.place, table: name, isWhole: isWhole, isLinked: isLinked, beside: beside(move, column, moves)))
      }
      found += results
    }
    if found.isEmpty { found = partners(of: column, drop) }
    if found.isEmpty { found = successors(of: column, drop, moves) + origins(of: column, drop) }
    return found.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Returns the tables whose rows replace those of a rebuilt table; nil if one of their queries does not copy the column as it
  /// is.
  private func rowKeepers(
    of column: String, _ drop: Drop, _ rebuild: [ValueMoves.Move], _ queries: Set<Int>
  ) -> [ValueKeeper]? {
    let plain = rebuild.filter { move in
      // A changed column may have another name in the old table.
      let isUnchanged = move.changed.isEmpty || (drop.state.columns[move.destination] ?? []).contains(column)
      return move.isPlain && isUnchanged && !move.changed.contains(column)
    }
    guard !queries.isEmpty, queries.isSubset(of: plain.map(\.query)) else { return nil }
    // Rows that were set aside may come back after the rebuild.
    let isWhole =
      plain.count == 1 && isCounted(plain[0])
      || state.moves.contains { move in
        move.addsRows && move.query > drop.state.queryCount && move.source.table == drop.table
          && move.destination == plain[0].destination
      }
    return plain.compactMap { move in
      drop.names[move.destination].map { .rows(move.place, table: $0, isWhole: isWhole) }
    }
  }

  /// Returns the expression by which a rebuild computes values from a column of each row; nil if there is none.
  private func rebuiltResult(
    of column: String, _ move: ValueMoves.Move, _ drop: Drop, _ moves: [ValueMoves.Move]
  ) -> ValueKeeper? {
    // A join may leave rows out; the values of another column of the row, which is copied, show whether it does.
    let isOfEachRow = move.isOfOneTable || moves.contains { $0.query == move.query && $0.isCopy && $0 != move }
    guard isOfEachRow, !move.isPlain, move.droppedCount == 0, let expression = move.expression else { return nil }
    // A column that the rebuild copies, too, may help to determine this one.
    let isCombined = expression.columns.contains { other in
      other != column && !moves.contains { $0.expression != expression && $0.source.name ?? other == other }
    }
    return resultKeeper(
      "(\(expression.text(of: drop.name)))", of: column, expression, drop, isCombined: isCombined, isSole: move.isSole)
  }

  /// Returns the new tables with which a column is joined, which may have had its values before.
  private func partners(of column: String, _ drop: Drop) -> [ValueKeeper] {
    let partners = drop.state.partners[ValueMoves.Column(table: drop.table, name: column)] ?? []
    let lasting = partners.intersection(drop.state.own).intersection(state.tables.values).subtracting([drop.table])
    return lasting.compactMap { drop.names[$0] }.sorted { $0.name < $1.name }
      .map { .column(.any, table: $0, isWhole: false, isLinked: true) }
  }

  /// Returns the columns of the same name in tables that replace the dropped one: their rows may come by a query that is not
  /// followed, or by an earlier migration.
  private func successors(of column: String, _ drop: Drop, _ moves: [ValueMoves.Move]) -> [ValueKeeper] {
    drop.names.sorted { $0.key < $1.key }
      .filter { table, _ in
        state.replaces(table, drop.table)
          && !moves.contains { $0.destination == table && $0.isPlain && $0.place == .named(column) }
      }
      .map { .column(.named(column), table: $0.value, isWhole: false, isLinked: true) }
  }

  /// Returns the columns from which the table that replaces the dropped one later receives the values of a column, with the rowids
  /// of the same rows: both are copies, such as full-text indexes.
  private func origins(of column: String, _ drop: Drop) -> [ValueKeeper] {
    let later = state.moves.filter { move in
      move.query > drop.state.queryCount && move.isPlain && state.replaces(move.destination, drop.table)
        && move.source.table != drop.table
    }
    let old = SQLRowExpression(column: column).text(of: drop.name)
    return later.filter { $0.place == .named(column) }.compactMap { move in
      let rowIDs = SQLIdentifier.rowIDNames.map { ValueKeeper.Place.named($0) } + [.named("docid")]
      let key = later.first { $0.query == move.query && rowIDs.contains($0.place) }
      guard let key = key?.source.name, let name = move.source.name, let table = drop.names[move.source.table] else {
        return nil
      }
      let value =
        "(SELECT o.\(name.quotedIdentifier) FROM \(table.sql) AS o WHERE o.\(key.quotedIdentifier) = \(drop.name.quotedIdentifier).rowid)"
      return .expression("CASE WHEN \(value) IS \(old) THEN \(old) END", unless: nil, inverses: [])
    }
  }

  /// Whether the rows with copied values may show from which rows these come: they were there before, have other columns of
  /// the same rows, or another statement reads them together with the column.
  private func isLinked(_ move: ValueMoves.Move, _ column: String, _ moves: [ValueMoves.Move]) -> Bool {
    guard move.addsRows, move.source.name != nil else { return true }
    return state.partners[move.source]?.contains(move.destination) ?? false
      || moves.contains {
        $0.destination == move.destination && $0.query == move.query && $0.source.name != column
      }
  }

  /// Returns the places of other columns that the rows with copied values receive as they are, by column; none if another
  /// statement reads the rows together with the values, as those of a lookup table.
  private func beside(
    _ move: ValueMoves.Move, _ column: String, _ moves: [ValueMoves.Move]
  ) -> [String: ValueKeeper.Place] {
    let source = ValueMoves.Column(table: move.source.table, name: column)
    guard move.addsRows, state.partners[source]?.contains(move.destination) != true else { return [:] }
    let others = moves.filter { other in
      other.destination == move.destination && other.query == move.query && other.isPlain && other.changed.isEmpty
    }
    return Dictionary(others.compactMap { other in other.source.name.map { ($0, other.place) } }) { first, _ in first }
  }

  /// Whether the number of rows in the destination shows that all are there: no other query adds rows to it.
  private func isCounted(_ move: ValueMoves.Move) -> Bool {
    let isFilledOnce = state.own.contains(move.destination) && state.insertions[move.destination] == 1
    return move.isOfOneTable && (isFilledOnce || !move.addsRows)
  }

  /// Returns the values that an UPDATE has stored in another column of the same rows; NULL in a row that it may have left out.
  private func values(_ keeper: String, of column: String, _ move: ValueMoves.Move, _ drop: Drop) -> [ValueKeeper] {
    let table = drop.name
    let name = SQLRowExpression(column: keeper).text(of: table)
    guard let expression = move.expression else {
      return move.isAdded ? [.expression(name, unless: nil, inverses: [])] : []
    }
    let value =
      move.isOfOneTable && !move.addsRows || move.droppedCount > 0
      ? name : "CASE WHEN \(name) IS (\(expression.text(of: table))) THEN \(name) END"
    return [
      resultKeeper(
        value, of: column, expression, drop, isCombined: move.isCombined, isSole: move.isSole,
        mustLeadBack: move.mustLeadBack)
    ]
  }

  /// Returns the keeper of a column by the result of an expression.
  ///
  /// - Parameters:
  ///   - isCombined: Whether other columns of the expression are dropped, too. Without them, a sum does not determine one of its
  ///     terms; a text keeps the values that it contains, in any case.
  ///   - isSole: Whether no other expression may keep the rest of a text.
  ///   - mustLeadBack: Whether only an inverse, or the value itself, shows that the result keeps it.
  private func resultKeeper(
    _ result: String, of column: String, _ expression: SQLRowExpression, _ drop: Drop, isCombined: Bool, isSole: Bool,
    mustLeadBack: Bool = false
  ) -> ValueKeeper {
    let inverses = expression.inverses(of: column, from: result)
    guard isCombined else {
      let unless = mustLeadBack ? "1" : independence(of: column, expression, drop, isSole: isSole)
      return .expression(result, unless: unless, inverses: inverses)
    }
    let name = SQLRowExpression(column: column).text(of: drop.name)
    let isText = "typeof(\(result)) = 'text'"
    let contained = "CASE WHEN \(isText) AND instr(\(result), \(name)) > 0 THEN \(name) END"
    let isPart = "\(isText) AND instr(lower(\(result)), trim(lower(\(name)))) > 0"
    return .expression(
      result, unless: "\(result) IS NOT +\(name) AND NOT (\(isPart))", inverses: [contained] + inverses)
  }

  /// Returns a condition on a row by which an expression is the same for any value of a column or, if it has no other column,
  /// for similar numbers or longer texts.
  private func independence(
    of column: String, _ expression: SQLRowExpression, _ drop: Drop, isSole: Bool
  ) -> String? {
    let table = drop.name
    // A query in parentheses is not read.
    if expression.columns.isEmpty { return nil }
    if expression.columns == [column] { return expression.shortening(of: column, in: table, cutsTexts: isSole) }
    let name = SQLRowExpression(column: column).text(of: table)
    let others = ["min(\(name))", "CASE WHEN min(\(name)) IS NOT max(\(name)) THEN max(\(name)) END"]
    return others.map { other in
      let value = SQLRowExpression(text: "SELECT \(other) FROM \(table.quotedIdentifier)")
      return "(\(expression.text(of: table))) IS (\(expression.replacing(column, with: value).text(of: table)))"
    }.joined(separator: " AND ")
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
