internal import Migrator
internal import SQLSyntax

/// The places and expressions that are meant to keep the values of the columns of a table from which a statement removes values.
///
/// Names are in ASCII lower case.
struct ColumnKeepers {
  private let drop: ValueKeepers.Drop
  /// The index of the statement in its file.
  private let statement: Int
  /// The state at the end of the file.
  private let state: ValueMoves
  /// The indexes of the moves from the table that may keep its values.
  private let places: [Int]

  /// Creates the keepers.
  ///
  /// - Parameters:
  ///   - drop: The statement, and the state before it.
  ///   - state: The state at the end of the file.
  init(_ drop: ValueKeepers.Drop, at statement: Int, _ state: ValueMoves) {
    (self.drop, self.statement, self.state) = (drop, statement, state)
    places = drop.state.moves.indices.prefix(state.moves.count).filter { place in
      // Tested in place: a copy of a move takes longer.
      guard drop.state.moves[place].source.table == drop.table, !drop.state.moves[place].isGone else { return false }
      // With a table or a column, what keeps its values is counted when that is dropped.
      let destination = drop.state.moves[place].destination
      return drop.part == .table || drop.part == .column
        || Self.lasts(place, state)
          && (!drop.state.own.contains(destination)
            || state.temporary[destination] == nil && state.tables.values.contains(destination))
    }
  }

  /// Returns the keepers of columns, by column; see ``ValueKeepers/keepers(at:of:isOld:)``.
  func keepers(of columns: [String], isOld: Bool) -> [String: [ValueKeeper]] {
    // Of a table that no other one replaces, all rows count as lost.
    let isReplaced = state.tables.values.contains { state.replaces($0, drop.table) }
    if drop.part == .table, isOld, !drop.state.own.contains(drop.table), !isReplaced { return [:] }
    if drop.part == .rows, state.insertions[drop.table] == drop.state.insertions[drop.table] { return [:] }
    let isOwn = !isOld || drop.state.own.contains(drop.table)
    let kept = drop.state.kept[drop.table] ?? []
    let isRebuilt = rebuiltColumns()
    var found: [String: [ValueKeeper]] = [:]
    for (position, name) in columns.map(\.asciiLowercased).enumerated() {
      let isNew = isOwn || drop.state.ownColumns.contains(ValueMoves.Column(table: drop.table, name: name))
      // A column that a rebuild copies may have the values of another one, which it leaves out.
      let isKeeper =
        drop.part == .table && !isOwn
        && places.contains { place in
          let move = drop.state.moves[place]
          return move.destination == drop.table && move.place == .named(name) && move.source.name != name
        }
      if isNew, !isKeeper, kept.isDisjoint(with: [.any, .named(name), .position(position)]) { continue }
      var lasting = places.filter { place in
        !state.moves[place].isEmptied(after: statement, name) && !isDropped(place, with: name, isRebuilt)
      }.map { place in
        var move = drop.state.moves[place]
        move.isCombined = state.moves[place].droppedCount > 1
        if drop.part == .table, move.destination == drop.table { move.mustLeadBack = true }
        return move
      }
      let isSole = lasting.count { $0.expression != nil && $0.source.name == name } == 1
      for place in lasting.indices { lasting[place].isSole = isSole }
      found[name] = keepers(of: name, lasting) + (isOwn ? otherCopies(of: name) : [])
    }
    return found
  }

  /// Whether the column with the values is there at the end of the file, or another one to which they went from it.
  private static func lasts(_ place: Int, _ state: ValueMoves) -> Bool {
    let move = state.moves[place]
    return !move.isDestinationGone
      || state.moves.dropFirst(place + 1).contains {
        $0.source == move.source && $0.isCopy && !$0.isDestinationGone && $0.query > move.query
      }
  }

