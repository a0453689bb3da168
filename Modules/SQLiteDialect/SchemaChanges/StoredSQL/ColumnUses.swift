internal import Migrator
internal import SQLSyntax

/// The uses of a column in the definition of its table or of one of its indexes.
///
/// CHECK constraints, generated columns and indexes hold no subqueries (https://www.sqlite.org/lang_createtable.html,
/// https://www.sqlite.org/expridx.html), so that a column in them is one of the table.
struct ColumnUses {
  /// What part of a definition uses a column.
  enum Use: Hashable {
    case name, primaryKey, unique, check, generated, foreignKey, ownForeignKey, foreignKeyToItself
  }

  /// The tokens that mean the column, with the use that each is part of.
  private(set) var tokens: [Int: Use] = [:]

  /// The uses that the definition of the column itself makes, such as its own UNIQUE.
  private(set) var own: Set<Use> = []

  /// Whether a token was found of which the meaning is not certain.
  private(set) var isUncertain = false

  private let column: String
  private let table: String

  /// Finds the uses in a table's definition, the column's name given in lower case.
  init(of column: String, in text: TableText) {
    self.column = column
    table = text.table.name.name.folded
    for definition in text.table.columns { add(definition) }
    for constraint in text.table.constraints { add(constraint) }
  }

  /// Finds the uses in an index's definition, the names given in lower case.
  init(of column: String, table: String, in index: SQLCreateIndex) {
    self.column = column
    self.table = table
    add(index.columns, .name)
    if let condition = index.condition { add(condition, .name) }
  }

  private mutating func add(_ definition: SQLColumnSyntax) {
    let isOwn = definition.name.folded == column
    if isOwn { tokens[definition.name.token] = .name }
    for constraint in definition.constraints {
      switch constraint.kind {
      case .primaryKey where isOwn: own.insert(.primaryKey)
      case .unique where isOwn: own.insert(.unique)
      case .check(let expression, _): add(expression, isOwn ? .name : .check)
      case .generated(let expression, _): add(expression, .generated)
      case .references(let clause):
        if isOwn { own.insert(.ownForeignKey) }
        add(clause)
      default: break
      }
    }
  }

  private mutating func add(_ constraint: SQLTableConstraint) {
    switch constraint.kind {
    case .primaryKey(let columns, _, _): add(columns, .primaryKey)
    case .unique(let columns, _): add(columns, .unique)
    case .check(let expression, _): add(expression, .check)
    case .foreignKey(let columns, let clause):
      for name in columns where name.folded == column { tokens[name.token] = .foreignKey }
      add(clause)
    case .nothing: break
    }
  }

  private mutating func add(_ clause: SQLForeignKeyClause) {
    guard clause.table.folded == table else { return }
    for name in clause.columns where name.folded == column { tokens[name.token] = .foreignKeyToItself }
  }

  private mutating func add(_ columns: [SQLIndexedColumn], _ use: Use) {
    for indexed in columns {
      if let name = indexed.column {
        if name.folded == column { tokens[name.token] = use }
      } else {
        add(indexed.expression, use)
      }
    }
  }

  private mutating func add(_ expression: SQLExpression, _ use: Use) {
    isUncertain = isUncertain || !expression.subqueries.isEmpty
    for reference in expression.references where reference.column.folded == column {
      if let qualifier = reference.table, qualifier.folded != table {
        isUncertain = true
      } else {
        tokens[reference.column.token] = use
      }
    }
  }
}

extension TableText {
  /// The foreign keys, those of columns and those of the table.
  var foreignKeys: [SQLForeignKeyClause] {
    let ofColumns = table.columns.flatMap(\.constraints).compactMap { constraint in
      if case .references(let clause) = constraint.kind { clause } else { nil }
    }
    let ofTable = table.constraints.compactMap { constraint in
      if case .foreignKey(_, let clause) = constraint.kind { clause } else { nil }
    }
    return ofColumns + ofTable
  }
}
