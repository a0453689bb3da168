internal import Migrator
internal import SQLSyntax

struct ColumnRenamePlan: SchemaPlan {
  private(set) var steps: [SchemaStep] = []
  private(set) var catalog: SchemaCatalog

  private let name: String
  private let newName: String
  private let table: String
  private let dependents: Dependents

  init(
    _ name: String, to newName: String, of table: String, _ catalog: SchemaCatalog
  ) throws(DatabaseError) {
    self.name = name
    self.newName = newName
    self.table = table
    self.catalog = catalog
    dependents = Dependents(on: table.asciiLowercased, in: catalog)
    if let virtual = dependents.virtualTables(naming: name.asciiLowercased).first {
      // The engine's RENAME COLUMN would leave the old name in the virtual table.
      throw connection.refusal(
        "\(virtual.description) reads \"\(name)\" of \"\(table)\" by that name",
        remedy: "Drop the virtual table, rename the column, and create the virtual table again.")
    }
    guard connection.engine.abilities.contains(.renameColumn) else {
      rewrite(try rewriting().edits)
      return
    }
    if let editable = try? catalog.editableTable(table) { _ = try catalog.column(name, of: editable) }
    let rewriting = try DatabaseError.ifPossible { () throws(DatabaseError) in try self.rewriting() }
    // The engine renames the column inside a view but not in statements that use the view's column, and then fails. Since
    // SQLite 3.54, it renames no column that hides the rowid.
    if let rewriting, rewriting.isDerived || SQLIdentifier.rowIDNames.contains(name.asciiLowercased) {
      rewrite(rewriting.edits)
    } else {
      let (old, new) = (name.quotedIdentifier, newName.quotedIdentifier)
      steps.append(.statement("ALTER TABLE \(catalog.target(table)) RENAME COLUMN \(old) TO \(new)"))
      // Only later steps depend on the texts that the engine writes.
      if let rewriting { self.catalog.apply(rewriting.edits) } else { self.catalog.markStale() }
    }
  }

  /// Renames the column by editing the stored definitions, with the same result as `RENAME COLUMN` since SQLite 3.25.
  private mutating func rewrite(_ edits: [SchemaCatalog.Edit]) {
    let temporary = edits.filter { $0.object.isTemporary }
    let kept = edits.filter { !$0.object.isTemporary }
    steps += SchemaStep.dropping(temporary: temporary)
    steps.append(.edit(kept))
    catalog.apply(kept)
    steps += SchemaStep.creating(temporary: temporary, in: catalog)
    // This query makes the engine read the schema, and fails unless the column has its new name: SQLite never reads a
    // qualified name as a string.
    let (table, column) = (table.quotedIdentifier, newName.quotedIdentifier)
    steps.append(.statement("SELECT \(table).\(column) FROM \(catalog.schema.prefix).\(table) LIMIT 0"))
  }

  /// Returns the definitions that use the column, each with its new text, and whether one uses it through a view or a
  /// subquery; throws `unsupported` if the meaning of a name is uncertain.
  private func rewriting() throws(DatabaseError) -> (edits: [SchemaCatalog.Edit], isDerived: Bool) {
    let editable = try catalog.editableTable(table)
    let (folded, newFolded) = (name.asciiLowercased, newName.asciiLowercased)
    _ = try catalog.column(name, of: editable)
    if folded != newFolded, editable.text.column(named: newFolded) != nil {
      throw connection.refusal(
        "duplicate column name: \(newName) in table \"\(table)\"", remedy: "Choose another name.",
        condition: .statement)
    }
    guard !SQLIdentifier.rowIDNames.contains(newFolded) else {
      throw connection.refusal("a column named \"\(newName)\" would hide the rowid", remedy: "Choose another name.")
    }
    let rename = ColumnRename(
      column: folded, newColumn: newFolded, table: table.asciiLowercased, newName: newName.quotedIdentifier)
    var edits: [SchemaCatalog.Edit] = []
    var isDerived = false
    for object in catalog.objects where object.kind == .table || object.kind == .index {
      guard !object.isTemporary, !object.isVirtual, let sql = object.sql else { continue }
      let isAffected = object.tableName.asciiLowercased == rename.table
      do throws(SQLUncertainName) {
        let text =
          switch (object.kind, isAffected) {
          case (.index, true): try rename.index(sql)
          case (.table, true): try rename.ownTable(sql)
          case (.table, false): try rename.otherTable(sql)
          default: String?.none
          }
        if let text { edits.append((object, text)) }
      } catch {
        throw uncertainty(object)
      }
    }
    let relations = try catalog.relations()
    for dependent in dependents.viewsAndTriggers {
      // The meaning of a name in a temporary object depends on the content of the other schemas.
      if !catalog.schema.isMain, dependent.object.isTemporary || catalog.schema.isTemporary {
        throw uncertainty(dependent.object)
      }
      guard let tree = try? SQLTree(dependent.source) else { throw uncertainty(dependent.object) }
      do throws(SQLUncertainName) {
        let uses = try SQLColumnResolver.uses(
          in: tree, relations: relations, table: rename.table, column: rename.column, newColumn: rename.newColumn)
        guard !uses.tokens.isEmpty else { continue }
        edits.append((dependent.object, tree.source.replacing(uses.tokens, with: rename.newName)))
        isDerived = isDerived || uses.isDerived
      } catch {
        throw uncertainty(dependent.object, at: error.token.flatMap { tree.source.token($0) })
      }
    }
    return (edits, isDerived)
  }

