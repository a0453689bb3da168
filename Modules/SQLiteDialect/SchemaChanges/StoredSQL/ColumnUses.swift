internal import Migrator
internal import SQLSyntax

/// The uses of a column in the definition of its table, or of an index of the table, whose expressions contain no
/// subqueries (https://www.sqlite.org/lang_createtable.html, https://www.sqlite.org/expridx.html).
struct ColumnUses {
  enum Use: Equatable {
    case name, primaryKey, unique, check, generated, foreignKey, ownForeignKey, foreignKeyToItself
  }

  /// The tokens that refer to the column, by index, each with the kind of use to which it belongs.
  private(set) var tokens: [Int: Use] = [:]
  /// The kinds of use in the column's own definition, such as UNIQUE.
  private(set) var own: Set<Use> = []
  private(set) var isUncertain = false

  /// Finds the uses in a table's definition; `column` is in lower case.
  init(of column: String, in text: TableText) {
    self.init(of: column, table: text.table.name.name.folded, in: text.syntax)
    guard let definition = text.column(named: column) else { return }
    for constraint in definition.constraints {
      switch constraint.kind {
      case .primaryKey: own.insert(.primaryKey)
      case .unique: own.insert(.unique)
      case .references: own.insert(.ownForeignKey)
      default: break
      }
    }
  }

  /// Finds the uses in the definition of the table or of an index of the table; `column` and `table` are in lower case.
  init(of column: String, table: String, in syntax: SQLTree) {
    let names = SQLNames(in: syntax)
    isUncertain = !names.queries.isEmpty
    for use in names.uses where use.name.folded == column {
      switch (use.role, use.place) {
      case (.column, _) where use.qualifier.map { $0.folded != table } ?? false: isUncertain = true
      case (.newColumn, _), (.column, .constraint(.check, column)): tokens[use.name.token] = .name
      case (.column, .constraint(let kind, _)), (.listedColumn, .constraint(let kind, _)):
        tokens[use.name.token] = Use(kind)
      case (.column, _), (.listedColumn, _): tokens[use.name.token] = .name
      case (.parentColumn, _) where use.qualifier?.folded == table: tokens[use.name.token] = .foreignKeyToItself
      default: break
      }
    }
  }
}

extension ColumnUses.Use {
  fileprivate init(_ constraint: SQLNameUse.Constraint) {
    self =
      switch constraint {
      case .primaryKey: .primaryKey
      case .unique: .unique
      case .check: .check
      case .generated: .generated
      case .foreignKey: .foreignKey
      }
  }
}
