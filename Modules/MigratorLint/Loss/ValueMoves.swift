internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

/// The values that statements move between columns, which are followed through the names of tables and columns.
///
/// Names are in ASCII lower case.
struct ValueMoves: Sendable {
  /// A column; tables are numbered, since their names change.
  struct Column: Hashable {
    var table: Int
    /// The current name; nil for all columns, the source of a `*`.
    var name: String?
  }

  /// The number of moves above which indirect ones are not followed, and the number above which none is: the values then
  /// count as lost.
  private static let mostMoves = (followed: 200, known: 2000)

  /// The values of a column in another one.
  struct Move: Equatable {
    var source: Column
    let destination: Int
    var place: ValueKeeper.Place
    /// The SELECT or UPDATE that moves the values.
    var query: Int
    /// Whether values may arrive unchanged; those of an expression that can only compute others do not count.
    var isCopy: Bool
    /// Whether the values of all rows that the query selects arrive unchanged.
    var isPlain = false
    /// Whether the query selects the rows of the source alone, each at most once; whether the UPDATE changes all rows.
    var isOfOneTable = false
    /// Whether the query adds rows to the destination.
    var addsRows = false
    /// The expression over the same row that computes the new value; nil for other values.
    var expression: SQLRowExpression?
    /// The number of columns of the expression that have been dropped: it cannot be computed again then.
    var droppedCount = 0
    /// Whether several of them are dropped by the end of the file.
    var isCombined = false
    /// Whether no other expression keeps values of the source.
    var isSole = false
    /// Whether the result must lead back to each value, and not only differ for different ones: the move is one of an earlier file,
    /// or within a table that another one replaces.
    var mustLeadBack = false
    /// Whether the destination is a column of the same table that the migration has added.
    var isAdded = false
    /// Whether the source or the destination has been dropped.
    var isGone = false
    /// Whether the destination has been dropped, with or without the source.
    var isDestinationGone = false
    /// The columns that an UPDATE changes in the destination of a move of all columns.
    var changed: Set<String> = []
    /// The index of the last statement that empties a column of the destination; of all columns for the empty name.
    var emptied: [String: Int] = [:]

    /// Whether the values come from another column of the same table.
    var isWithinTable: Bool { source.table == destination && !addsRows }

    /// Whether the destination of a column is emptied after a statement.
    func isEmptied(after statement: Int, _ column: String) -> Bool {
      let name: String? =
        switch place {
        case .named(let name): name
        case .same: column
        case .position, .any: nil
        }
      return emptied.contains { $1 > statement && ($0.isEmpty || name == nil || $0 == name) }
    }
  }

  /// An UPDATE of a column.
  struct Assignment {
    /// Whether the new value is computed from the column itself.
    let readsItself: Bool
    /// Whether only rows without a value change.
    let isOfEmpty: Bool
    let isOfAllRows: Bool
    /// Whether rows may have no value afterwards.
    let empties: Bool
  }

  /// The numbers of the tables, by their current names.
  private(set) var tables: [ValueKeeper.Table: Int] = [:]
  /// All names that each table has had; none for a temporary one, which does not replace others.
  private(set) var names: [Set<String>] = []
  /// The tables that the last file has created.
  private(set) var own: Set<Int> = []
  /// The tables that earlier files of the run have created.
  private(set) var new: Set<Int> = []
  /// The columns of these tables, in order, as far as they are known.
  private(set) var columns: [Int: [String]] = [:]
  /// The temporary tables that the last file has created, with the indexes of the statements.
  private(set) var temporary: [Int: Int] = [:]
  /// The columns that the last file has added to tables, and those that pending ones before it have added and not filled.
  private(set) var ownColumns: Set<Column> = []
  private(set) var moves: [Move] = []
  /// The columns in which earlier files have stored values of others.
  private(set) var filled: Set<Column> = []
  /// The columns from which values of the same row are computed, by the names that they have then.
  private(set) var computed: Set<Column> = []
  /// The tables that a statement reads together with each column to write into another one.
  private(set) var partners: [Column: Set<Int>] = [:]
  /// The numbers of statements that add rows to each table.
  private(set) var insertions: [Int: Int] = [:]
  private(set) var queryCount = 0
  /// The number of queries of earlier files.
  private(set) var earlierQueryCount = 0
  /// The places that keep values of dropped columns, by table.
  private(set) var kept: [Int: Set<ValueKeeper.Place>] = [:]
  /// The places that keep values of columns which the file empties: from the next file on, they are asked about when they are
  /// dropped.
  private var keptOfEmptied: [Int: Set<ValueKeeper.Place>] = [:]

