internal import Migrator
internal import SQLSyntax

extension LintRule {
  static let implicitRowID: LintRule = LintRule(
    name: "implicit-rowid", summary: "dependence on rowids that can change",
    details:
      "VACUUM or a rebuild can change the rowids of a table without an INTEGER PRIMARY KEY. The rule finds full-text tables over "
      + "such a table, views and triggers that use its rowids, INSERT statements that store them, and foreign keys to them. "
      + "(https://www.sqlite.org/rowidtable.html)",
    beforeStatement: uses)

  @Sendable private static func uses(_ linted: LintedStatement, _ scene: LintScene) throws -> [LintFinding] {
    guard let syntax = linted.syntax else { return [] }
    let db = scene.db
    switch syntax.statement {
    case .createVirtualTable(let table):
      guard let content = FullTextTable(table, syntax.source)?.contentPlace, try db.hasImplicitRowIDs(content.table)
      else {
        return []
      }
      return [
        linted.finding(
          .implicitRowID, at: content.token,
          "\"\(table.name.name.value)\" depends on the rowids of \"\(content.table)\", which has no INTEGER PRIMARY KEY",
          remedy: "Give \"\(content.table)\" an INTEGER PRIMARY KEY, and refer to it with content_rowid.")
      ]
    case .createTable(let table):
      return try table.foreignKeys.compactMap { try foreignKey($0.clause, linted, db) }
    case .alterTable(let alteration):
      guard case .addColumn(let column) = alteration.action else { return [] }
      return try column.foreignKeys.compactMap { try foreignKey($0.clause, linted, db) }
    case .createView, .createTrigger: return try uses(syntax, linted, db) { _, _ in true }
    case .data(.insert): return try uses(syntax, linted, db) { lookup, use in lookup.isInserted(use) }
    case .other where linted.statement.kind == .vacuum: return try vacuum(linted, db)
    default: return []
    }
  }

  private static func foreignKey(
    _ key: SQLForeignKeyClause, _ linted: LintedStatement, _ db: Database
  ) throws -> LintFinding? {
    let table = key.table.value
    guard let column = key.columns.first(where: { SQLIdentifier.rowIDNames.contains($0.folded) }) else { return nil }
    let isOrdinary =
      try db.relation(named: table)?.kind == .table
      && (db.connection.columns(in: table) ?? []).contains { $0.name.asciiLowercased == column.folded }
    guard !isOrdinary else { return nil }
    return linted.finding(
      .implicitRowID, at: column.token, "a foreign key cannot refer to the rowid of \"\(table)\"",
      remedy: "Give \"\(table)\" an INTEGER PRIMARY KEY, and refer to that.")
  }

  private static func uses(
    _ syntax: SQLTree, _ linted: LintedStatement, _ db: Database, where counts: (NameLookup, SQLNameUse) -> Bool
  ) throws -> [LintFinding] {
    guard linted.tokens.contains(where: { SQLIdentifier.rowIDNames.contains($0.folded) }) else { return [] }
    var lookup = try NameLookup(syntax, db: db)
    let uses = try lookup.references.compactMap { use -> (use: SQLNameUse, table: String)? in
      guard SQLIdentifier.rowIDNames.contains(use.name.folded), counts(lookup, use),
        let table = try lookup.rowTable(of: use), try db.hasImplicitRowIDs(table)
      else { return nil }
      return (use, table)
    }
    guard !uses.isEmpty else { return [] }
    // A table is one cause, which its full-text table has shown already.
    var shown = Set(try db.connection.schema().objects.filter(\.isVirtual).compactMap(contentTable))
    return uses.filter { shown.insert($0.table.asciiLowercased).inserted }.map { use, table in
      linted.finding(
        .implicitRowID, at: use.name.token,
        "\(linted.text(use.tokens)) can change: \"\(table)\" has no INTEGER PRIMARY KEY",
        remedy: "Give \"\(table)\" an INTEGER PRIMARY KEY, and use that.")
    }
  }

  private static func contentTable(_ object: SchemaObject) -> String? {
    FullTextTable(object)?.contentPlace?.table.asciiLowercased
  }

  private static func vacuum(_ linted: LintedStatement, _ db: Database) throws -> [LintFinding] {
    try db.connection.schema().objects.filter(\.isVirtual).compactMap { object in
      guard let content = FullTextTable(object)?.contentPlace, try db.hasImplicitRowIDs(content.table)
      else { return nil }
      let name = object.name.identifierForReading
      return linted.finding(
        .implicitRowID,
        "VACUUM can change the rowids of \"\(content.table)\", on which \"\(object.name)\" depends",
        remedy: "Rebuild the full-text table afterwards: INSERT INTO \(name)(\(name)) VALUES ('rebuild')")
    }
  }
}

extension Database {
  /// Returns whether the rows of a table have rowids, but no column is an alias of the rowid
  /// (https://www.sqlite.org/lang_createtable.html#rowid).
  fileprivate func hasImplicitRowIDs(_ table: String) throws -> Bool {
    guard let definition = try relation(named: table)?.definition else { return false }
    let key = try (connection.columns(in: table) ?? []).filter { $0.primaryKeyIndex > 0 }
    let isInteger = key.count == 1 && key[0].declaredType.asciiLowercased == "integer"
    // An alias of the rowid needs no index.
    return try !definition.isWithoutRowID
      && !(isInteger && !connection.indexes(on: table).contains { $0.origin == .primaryKey })
  }
}
