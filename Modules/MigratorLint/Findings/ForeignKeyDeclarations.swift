internal import Migrator
internal import SQLSyntax

/// Where the foreign keys of tables were declared last.
struct ForeignKeyDeclarations {
  private struct Declaration {
    /// The referring columns, in ASCII lower case.
    var columns: [String]
    var linted: LintedStatement
    var token: Int
  }

  private var byTable: [String: [Declaration]] = [:]

  /// Follows what a statement that ran declares, renames or drops.
  mutating func note(_ linted: LintedStatement) {
    switch linted.syntax?.statement {
    case .createTable(let table):
      let own = table.columns.flatMap { Self.declarations(of: $0, linted) }
      let others = table.constraints.compactMap { constraint -> Declaration? in
        guard case .foreignKey(let columns, let clause) = constraint.kind else { return nil }
        return Declaration(columns: columns.map(\.folded), linted: linted, token: clause.tokens.lowerBound)
      }
      byTable[table.name.name.folded] = own + others
    case .alterTable(let alteration): alter(alteration, linted)
    default: break
    }
  }

  /// A finding where a foreign key of a table was declared; nil for one of a table that no file made.
  func finding(_ table: String, _ columns: [String], _ reason: String, remedy: String) -> LintFinding? {
    guard let declared = byTable[table.asciiLowercased], let last = declared.last else { return nil }
    let folded = columns.map(\.asciiLowercased)
    let place = declared.first { $0.columns == folded } ?? last
    return place.linted.finding(.unindexedForeignKey, at: place.token, reason, remedy: remedy)
  }

  private mutating func alter(_ alteration: SQLAlterTable, _ linted: LintedStatement) {
    let table = alteration.table.name.folded
    switch alteration.action {
    case .rename(let name): byTable[name.folded] = byTable.removeValue(forKey: table)
    case .addColumn(let column): byTable[table, default: []] += Self.declarations(of: column, linted)
    case .renameColumn(let old, let new):
      byTable[table] = byTable[table]?.map { declaration in
        var declaration = declaration
        declaration.columns = declaration.columns.map { $0 == old.folded ? new.folded : $0 }
        return declaration
      }
    default: break
    }
  }

  private static func declarations(of column: SQLColumnSyntax, _ linted: LintedStatement) -> [Declaration] {
    column.constraints.compactMap { constraint in
      guard case .references(let clause) = constraint.kind else { return nil }
      return Declaration(columns: [column.name.folded], linted: linted, token: clause.tokens.lowerBound)
    }
  }
}