  /// The current names of the tables.
  var currentNames: [Int: ValueKeeper.Table] { Dictionary(tables.map { ($1, $0) }) { first, _ in first } }

  /// Removes the current name of a table, and returns it.
  @discardableResult
  private mutating func removeName(of table: Int) -> ValueKeeper.Table? {
    let name = tables.first { $0.value == table }?.key
    if let name { tables[name] = nil }
    return name
  }

  // MARK: Files

  /// Begins another file.
  ///
  /// The values may have changed since the earlier files ran: of these, only the places count where equal values are, or those
  /// that an expression computes from the other values of the row.
  mutating func beginFile() {
    tables = tables.filter { !$0.key.isTemporary }
    let current = currentNames
    names = names.indices.map { current[$0].map { $0.isTemporary ? [] : [$0.name] } ?? [] }
    (own, temporary, computed, insertions) = ([], [:], [], [:])
    for move in moves {
      if case .named(let name) = move.place { filled.insert(Column(table: move.destination, name: name)) }
    }
    ownColumns.subtract(filled)
    kept.merge(keptOfEmptied) { $0.union($1) }
    keptOfEmptied = [:]
    earlierQueryCount = queryCount
    moves = moves.filter {
      !$0.isGone && current[$0.source.table] != nil && current[$0.destination] != nil
        && ($0.isCopy || $0.isWithinTable && $0.expression != nil && $0.droppedCount == 0)
    }.map {
      Move(
        source: $0.source, destination: $0.destination, place: $0.place, query: $0.query, isCopy: $0.isCopy,
        addsRows: $0.addsRows, expression: $0.isWithinTable ? $0.expression : nil, mustLeadBack: true)
    }
  }

  /// The names of the tables that earlier files of the run have created and that keep values of dropped columns.
  var holders: Set<String> {
    Set(currentNames.filter { new.contains($0.key) && kept[$0.key]?.isEmpty == false }.map(\.value.name))
  }

  /// The temporary tables of the file that are left, with the indexes of the statements that have created them.
  var remainingTemporary: [Int: Int] { temporary.filter { tables.values.contains($0.key) } }

  /// Ends a file.
  ///
  /// - Parameter isPending: Whether the run applies the migration, so that no old values are in the tables that it creates.
  mutating func endFile(isPending: Bool) { if isPending { new.formUnion(own) } else { ownColumns = [] } }

  /// Whether a table has taken the name of another one.
  func replaces(_ table: Int, _ old: Int) -> Bool {
    // A rollback to a savepoint forgets tables.
    table != old && max(table, old) < names.count && !names[table].isDisjoint(with: names[old])
  }

  // MARK: Definitions

  /// Returns whether a statement creates a table that is there, with IF NOT EXISTS: it does nothing.
  func hasTable(ofCreation statement: SQLStatementSummary) -> Bool {
    guard case .createTable(let name) = statement.tableEffect else { return false }
    let table = ValueKeeper.Table(name.asciiLowercased, isTemporary: statement.temporaryEffect != .none)
    // A name without columns may be that of a common table.
    return tables[table].map { columns[$0] != nil } ?? false
  }

  /// Follows the effect of a statement on a table and its columns.
  mutating func follow(_ statement: SQLStatementSummary, at index: Int) {
    let isTemporary = statement.temporaryEffect != .none
    let effect = statement.tableEffect
    if case .createTable(let name) = effect {
      let table = newTable(ValueKeeper.Table(name.asciiLowercased, isTemporary: isTemporary))
      own.insert(table)
      if isTemporary { temporary[table] = index }
      return
    }
    guard let table = table(of: statement) else { return }
    switch effect {
    case .renameTable(_, let newName):
      let isTemporary = removeName(of: table)?.isTemporary ?? false
      tables[ValueKeeper.Table(newName.asciiLowercased, isTemporary: isTemporary)] = table
      if !isTemporary { names[table].insert(newName.asciiLowercased) }
    case .renameColumn(_, let column, let newName):
      rename(Column(table: table, name: column.asciiLowercased), to: newName.asciiLowercased)
    case .addColumn(_, let column):
      ownColumns.insert(Column(table: table, name: column.asciiLowercased))
      columns[table]?.append(column.asciiLowercased)
    case .dropColumn(_, let column): drop(Column(table: table, name: column.asciiLowercased))
    case .dropTable:
      drop(Column(table: table, name: nil))
      removeName(of: table)
    default: break
    }
  }

