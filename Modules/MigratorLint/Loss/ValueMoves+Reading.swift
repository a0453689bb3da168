internal import Migrator
internal import SQLSyntax

/// The reading of the statements that write into tables.
extension ValueMoves {
  /// Adds the values that an UPDATE stores in other columns, and notes those that it overwrites.
  mutating func read(_ update: SQLRowChange, _ names: SQLNames, at index: Int) {
    let table = number(of: update.table)
    noteAssignments(of: update, to: table, names.source, at: index)
    beginQuery()
    let uses = names.uses.filter { $0.role == .column }
    for use in uses {
      let assignments = update.assignments.filter { $0.value.tokens.contains(use.name.token) }
      for source in tables(of: use, names) {
        // A value of the same row may depend on the column by a condition alone.
        let isCondition =
          assignments.isEmpty && source == table && names.source.mayCompareForEquality(use.name.token)
          && !uses.contains { other in
            other.name.folded == use.name.folded
              && update.assignments.contains { $0.value.tokens.contains(other.name.token) }
          }
        let source = Column(table: source, name: use.name.folded)
        for assignment in isCondition ? update.assignments : assignments {
          for column in assignment.columns.map(\.folded) where source != Column(table: table, name: column) {
            read(assignment, to: column, from: source, use, of: update, names, isCondition: isCondition)
          }
        }
      }
    }
    // A column that gets values of others at the same time no longer has those that went elsewhere.
    for assignment in update.assignments where !assignment.value.references.isEmpty {
      for column in assignment.columns.map(\.folded) where !assignment.reads(column) {
        endMoves(from: Column(table: table, name: column))
      }
    }
  }

  /// Adds the values that an assignment of an UPDATE stores in a column.
  ///
  /// - Parameters:
  ///   - use: The use of the column from which the values come.
  ///   - isCondition: Whether they follow from the condition of the UPDATE alone.
  private mutating func read(
    _ assignment: SQLAssignment, to column: String, from source: Column, _ use: SQLNameUse, of update: SQLRowChange,
    _ names: SQLNames, isCondition: Bool
  ) {
    let table = number(of: update.table)
    let isNested = use.scope.map { names.scopes[$0.scope].query != nil } ?? false
    var move = Move(
      source: source, destination: table, place: .named(column), query: queryCount,
      isCopy: !isCondition && (!isNested || use.place == .result)
        && Self.passes(use.tokens, in: assignment.value.tokens, names.source))
    let isNew = ownColumns.contains(Column(table: table, name: column))
    move.isAdded = source.table == table && (isNew || own.contains(table))
    defer { add(move) }
    guard source.table == table, !isNested, update.sources.isEmpty, !isCondition else { return }
    let readsItself = assignment.reads(column)
    if assignment.columns.count == 1, !readsItself {
      // An UPDATE has no aggregates: max(a, b) is of one row.
      move.expression = SQLRowExpression(assignment.value, in: names.source)
    }
    let isCopy = assignment.value.soleReference != nil && update.condition == nil
    if !isCopy { noteComputation(from: source) }
    // OR IGNORE may leave rows out, and what is assigned to the source is not copied.
    let first = (update.table.schema ?? update.table.name).token
    move.isOfOneTable =
      !readsItself && update.condition == nil && update.limits.isEmpty
      && names.source.token(first - 1)?.isWord("update") ?? false
      && !update.assignments.contains { $0.columns.contains { $0.folded == source.name } }
    move.isPlain = isCopy && move.isOfOneTable
  }

  /// Notes which columns an UPDATE overwrites.
  private mutating func noteAssignments(
    of update: SQLRowChange, to table: Int, _ source: SQLSource, at index: Int
  ) {
    for assignment in update.assignments {
      let isEmpty = source.isEmptyValue(assignment.value)
      for column in assignment.columns.map(\.folded) {
        let readsItself = assignment.reads(column)
        // SET a = NULL WHERE a = '' removes no value, and neither does SET a = 0 WHERE a IS NULL.
        let condition = update.condition.map { source.tokens[$0.tokens] }
        let isOfEmpty =
          condition.map {
            $0.count == 3 && $0.first?.folded == column && ["=", "==", "is"].contains($0.dropFirst().first?.folded)
              && ["''", "null"].contains($0.last?.folded)
          } ?? false
        let overwriting = Assignment(
          readsItself: readsItself, isOfEmpty: isOfEmpty, isOfAllRows: condition == nil,
          empties: isEmpty && !isOfEmpty || condition == nil && !readsItself)
        overwrite(column, of: table, by: overwriting, at: index) {
          SQLRowExpression(assignment.value, in: source)
        }
      }
    }
  }

