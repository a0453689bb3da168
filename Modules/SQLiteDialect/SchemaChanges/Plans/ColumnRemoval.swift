internal import Migrator
internal import SQLSyntax

/// A check for whether a column can be removed, by the rules of the engine's own `DROP COLUMN`
/// (https://www.sqlite.org/lang_altertable.html#altertabdropcol).
struct ColumnRemoval {
  private let name: String
  private let table: String
  private let catalog: SchemaCatalog
  private let dependents: Dependents

  /// The names of the column and the table, in lower case.
  private let folded: (column: String, table: String)

  init(of name: String, from table: String, _ catalog: SchemaCatalog) {
    self.name = name
    self.table = table
    self.catalog = catalog
    folded = (name.asciiLowercased, table.asciiLowercased)
    dependents = Dependents(on: folded.table, in: catalog)
  }

  /// Throws if the engine's `DROP COLUMN` would succeed but leave uses of the column in other definitions.
  ///
  /// The engine checks that all names in other definitions still refer to something. But it reads a name in double
  /// quotes as a string if there is no such column
  /// (https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted), and resolves names after SET and
  /// in foreign keys only when they are used. Uncertain cases are left to the engine.
  func refuseUses() throws(DatabaseError) {
    try refuseVirtualTables()
    try refuseIndexes()
    guard let editable = try? catalog.editableTable(table) else { return }
    let relations = try catalog.relations()
    try refuseUses(in: editable.text)
    try refuseForeignKeys(to: editable)
    for dependent in dependents.viewsAndTriggers {
      guard let tree = try? SQLTree(dependent.source), let uses = try? self.uses(in: tree, relations), uses else {
        continue
      }
      throw inUse(by: dependent)
    }
  }

  /// Throws if a definition other than the table's uses the column, which a rebuild is about to remove.
  func refuseUsesOutside(of editable: SchemaCatalog.Table, exceptBy replaced: Set<String>) throws(DatabaseError) {
    try refuseVirtualTables()
    try refuseIndexes(exceptBy: replaced)
    try refuseForeignKeys(to: editable)
    let relations = try catalog.relations()
    for dependent in dependents.viewsAndTriggers where !isIndifferent(dependent, relations) {
      throw inUse(by: dependent)
    }
  }

  /// Whether removing the column is certain not to affect a view or trigger.
  private func isIndifferent(_ dependent: Dependents.Dependent, _ relations: SQLRelations) -> Bool {
    guard !PositionalUses.exist(in: dependent.source, of: dependents.affectedNames),
      let tree = try? SQLTree(dependent.source)
    else { return false }
    return (try? uses(in: tree, relations)) == false
  }

  private func uses(in tree: SQLTree, _ relations: SQLRelations) throws(SQLUncertainName) -> Bool {
    let uses = try SQLColumnResolver.uses(
      in: tree, relations: relations, table: folded.table, column: folded.column, newColumn: folded.column)
    return !uses.tokens.isEmpty
  }

  private func refuseVirtualTables() throws(DatabaseError) {
    guard let virtual = dependents.virtualTables(naming: folded.column).first else { return }
    throw inUse(by: virtual.description, remedy: "Drop the virtual table first.")
  }

  private func refuseIndexes(exceptBy replaced: Set<String> = []) throws(DatabaseError) {
    for object in catalog.indexes(on: folded.table) {
      guard !replaced.contains(object.name.asciiLowercased),
        let tree = object.sql.flatMap({ try? SQLTree(parsing: $0) }), case .createIndex = tree.statement
      else { continue }
      let uses = ColumnUses(of: folded.column, table: folded.table, in: tree)
      guard uses.tokens.isEmpty, !uses.isUncertain || catalog.connection.engine.abilities.contains(.dropColumn) else {
        throw inUse(
          by: object.description, remedy: "Drop the index first with drop(index: \"\(object.name)\").")
      }
    }
  }

  func refuseUses(in text: TableText) throws(DatabaseError) {
    guard let column = text.column(named: folded.column) else { return }
    let uses = ColumnUses(of: folded.column, in: text)
    let found = uses.own.union(uses.tokens.filter { !column.tokens.contains($0.key) }.values)
    let remedy = "Remove that use in an earlier step, such as drop(constraint:), or recreate the table."
    for (use, user) in Self.users where found.contains(use) { throw inUse(by: user, remedy: remedy) }
    if uses.isUncertain {
      throw inUse(by: "an ambiguous expression of the table", remedy: remedy)
    }
  }

  private static let users: [(ColumnUses.Use, String)] = [
    (.primaryKey, "the primary key"), (.unique, "a UNIQUE constraint"), (.check, "a CHECK constraint"),
    (.generated, "a generated column"), (.foreignKey, "a multi-column or table-level foreign key"),
    (.foreignKeyToItself, "a foreign key of the table to itself"),
  ]

  private func refuseForeignKeys(to editable: SchemaCatalog.Table) throws(DatabaseError) {
    let rename = ColumnRename(
      column: folded.column, newColumn: folded.column, table: editable.object.name.asciiLowercased, newName: "")
    for object in catalog.tables where object.name != editable.object.name {
      guard let sql = object.sql else { continue }
      do throws(SQLUncertainName) { if try rename.otherTable(sql) == nil { continue } } catch {}
      throw inUse(
        by: "a foreign key of \(object.description)", remedy: "Recreate that table without the foreign key first.")
    }
  }

  private func inUse(by dependent: Dependents.Dependent) -> DatabaseError {
    inUse(
      by: dependent.object.description,
      remedy: "Drop the \(dependent.object.kind.rawValue) first, and create it again afterwards.")
  }

  private func inUse(by user: String, remedy: String) -> DatabaseError {
    catalog.connection.refusal("cannot drop \"\(name)\" of \"\(table)\": it is used by \(user)", remedy: remedy)
  }
}

extension SchemaCatalog {
  /// Throws if a trigger or view uses the table's columns by position; called before the order of the columns changes,
  /// because the trigger or view would then read the wrong columns.
  func refuseUsesOfOrder(of table: String) throws(DatabaseError) {
    let dependents = Dependents(on: table.asciiLowercased, in: self)
    for dependent in dependents.viewsAndTriggers
    where PositionalUses.exist(in: dependent.source, of: dependents.affectedNames) {
      throw connection.refusal(
        "\(dependent.object.description) uses the columns of \"\(table)\" by position",
        remedy: "First recreate the \(dependent.object.kind.rawValue) with explicit column names.")
    }
  }
}