  /// Returns the table on which a statement has an effect; nil if there is none, or if the statement creates it.
  mutating func table(of statement: SQLStatementSummary) -> Int? {
    let isTemporary = statement.temporaryEffect != .none
    let schema = isTemporary ? "temp" : statement.namesMainSchema ? "main" : nil
    return statement.tableEffect.table.map { number(of: $0.asciiLowercased, in: schema) }
  }

  private mutating func newTable(_ table: ValueKeeper.Table) -> Int {
    names.append(table.isTemporary ? [] : [table.name])
    tables[table] = names.count - 1
    return names.count - 1
  }

  /// Returns the table of a name.
  mutating func number(of table: SQLQualifiedName) -> Int { number(of: table.name.folded, in: table.schema?.folded) }

  /// Returns the table of a name: without a schema, a temporary one comes first.
  mutating func number(of name: String, in schema: String?) -> Int {
    let places = (schema.map { [$0 == "temp"] } ?? [true, false]).map { ValueKeeper.Table(name, isTemporary: $0) }
    let known = places.lazy.compactMap { [tables] in tables[$0] }.first
    return known ?? newTable(ValueKeeper.Table(name, isTemporary: schema == "temp"))
  }

  /// Sets the columns of a new table.
  mutating func define(_ table: Int, columns: [String]) { self.columns[table] = columns }

  private mutating func drop(_ column: Column) {
    let isOwn = own.contains(column.table) || ownColumns.contains(column)
    for place in moves.indices {
      let move = moves[place]
      if move.source.table == column.table, column.name == nil || (move.source.name ?? column.name) == column.name {
        // All columns of an old table are dropped with it.
        let keeper = move.place == .same ? column.name.map { .named($0) } ?? .any : move.place
        if !isOwn && !new.contains(column.table) || kept[column.table]?.isEmpty == false {
          kept[move.destination, default: []].insert(keeper)
        }
      }
      guard let name = column.name else { continue }
      if move.source.table == column.table, let expression = move.expression, expression.columns.contains(name) {
        moves[place].expression = expression.replacing(name, with: SQLRowExpression(text: "NULL"))
        moves[place].droppedCount += 1
      }
      // A later column may have the same name.
      let isDestination = move.destination == column.table && move.place == .named(name)
      if isDestination { moves[place].isDestinationGone = true }
      if move.source == column || isDestination { moves[place].isGone = true }
      noteChange(of: column.table, place)
    }
    guard let name = column.name else { return }
    columns[column.table]?.removeAll { $0 == name }
    ownColumns.remove(column)
    kept[column.table]?.remove(.named(name))
  }

  // MARK: Rows

  /// Begins a SELECT or UPDATE that moves values.
  mutating func beginQuery() { queryCount += 1 }

  /// Notes that a statement adds rows to a table, whose columns need not have equal values as those before.
  mutating func noteInsertion(into table: Int) {
    insertions[table, default: 0] += 1
    for place in moves.indices where moves[place].source.table == table {
      if moves[place].destination == table { moves[place].isOfOneTable = false }
    }
  }

  /// Notes that rows that were copied may no longer be those that the number of rows counts.
  mutating func endCounting() { for place in moves.indices { moves[place].isOfOneTable = false } }

  /// Notes that a DELETE removes rows of a table, which it may have received from others.
  mutating func noteDeletion(from table: Int, at index: Int) {
    for place in moves.indices where moves[place].destination == table {
      let source = moves[place].source.table
      // The rows of the table itself are counted.
      if source != table, !replaces(table, source) { moves[place].emptied[""] = index }
    }
  }

  /// Notes the tables that a statement reads together with a column.
  mutating func notePartners(_ tables: [Int], of column: Column) { partners[column, default: []].formUnion(tables) }

  /// Notes that values of the same row are computed from a column.
  mutating func noteComputation(from column: Column) { computed.insert(column) }