  /// Returns the places to which the values of a column of a copy were copied, too: a backup beside a rebuild is not needed.
  private func otherCopies(of column: String) -> [ValueKeeper] {
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
    _ place: Int, with column: String, _ isRebuilt: (_ other: String) -> Bool
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
  private func rebuiltColumns() -> (_ column: String) -> Bool {
    let rebuild = places.filter { state.replaces(drop.state.moves[$0].destination, drop.table) }
    var known: [String: Bool] = [:]
    return { column in
      if let isRebuilt = known[column] { return isRebuilt }
      let own = rebuild.filter { (drop.state.moves[$0].source.name ?? column) == column }
      let isChanged = own.contains { !state.moves[$0].isPlain || state.moves[$0].changed.contains(column) }
      let copies = own.map { drop.state.moves[$0] }
      let isRebuilt =
        !isChanged && rowKeepers(of: column, copies, Set(copies.map(\.query)))?.isEmpty == false
      known[column] = isRebuilt
      return isRebuilt
    }
  }

  private func keepers(of column: String, _ moves: [ValueMoves.Move]) -> [ValueKeeper] {
    let own = moves.filter { $0.source.name ?? column == column }
    // A query that leaves the column out makes the rebuild incomplete.
    let queries = Set(moves.filter { state.replaces($0.destination, drop.table) }.map(\.query))
    let rebuild = own.filter { state.replaces($0.destination, drop.table) }
    if let rows = rowKeepers(of: column, rebuild, queries) { return rows }
    let isInEach = queries.isSubset(of: rebuild.map(\.query))
    var found: [ValueKeeper] = []
    for move in own {
      guard let name = drop.names[move.destination] else { continue }
      let isRebuild = state.replaces(move.destination, drop.table)
      var results: [ValueKeeper] = []
      if isRebuild && isInEach, let result = rebuiltResult(of: column, move, moves) { results.append(result) }
      if move.destination == drop.table, case .named(let keeper) = move.place {
        results += values(keeper, of: column, move)
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
    if found.isEmpty { found = partners(of: column) }
    if found.isEmpty { found = successors(of: column, moves) + origins(of: column) }
    return found.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Returns the tables whose rows replace those of a rebuilt table; nil if one of their queries does not copy the column as it
  /// is.
  private func rowKeepers(
    of column: String, _ rebuild: [ValueMoves.Move], _ queries: Set<Int>
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
    of column: String, _ move: ValueMoves.Move, _ moves: [ValueMoves.Move]
  ) -> ValueKeeper? {
    // A join may leave rows out; the values of another column of the row, which is copied, show whether it does.
    let isOfEachRow = move.isOfOneTable || moves.contains { $0.query == move.query && $0.isCopy && $0 != move }
    guard isOfEachRow, !move.isPlain, move.droppedCount == 0, let expression = move.expression else { return nil }
    // A column that the rebuild copies, too, may help to determine this one.
    let isCombined = expression.columns.contains { other in
      other != column && !moves.contains { $0.expression != expression && $0.source.name ?? other == other }
    }
    return resultKeeper(
      "(\(expression.text(of: drop.name)))", of: column, expression, isCombined: isCombined, isSole: move.isSole)
  }

  /// Returns the new tables with which a column is joined, which may have had its values before.
  private func partners(of column: String) -> [ValueKeeper] {
    let partners = drop.state.partners[ValueMoves.Column(table: drop.table, name: column)] ?? []
    let lasting = partners.intersection(drop.state.own).intersection(state.tables.values).subtracting([drop.table])
    return lasting.compactMap { drop.names[$0] }.sorted { $0.name < $1.name }
      .map { .column(.any, table: $0, isWhole: false, isLinked: true) }
  }

  /// Returns the columns of the same name in tables that replace the dropped one: their rows may come by a query that is not
  /// followed, or by an earlier migration.
  private func successors(of column: String, _ moves: [ValueMoves.Move]) -> [ValueKeeper] {
    drop.names.sorted { $0.key < $1.key }
      .filter { table, _ in
        state.replaces(table, drop.table)
          && !moves.contains { $0.destination == table && $0.isPlain && $0.place == .named(column) }
      }
      .map { .column(.named(column), table: $0.value, isWhole: false, isLinked: true) }
  }

  /// Returns the columns from which the table that replaces the dropped one later receives the values of a column, with the rowids
  /// of the same rows: both are copies, such as full-text indexes.
  private func origins(of column: String) -> [ValueKeeper] {
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
  private func values(_ keeper: String, of column: String, _ move: ValueMoves.Move) -> [ValueKeeper] {
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
        value, of: column, expression, isCombined: move.isCombined, isSole: move.isSole,
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
    _ result: String, of column: String, _ expression: SQLRowExpression, isCombined: Bool, isSole: Bool,
    mustLeadBack: Bool = false
  ) -> ValueKeeper {
    let inverses = expression.inverses(of: column, from: result)
    guard isCombined else {
      let unless = mustLeadBack ? "1" : independence(of: column, expression, isSole: isSole)
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
    of column: String, _ expression: SQLRowExpression, isSole: Bool
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
}