  private func uncertainty(_ object: SchemaCatalog.Object, at token: SQLSource.Token? = nil) -> DatabaseError {
    let column = name.asciiLowercased
    let place = token.map { "\($0.text) at byte \($0.range.lowerBound) of " } ?? "\"\(column)\" in "
    return connection.refusal(
      "\(connection.versionText) has no RENAME COLUMN, and it is uncertain whether \(place)\(object.description)"
        + " refers to the column \"\(column)\" to rename",
      remedy: "Drop the \(object.kind.rawValue), rename the column, and create the \(object.kind.rawValue) again.")
  }
}

/// The renaming of a column in stored definitions; the functions return nil for a definition that does not use the
/// column.
struct ColumnRename {
  /// The old and the new name of the column, and the name of its table, all in lower case.
  let column, newColumn, table: String
  let newName: String

  func ownTable(_ sql: String) throws(SQLUncertainName) -> String? {
    guard let text = TableText(sql) else { throw SQLUncertainName(token: nil) }
    return try renamed(text.source) { ColumnUses(of: $0, in: text) }
  }

  /// Returns the changed definition of another table, whose foreign keys may refer to the column.
  func otherTable(_ sql: String) throws(SQLUncertainName) -> String? {
    guard let text = TableText(sql) else {
      let words = Set(SQLSource(sql).tokens.map(\.folded))
      if words.contains(table), words.contains(column) { throw SQLUncertainName(token: nil) }
      return nil
    }
    let names = text.table.foreignKeys.map(\.clause).filter { $0.table.folded == table }.flatMap(\.columns)
    return try renamed(text.source, tokens: names.filter { $0.folded == column }.map(\.token))
  }

  /// Returns the changed definition of an index on the table (https://www.sqlite.org/lang_createindex.html).
  func index(_ sql: String) throws(SQLUncertainName) -> String? {
    guard let syntax = try? SQLTree(parsing: sql), case .createIndex = syntax.statement else {
      throw SQLUncertainName(token: nil)
    }
    return try renamed(syntax.source) { ColumnUses(of: $0, table: table, in: syntax) }
  }

  private func renamed(_ source: SQLSource, uses: (String) -> ColumnUses) throws(SQLUncertainName) -> String? {
    // A string in double quotes that equals the new name would become a reference to the column
    // (https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted).
    let captured = column == newColumn ? nil : uses(newColumn)
    let found = uses(column)
    guard !found.isUncertain, captured?.isUncertain != true, captured?.tokens.isEmpty != false else {
      throw SQLUncertainName(token: nil)
    }
    return try renamed(source, tokens: Array(found.tokens.keys))
  }

  private func renamed(_ source: SQLSource, tokens: [Int]) throws(SQLUncertainName) -> String? {
    guard source.isWellFormed else { throw SQLUncertainName(token: nil) }
    return tokens.isEmpty ? nil : source.replacing(tokens, with: newName)
  }
}