  /// Notes that an UPDATE overwrites a column.
  ///
  /// - Parameter value: Returns the expression over the old row that computes the new value; nil if there is none.
  mutating func overwrite(
    _ column: String, of table: Int, by assignment: Assignment, at index: Int, value: () -> SQLRowExpression?
  ) {
    for place in moves.indices where moves[place].destination == table {
      if case .named(let name) = moves[place].place, name != column { continue }
      if case .same = moves[place].place, moves[place].source.name == nil {
        moves[place].changed.insert(column)
      } else {
        (moves[place].isPlain, moves[place].isOfOneTable) = (false, false)
      }
      // A new table has another value then than the expression.
      let isFromOther = moves[place].source.table != table
      if assignment.readsItself || isFromOther && !assignment.isOfEmpty {
        let value = isFromOther || !assignment.isOfAllRows ? nil : value()
        moves[place].expression = moves[place].expression.flatMap { value?.replacing(column, with: $0) }
      }
      if assignment.empties { moves[place].emptied[column] = index }
    }
    for place in moves.indices
    where moves[place].source.table == table && (moves[place].source.name ?? column) == column {
      let move = moves[place]
      if move.source.name != nil, move.destination == table { moves[place].isOfOneTable = false }
      let isNew =
        new.contains(move.destination) || own.contains(move.destination)
        || ownColumns.contains { $0.table == move.destination && move.place == .named($0.name ?? "") }
      if assignment.empties, !move.isGone, isNew {
        keptOfEmptied[move.destination, default: []].insert(move.place == .same ? .named(column) : move.place)
      }
    }
  }

  /// Notes that a column gets values of others by the last query: it no longer has those that went elsewhere.
  mutating func endMoves(from column: Column) {
    for place in moves.indices where moves[place].query == queryCount && moves[place].source == column {
      moves[place].isGone = true
    }
  }

  /// Adds a move, and those by which values have come to its source.
  mutating func add(_ move: Move) {
    for earlier in moves.count > Self.mostMoves.followed ? [] : moves
    where earlier.destination == move.source.table && earlier.isCopy && !earlier.isGone {
      var whole = move
      whole.source = earlier.source
      (whole.isPlain, whole.isCopy, whole.expression) = (false, move.isCopy, nil)
      // Values that a table takes from its own rows do not come back from others.
      whole.addsRows = move.addsRows && move.source.table != move.destination
      switch (earlier.place, move.source.name) {
      case (.named(let name), nil): if whole.place == .same { whole.place = .named(name) }
      case (.named(let name), let source?): if name != source { continue }
      case (.same, let source?):
        if let column = earlier.source.name, column != source { continue }
        whole.source.name = source
      default: break
      }
      append(whole)
    }
    append(move)
  }

  /// Adds a move that differs from all others in more than the statement.
  private mutating func append(_ move: Move) {
    guard moves.count < Self.mostMoves.known else { return }
    let isKnown = moves.contains { known in
      var known = known
      known.query = move.query
      return known == move
    }
    if !isKnown { moves.append(move) }
  }

  private mutating func rename(_ column: Column, to newName: String) {
    let old = column.name
    for place in moves.indices {
      if moves[place].source == column { moves[place].source.name = newName }
      if moves[place].destination == column.table, moves[place].place == old.map({ .named($0) }) {
        moves[place].place = .named(newName)
      }
      noteChange(of: column.table, place)
      guard moves[place].source.table == column.table, let old else { continue }
      let new = SQLRowExpression(column: newName)
      moves[place].expression = moves[place].expression?.replacing(old, with: new)
    }
    let new = Column(table: column.table, name: newName)
    if ownColumns.remove(column) != nil { ownColumns.insert(new) }
    if filled.remove(column) != nil { filled.insert(new) }
    partners[new] = partners.removeValue(forKey: column)
    columns[column.table] = columns[column.table]?.map { $0 == old ? newName : $0 }
    if let old, kept[column.table]?.remove(.named(old)) != nil {
      kept[column.table]?.insert(.named(newName))
    }
  }

  /// Notes that the columns of a table have changed since a move: only those with a name are still known.
  private mutating func noteChange(of table: Int, _ place: Int) {
    guard moves[place].destination == table else { return }
    if case .named = moves[place].place { return }
    moves[place].isPlain = false
  }
}