  /// Adds the values that the queries of a statement store in a table.
  ///
  /// - Parameter listed: The listed columns of the table; empty if none are listed.
  mutating func readQueries(into table: Int, _ listed: [String], _ names: SQLNames) {
    for query in names.queries {
      let isStored: Bool
      var isDefinition = false
      switch query.purpose {
      case .insertion: isStored = true
      case .definition: (isStored, isDefinition) = (true, true)
      // The columns of these queries are not followed.
      case .source, .commonTable: isStored = false
      case .statement, .expression: continue
      }
      for (core, scope) in zip(query.select.cores, query.scopes) {
        beginQuery()
        let rows = names.scopes[scope].rows
        var move = Move(
          source: Column(table: -1, name: nil), destination: table, place: .same, query: queryCount, isCopy: true)
        (move.isPlain, move.addsRows) = (isStored, isStored)
        move.isOfOneTable = isStored && query.select.cores.count == 1 && rows.count == 1 && rows[0].isStored
        let isFiltered = core.isFiltered || !query.select.limit.isEmpty
        var hasStar = false
        for (position, result) in core.results.enumerated() {
          switch result {
          case .all:
            hasStar = true
            readRows(rows, move, isListed: !listed.isEmpty)
          case .allOf(let alias):
            hasStar = true
            readRows(rows.filter { $0.name == alias.folded }, move, isListed: !listed.isEmpty)
          case .expression(let expression, let alias):
            let name = isDefinition ? (alias ?? expression.soleReference?.column)?.folded : nil
            let known = listed.isEmpty ? columns[table] ?? [] : listed
            move.place =
              if !isStored {
                .same
              } else if let name {
                .named(name)
              } else {
                hasStar ? .any : known.indices.contains(position) ? .named(known[position]) : .position(position)
              }
            read(expression, move, rows, names, isFiltered: isFiltered)
          }
        }
      }
    }
  }

  /// Adds all values of some rows of a query, the result of a `*`.
  ///
  /// - Parameters:
  ///   - model: A move with the properties of the query.
  ///   - isListed: Whether the statement lists the columns of the destination.
  private mutating func readRows(_ rows: [SQLRows], _ model: Move, isListed: Bool) {
    for case .stored(let name) in rows.map(\.kind) {
      var move = model
      move.source = Column(table: number(of: name), name: nil)
      move.place = isListed ? .any : .same
      add(move)
    }
  }

  /// Adds the values that a result of a query computes.
  ///
  /// - Parameter model: A move with the properties of the query, and the place of the result.
  private mutating func read(
    _ expression: SQLExpression, _ model: Move, _ rows: [SQLRows], _ names: SQLNames, isFiltered: Bool
  ) {
    let stored = rows.map { number(of: $0) }
    for use in names.uses where use.role == .column && expression.tokens.contains(use.name.token) {
      let isNested = !expression.references.contains { $0.column.token == use.name.token }
      for source in tables(of: use, names) {
        var move = model
        move.source = Column(table: source, name: use.name.folded)
        // Each of several rows of the same table may be another one.
        move.isPlain =
          model.isPlain && expression.soleReference != nil && stored.count { $0 == source } <= 1
        move.isCopy =
          (!isNested || use.place == .result) && Self.passes(use.tokens, in: expression.tokens, names.source)
        let alias = rows.count == 1 ? nil : zip(rows, stored).first { $0.1 == source }?.0.name
        let isOfRow =
          stored.contains(source)
          && (rows.count == 1 || expression.references.allSatisfy { $0.table.map { $0.folded == alias } ?? true })
        // A join may read a row never, and another one often: whether all values of a copied column are there, the rows show.
        if isOfRow, isNested {
          move.expression = rows.count == 1 ? SQLRowExpression(text: names.source.text(of: expression.tokens)) : nil
        } else if isOfRow, rows.count == 1 || expression.soleReference == nil {
          move.expression = SQLRowExpression(expression, in: names.source, aggregates: Self.aggregates)
          if move.expression != nil, expression.soleReference == nil || isFiltered {
            noteComputation(from: move.source)
          }
        }
        add(move)
      }
    }
  }

