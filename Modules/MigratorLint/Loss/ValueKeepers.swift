package import SQLMigrations
internal import SQLSyntax

/// The expressions in which a migration is meant to keep the values of columns that one of its statements drops, alone or
/// with their table: the columns that an UPDATE computes from a dropped column, and the values that the copy of a dropped
/// table computes from its columns.
package struct ValueKeepers {
  /// The expressions over the rows of the table before the statement, by column in ASCII lower case; none for a column
  /// that is copied unchanged.
  package private(set) var expressions: [String: [String]] = [:]

  private let columns: Set<String>
  private let quotedTable: String
  /// The name of the table; it and ``newNames`` change while the statements are read from the last one to the first.
  private var table: String
  /// The names that columns have when they are dropped, by their earlier names.
  private var newNames: [String: String] = [:]
  /// The columns that are gone by then.
  private var gone: Set<String> = []
  private var unchanged: Set<String> = []
  /// The columns that are computed from dropped ones; the value is nil unless it is an expression over the same row.
  private var computed: [(column: String, keeper: String, value: String?)] = []
  /// The defaults of the columns that the migration adds, as SQL, by their last names.
  private var defaults: [String: String] = [:]

  /// Reads the statements of a migration before the one that drops the columns.
  package init(of columns: [String], in table: String, before end: Int, of file: MigrationFile) {
    self.columns = Set(columns.map(\.asciiLowercased))
    (quotedTable, self.table) = (table.quotedIdentifier, table.asciiLowercased)
    var dropsTable = false
    if case .dropTable = SQLStatementEffect(of: file.statements[end].text) { dropsTable = true }
    // Not those that a rollback undoes.
    var (done, savepoints) = ([SQLStatement](), SQLSavepoints<[SQLStatement]>())
    for statement in file.statements[..<end] where statement.text.utf8.count < 100_000 {
      done.append(statement)
      savepoints.follow(statement.kind, statement.text, &done)
    }
    for statement in done.reversed() {
      let effect = SQLStatementEffect(of: statement.text)
      if case .createTable(let created) = effect, created.asciiLowercased == self.table { break }
      follow(effect)
      guard statement.writesRows || statement.firstTokens(3).contains("table"),
        let syntax = try? SQLTree(parsing: statement.text)
      else { continue }
      if case .alterTable(let change) = syntax.statement { readDefault(change, syntax.source) }
      if dropsTable {
        readCopy(SQLNames(in: syntax))
      } else if case .data(.update(let update)) = syntax.statement, update.table.name.folded == self.table {
        readAssignments(update, SQLNames(in: syntax))
      }
    }
    for (column, keeper, value) in computed {
      let name = qualified(keeper)
      // A row that the UPDATE has left out has the default.
      let isKept = value.flatMap { value in
        defaults[keeper].map { "\(name) IS NOT (\($0)) OR \(name) IS (\(value))" }
      }
      add(isKept.map { "CASE WHEN \($0) THEN \(name) END" } ?? name, for: column)
    }
    for column in unchanged { expressions[column] = nil }
  }

  private mutating func follow(_ effect: SQLStatementEffect) {
    switch effect {
    case .renameTable(let old, let new) where new.asciiLowercased == table: table = old.asciiLowercased
    case .renameColumn(let changed, let old, let new) where changed.asciiLowercased == table:
      newNames[old.asciiLowercased] = newNames.removeValue(forKey: new.asciiLowercased) ?? new.asciiLowercased
    case .dropColumn(let changed, let column) where changed.asciiLowercased == table:
      gone.insert(column.asciiLowercased)
    default: break
    }
  }

  private func name(_ name: SQLName) -> String { newNames[name.folded] ?? name.folded }

  private func qualified(_ column: String) -> String { "\(quotedTable).\(column.quotedIdentifier)" }

  private mutating func add(_ expression: String, for column: String) {
    if expressions[column]?.contains(expression) != true { expressions[column, default: []].append(expression) }
  }

  private mutating func readDefault(_ change: SQLAlterTable, _ source: SQLSource) {
    guard change.table.name.folded == table, case .addColumn(let column) = change.action else { return }
    for case .defaultValue(let value) in column.constraints.map(\.kind) {
      defaults[name(column.name)] = source.text(of: value.tokens)
    }
  }

  /// Adds the columns that an UPDATE computes from the dropped ones.
  private mutating func readAssignments(_ update: SQLRowChange, _ names: SQLNames) {
    let assigned = update.assignments.flatMap(\.columns)
    let reads = names.uses.filter { use in
      use.role == .column && columns.contains(name(use.name)) && !assigned.contains { $0.token == use.name.token }
    }
    for column in Set(reads.map { name($0.name) }) {
      let values = update.assignments.filter { assignment in
        reads.contains { name($0.name) == column && assignment.value.tokens.contains($0.name.token) }
      }
      // A value may depend on the column by a condition alone.
      for assignment in values.isEmpty ? update.assignments : values {
        let isOfRow = !values.isEmpty && assignment.columns.count == 1 && update.sources.isEmpty
        let value = isOfRow ? text(of: assignment.value, names.source) : nil
        for keeper in assignment.columns where !gone.contains(keeper.folded) && name(keeper) != column {
          computed.append((column, name(keeper), value))
        }
      }
    }
  }

  /// Adds the values that a query computes from the columns of the table alone, if the statement stores them.
  private mutating func readCopy(_ names: SQLNames) {
    for query in names.queries {
      switch query.purpose {
      case .insertion, .definition: break
      default: continue
      }
      for (core, scope) in zip(query.select.cores, query.scopes) {
        let rows = names.scopes[scope].rows
        guard rows.contains(where: { $0.isStored(named: table) }) else { continue }
        let alias = rows.count == 1 ? nil : rows.first { $0.isStored(named: table) }?.name
        for result in core.results { read(result, names.source, alias) }
      }
    }
  }

  /// - Parameter alias: The name of the table in a join; nil without a join.
  private mutating func read(_ result: SQLResultColumn, _ source: SQLSource, _ alias: String?) {
    guard case .expression(let expression, _) = result else { return unchanged.formUnion(columns) }
    let read = Set(expression.references.map { name($0.column) }).intersection(columns)
    let isOfTable = alias == nil || expression.references.allSatisfy { $0.table?.folded == alias }
    guard expression.soleReference == nil, isOfTable, let text = text(of: expression, source) else {
      return unchanged.formUnion(read)
    }
    for column in read { add(text, for: column) }
  }

  /// Returns an expression over the rows of the table, with the last names; nil if its value does not follow from those of the
  /// row alone, or if a column is gone.
  private func text(of expression: SQLExpression, _ source: SQLSource) -> String? {
    let references = expression.references
    guard !source.tokens[expression.tokens].contains(where: { $0.isWord("select") }),
      !references.contains(where: { gone.contains($0.column.folded) })
    else { return nil }
    var (parts, index) = ([String](), expression.tokens.lowerBound)
    while index < expression.tokens.upperBound {
      let reference = references.first { $0.tokens.lowerBound == index }
      parts.append(reference.map { qualified(name($0.column)) } ?? source.tokens[index].text)
      index = reference?.tokens.upperBound ?? index + 1
    }
    return parts.joined(separator: " ")
  }
}

extension SQLRows {
  /// Whether the rows are those of a table of the main schema.
  fileprivate func isStored(named table: String) -> Bool {
    guard case .stored(let name) = kind else { return false }
    return name.name.folded == table && name.schema.map { $0.folded == "main" } ?? true
  }
}
