internal import Migrator
internal import SQLSyntax

extension LintRule {
  static let implicitRowID: LintRule = LintRule(
    name: "implicit-rowid", summary: "dependence on row numbers that may change",
    details:
      "The rows of a table without INTEGER PRIMARY KEY get new numbers by VACUUM and by a rebuild. Found are full-text tables over "
      + "such a table's rows, views and triggers that use its numbers, INSERT that stores them, and foreign keys to them. "
      + "(https://www.sqlite.org/rowidtable.html)",
    beforeStatement: uses)

  @Sendable private static func uses(_ linted: LintedStatement, _ scene: LintScene) throws -> [LintFinding] {
    guard let syntax = linted.syntax else { return [] }
    let db = scene.db
    switch syntax.statement {
    case .createVirtualTable(let table):
      guard let content = FullTextContent(table, syntax.source), try db.hasImplicitRowIDs(content.table) else {
        return []
      }
      return [
        linted.finding(
          .implicitRowID, at: content.token,
          "\(table.name.name.value) finds rows by the numbers of \(content.table), which has no INTEGER PRIMARY KEY",
          remedy: "Give \(content.table) an INTEGER PRIMARY KEY, and name it with content_rowid.")
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
      try db.tableExists(table) && db.columns(in: table).contains { $0.name.asciiLowercased == column.folded }
    guard !isOrdinary else { return nil }
    return linted.finding(
      .implicitRowID, at: column.token, "a foreign key cannot refer to the row numbers of \(table)",
      remedy: "Give \(table) an INTEGER PRIMARY KEY, and refer to that.")
  }

  private static func uses(
    _ syntax: SQLTree, _ linted: LintedStatement, _ db: Database, where counts: (NameLookup, SQLNameUse) -> Bool
  ) throws -> [LintFinding] {
    var lookup = try NameLookup(syntax, db: db)
    return try lookup.references.compactMap { use in
      guard SQLIdentifier.rowIDNames.contains(use.name.folded), counts(lookup, use),
        let table = try lookup.rowTable(of: use), try db.hasImplicitRowIDs(table)
      else { return nil }
      return linted.finding(
        .implicitRowID, at: use.name.token,
        "\(linted.text(use.tokens)) is a number of a row of \(table), which has no INTEGER PRIMARY KEY",
        remedy: "Give \(table) an INTEGER PRIMARY KEY, and use that.")
    }
  }

  private static func vacuum(_ linted: LintedStatement, _ db: Database) throws -> [LintFinding] {
    try db.connection.schema().objects.filter(\.isVirtual).compactMap { object in
      guard let sql = object.sql, let syntax = try? SQLTree(parsing: sql),
        case .createVirtualTable(let table) = syntax.statement, let content = FullTextContent(table, syntax.source),
        try db.hasImplicitRowIDs(content.table)
      else { return nil }
      return linted.finding(
        .implicitRowID,
        "VACUUM may give the rows of \(content.table) other numbers, by which \(object.name) finds them",
        remedy: "Rebuild the full-text table afterwards: INSERT INTO \(object.name)(\(object.name)) VALUES ('rebuild')")
    }
  }
}

/// The table whose rows a full-text table indexes by their numbers (https://www.sqlite.org/fts5.html#external_content_tables).
private struct FullTextContent {
  let table: String
  let token: Int

  init?(_ virtual: SQLCreateVirtualTable, _ source: SQLSource) {
    guard ["fts4", "fts5"].contains(virtual.module.folded) else { return nil }
    let place = virtual.arguments.filter { $0.count >= 3 }.map(\.lowerBound).first { place in
      source.tokens[place].isWord("content") && source.tokens[place + 1].isOperator("=")
    }
    guard let place else { return nil }
    (table, token) = (SQLIdentifier.unquoted(source.tokens[place + 2].text), place + 2)
    // An empty name stands for a table that stores no text.
    if table.isEmpty { return nil }
  }
}

extension Database {
  /// Whether the rows of a table have numbers which no column holds (https://www.sqlite.org/lang_createtable.html#rowid).
  fileprivate func hasImplicitRowIDs(_ table: String) throws -> Bool {
    guard let sql = try connection.schema().object(.table, named: table)?.sql, let syntax = try? SQLTree(parsing: sql),
      case .createTable(let definition) = syntax.statement
    else { return false }
    return try !definition.isWithoutRowID && primaryKey(table)?.isRowID != true
  }
}
