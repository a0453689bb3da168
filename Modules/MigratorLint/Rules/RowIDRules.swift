internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

extension LintRule {
  /// Dependence on row numbers that VACUUM and rebuilds change.
  static let implicitRowID: LintRule = LintRule(
    name: "implicit-rowid", summary: "dependence on row numbers that may change",
    details:
      "The rows of a table without INTEGER PRIMARY KEY get new numbers by VACUUM and by a rebuild. Found are full-text tables over "
      + "such a table's rows, views and triggers that use its numbers, INSERT that stores them, and foreign keys to them. "
      + "(https://www.sqlite.org/rowidtable.html)",
    beforeStatement: uses)

  @Sendable private static func uses(_ linted: LintedStatement, _ scene: LintScene) throws -> [LintFinding] {
    let numbers = RowNumbers(db: scene.db)
    switch linted.syntax?.statement {
    case .createVirtualTable(let table):
      guard let content = FullTextContent(table, linted), try numbers.areImplicit(in: content.table) else { return [] }
      return [
        linted.finding(
          .implicitRowID, at: content.token,
          "\(table.name.name.value) finds rows by the numbers of \(content.table), which has no INTEGER PRIMARY KEY",
          remedy: "Give \(content.table) an INTEGER PRIMARY KEY, and name it with content_rowid.")
      ]
    case .createTable(let table):
      return try table.foreignKeys.compactMap { try foreignKey($0, linted, numbers) }
    case .alterTable(let alteration):
      guard case .addColumn(let column) = alteration.action else { return [] }
      return try column.foreignKeys.compactMap { try foreignKey($0, linted, numbers) }
    case .createView, .createTrigger:
      return try uses(linted, scene, numbers) { _, _ in true }
    case .data(.insert):
      return try uses(linted, scene, numbers) { lookup, use in lookup.isInserted(use) }
    case .other where linted.statement.kind == .vacuum:
      return try vacuum(linted, scene, numbers)
    default: return []
    }
  }

  private static func foreignKey(
    _ key: SQLForeignKeyClause, _ linted: LintedStatement, _ numbers: RowNumbers
  ) throws -> LintFinding? {
    guard let column = key.columns.first(where: { SQLIdentifier.rowIDNames.contains($0.folded) }),
      try !numbers.hasColumn(column.folded, in: key.table.value)
    else { return nil }
    return linted.finding(
      .implicitRowID, at: column.token, "a foreign key cannot refer to the row numbers of \(key.table.value)",
      remedy: "Give \(key.table.value) an INTEGER PRIMARY KEY, and refer to that.")
  }

  private static func uses(
    _ linted: LintedStatement, _ scene: LintScene, _ numbers: RowNumbers,
    where counts: (NameLookup, SQLNameUse) -> Bool
  ) throws -> [LintFinding] {
    guard let syntax = linted.syntax else { return [] }
    var lookup = try NameLookup(syntax, db: scene.db)
    return try lookup.references.compactMap { use in
      guard SQLIdentifier.rowIDNames.contains(use.name.folded), counts(lookup, use),
        let table = try lookup.rowTable(of: use),
        try numbers.areImplicit(in: table)
      else { return nil }
      return linted.finding(
        .implicitRowID, at: use.name.token,
        "\(linted.text(use.tokens)) is a number of a row of \(table), which has no INTEGER PRIMARY KEY",
        remedy: "Give \(table) an INTEGER PRIMARY KEY, and use that.")
    }
  }

  private static func vacuum(
    _ linted: LintedStatement, _ scene: LintScene, _ numbers: RowNumbers
  ) throws -> [LintFinding] {
    try scene.db.connection.schema().objects.filter(\.isVirtual).compactMap { object in
      guard let sql = object.sql, let syntax = try? SQLTree(parsing: sql),
        case .createVirtualTable(let table) = syntax.statement, let content = FullTextContent(table, syntax.source),
        try numbers.areImplicit(in: content.table)
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

  init?(_ virtual: SQLCreateVirtualTable, _ linted: LintedStatement) {
    guard let source = linted.syntax?.source else { return nil }
    self.init(virtual, source)
  }

  init?(_ virtual: SQLCreateVirtualTable, _ source: SQLSource) {
    guard ["fts4", "fts5"].contains(virtual.module.folded) else { return nil }
    for argument in virtual.arguments where argument.count >= 3 {
      let place = argument.lowerBound
      guard source.tokens[place].isWord("content"), source.tokens[place + 1].isOperator("=") else { continue }
      let name = SQLIdentifier.unquoted(source.tokens[place + 2].text)
      guard !name.isEmpty else { return nil }
      (table, token) = (name, place + 2)
      return
    }
    return nil
  }
}

/// Which tables number their rows without a column that holds the number.
struct RowNumbers {
  let db: Database

  func hasColumn(_ folded: String, in table: String) throws -> Bool {
    guard try db.tableExists(table, in: "main") else { return false }
    return try db.columns(in: table).contains { $0.name.asciiLowercased == folded }
  }

  /// Whether the rows of a table have numbers which no column holds (https://www.sqlite.org/lang_createtable.html#rowid).
  func areImplicit(in table: String) throws -> Bool {
    guard let object = try db.connection.schema().object(.table, named: table), !object.isVirtual, let sql = object.sql,
      let syntax = try? SQLTree(parsing: sql), case .createTable(let definition) = syntax.statement,
      definition.select == nil
    else { return false }
    return !definition.isWithoutRowID && definition.rowIDColumn(syntax.source) == nil
  }
}

extension SQLCreateTable {
  /// The column that is another name of the rows' numbers; nil when there is none.
  fileprivate func rowIDColumn(_ source: SQLSource) -> SQLColumnSyntax? {
    let integers = columns.filter { $0.type.count == 1 && source.tokens[$0.type.lowerBound].folded == "integer" }
    let declared = integers.first { column in
      column.constraints.contains { constraint in
        // INTEGER PRIMARY KEY DESC is an ordinary column, by an old error that stays.
        if case .primaryKey(isDescending: false, _, _) = constraint.kind { true } else { false }
      }
    }
    if let declared { return declared }
    for constraint in constraints {
      guard case .primaryKey(let key, _, _) = constraint.kind, key.count == 1, let name = key[0].column?.folded else {
        continue
      }
      return integers.first { $0.name.folded == name }
    }
    return nil
  }

  /// The foreign keys of columns and table.
  fileprivate var foreignKeys: [SQLForeignKeyClause] {
    columns.flatMap(\.foreignKeys)
      + constraints.compactMap { constraint in
        if case .foreignKey(_, let clause) = constraint.kind { clause } else { nil }
      }
  }
}

extension SQLColumnSyntax {
  /// The foreign keys of the column.
  fileprivate var foreignKeys: [SQLForeignKeyClause] {
    constraints.compactMap { constraint in
      if case .references(let clause) = constraint.kind { clause } else { nil }
    }
  }
}
