internal import Migrator
internal import SQLSyntax

/// The statements that declared the foreign keys, views and triggers of the current schema.
struct SchemaDeclarations {
  private struct Declaration {
    /// The child columns, in ASCII lower case.
    var columns: [String]
    let linted: LintedStatement
    let token: Int

    init(_ key: SQLForeignKeySyntax, _ linted: LintedStatement) {
      (columns, self.linted, token) = (key.columns.map(\.folded), linted, key.clause.tokens.lowerBound)
    }
  }

  private var byTable: [String: [Declaration]] = [:]
  /// The tables that statements have created.
  private var names = TableNames([])
  /// The names of those of these tables that statements have dropped, in ASCII lower case.
  private var dropped: Set<String> = []
  /// The statements that created views, triggers and tables, or added a column to a table, by the object's kind and its name
  /// in ASCII lower case.
  private var creators: [[String]: LintedStatement] = [:]
  /// The name of the migrator's history table, which exists in each database.
  let ledgerTable: String

  init(ledgerTable: String) { self.ledgerTable = ledgerTable }

  /// Notes that statements have broken objects, which is a finding of its own.
  mutating func noteBroken(_ objects: [SchemaObject]) { for object in objects { creators[Self.key(object)] = nil } }

  /// Returns the last statement that defined a view, trigger or table; nil if no file created it, or if a statement has broken it since.
  func creator(of object: SchemaObject) -> LintedStatement? { creators[Self.key(object)] }

  private static func key(_ object: SchemaObject) -> [String] { [object.kind.rawValue, object.name.asciiLowercased] }

  /// Returns whether a statement has dropped a table of that name.
  func hasDropped(_ table: String) -> Bool { dropped.contains(table.asciiLowercased) }

  /// Forgets the temporary tables, which end with their migration.
  mutating func endMigration() { names.restart() }

  /// Records the declarations, renames and drops of a statement that has run.
  mutating func note(_ linted: LintedStatement) {
    defer { names.follow(linted.summary) }
    guard let syntax = linted.syntax, !syntax.createsTemporary, !names.concernsTemporary(linted.summary) else { return }
    if let (kind, name) = syntax.created {
      // CREATE TABLE IF NOT EXISTS does nothing then.
      if kind == .table, names.created.contains(name.name.folded) { return }
      creators[[kind.rawValue, name.name.folded]] = linted
    }
    switch syntax.statement {
    case .createTable(let table): byTable[table.name.name.folded] = table.foreignKeys.map { Declaration($0, linted) }
    case .drop(let drop) where drop.kind == .table && names.created.contains(drop.name.name.folded):
      dropped.insert(drop.name.name.folded)
    case .alterTable(let alteration):
      let table = alteration.table.name.folded
      switch alteration.action {
      case .rename(let name):
        byTable[name.folded] = byTable.removeValue(forKey: table)
        creators[["table", name.folded]] = creators.removeValue(forKey: ["table", table])
      case .addColumn(let column):
        byTable[table, default: []] += column.foreignKeys.map { Declaration($0, linted) }
        creators[["table", table]] = linted
      case .renameColumn(let old, let new):
        for place in (byTable[table] ?? []).indices {
          byTable[table]?[place].columns.replace([old.folded], with: [new.folded])
        }
      default: break
      }
    default: break
    }
  }

  /// Returns a finding at the declaration of a foreign key; nil if no file created the table.
  func finding(
    _ rule: LintRule, _ table: String, _ columns: [String], _ reason: String, remedy: String
  ) -> LintFinding? {
    guard let declared = byTable[table.asciiLowercased], let last = declared.last else { return nil }
    let folded = columns.map(\.asciiLowercased)
    let place = declared.first { $0.columns == folded } ?? last
    return place.linted.finding(rule, at: place.token, reason, remedy: remedy)
  }
}