  private static let aggregates: Set<String> = [
    "count", "sum", "total", "avg", "group_concat", "string_agg", "json_group_array", "json_group_object", "min", "max",
  ]

  /// The functions that return one of their arguments, at least for some rows; the empty name is that of a parenthesis.
  private static let selectors: Set<String> = [
    "", "coalesce", "ifnull", "nullif", "iif", "if", "min", "max", "cast", "trim", "lower", "upper", "select",
  ]

  /// Returns whether an expression may return the value of a column unchanged.
  private static func passes(_ use: Range<Int>, in expression: Range<Int>, _ source: SQLSource) -> Bool {
    var functions: [String] = []
    for index in expression.lowerBound..<use.lowerBound {
      let token = source.tokens[index]
      if token.isOperator("(") {
        let before = index > expression.lowerBound ? source.tokens[index - 1] : nil
        let isName = before.map { $0.kind == .word && !operators.contains($0.folded) } ?? false
        functions.append(isName ? before?.folded ?? "" : "")
      } else if token.isOperator(")") {
        _ = functions.popLast()
      }
    }
    let isBorder = { (index: Int, words: Set<String>, operators: [String]) in
      guard expression.contains(index) else { return true }
      let token = source.tokens[index]
      return words.contains(token.folded) || operators.contains { token.isOperator($0) }
    }
    return functions.allSatisfy(selectors.contains)
      && isBorder(use.lowerBound - 1, ["then", "else", "select", "distinct"], ["(", ","])
      && isBorder(use.upperBound, ["when", "else", "end", "as", "from", "collate"], [")", ","])
  }

  private static let operators: Set<String> = [
    "then", "else", "when", "case", "and", "or", "not", "in", "is", "like", "select", "exists", "distinct",
  ]

  /// Returns the tables that may contain the column to which a name refers.
  mutating func tables(of use: SQLNameUse, _ names: SQLNames) -> [Int] {
    let rows = names.chain(from: use.scope).flatMap(\.scope.rows)
    let candidates = use.qualifier.map { qualifier in rows.filter { $0.name == qualifier.folded } } ?? rows
    let stored = candidates.compactMap { number(of: $0) }
    // The rows of queries may come from any table of the statement.
    let isKnown = stored.count == candidates.count && !stored.isEmpty
    return Set(isKnown ? stored : names.tables.map { number(of: $0.asciiLowercased, in: nil) }).sorted()
  }

  /// Returns the table or view whose rows these are; nil for other rows.
  private mutating func number(of rows: SQLRows) -> Int? {
    if case .stored(let name) = rows.kind { number(of: name) } else { nil }
  }
}

extension SQLAssignment {
  /// Whether the new value is computed from a column.
  fileprivate func reads(_ column: String) -> Bool { value.references.contains { $0.column.folded == column } }
}

extension SQLSource {
  /// Whether a condition may compare a column with a value for equality; after other operators, such as IS NOT NULL, it is true
  /// for many values.
  fileprivate func mayCompareForEquality(_ column: Int) -> Bool {
    let operators: Set = ["<", "<=", ">", ">=", "<>", "!=", "like", "glob", "between", "not", "notnull", "isnull"]
    guard let next = token(column + 1)?.folded, !operators.contains(next) else { return token(column + 1) == nil }
    return next != "is" || !["null", "not"].contains(token(column + 2)?.folded)
  }
}

extension SQLRows {
  /// Whether the rows are those of a table or a view.
  fileprivate var isStored: Bool { if case .stored = kind { true } else { false } }
}
