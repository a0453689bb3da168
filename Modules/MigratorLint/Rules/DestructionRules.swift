internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

extension LintRule {
  /// DROP TABLE of a table that others refer to.
  static let dropReferencedTable: LintRule = LintRule(
    name: "drop-referenced-table", summary: "dropping a table that another table refers to",
    details:
      "With foreign keys on, DROP TABLE first deletes all rows, which fails or deletes the rows that refer to them. With foreign "
      + "keys off, a table that does not come back leaves keys behind that refer to nothing. "
      + "(https://www.sqlite.org/foreignkeys.html#fk_schemacommands)",
    beforeStatement: whileForeignKeysAreOn, afterMigration: whenGone)

  /// With foreign keys on, rows go first, and what refers to them with them.
  @Sendable private static func whileForeignKeysAreOn(
    _ linted: LintedStatement, _ scene: LintScene
  ) throws -> [LintFinding] {
    guard case .dropTable(let table) = linted.effect, !scene.destruction.isOwn(table),
      try scene.db.connection.enforcesForeignKeys()
    else { return [] }
    let children = try scene.tables(referringTo: table)
    guard !children.isEmpty else { return [] }
    return [
      linted.finding(
        .dropReferencedTable,
        "foreign keys are on, and \(listed(children)) \(children.count == 1 ? "refers" : "refer") to \(table): dropping it first "
          + "deletes all its rows, which fails or deletes the rows that refer to them",
        remedy: "Let the migration run with foreign keys deferred, which is the default.")
    ]
  }

  /// With foreign keys off, the keys of other tables stay and refer to nothing.
  @Sendable private static func whenGone(_ scene: LintScene) throws -> [LintFinding] {
    try scene.drops.compactMap { drop in
      guard try !scene.db.tableExists(drop.table, in: "main") else { return nil }
      let children = try scene.tables(referringTo: drop.table)
      guard !children.isEmpty else { return nil }
      return drop.linted.finding(
        .dropReferencedTable,
        "\(drop.table) is gone after the migration, and \(listed(children)) still \(children.count == 1 ? "refers" : "refer") to it",
        remedy:
          "Rebuild what refers to it without the foreign key. A table is rebuilt by making the new one, copying, dropping "
          + "the old one and renaming the new one, in this order.")
    }
  }
}

extension LintRule {
  /// What was there before the migration is removed or overwritten.
  static let destructive: LintRule = LintRule(
    name: "destructive", summary: "removing or overwriting what the database holds",
    details:
      "DROP TABLE, DROP COLUMN, a rebuild without some of the columns, and DELETE or UPDATE without WHERE, on tables that were "
      + "there before the migration.",
    afterMigration: { scene in
      try zip(scene.destruction.statements, scene.destroyers).compactMap { destruction, linted in
        switch destruction.effect {
        case .rebuildsTable(let table): try Self.lostColumns(of: table, linted, scene)
        case .updatesAllRows(let table) where Self.changesAddedColumnsOnly(linted, table, scene): nil
        default:
          linted.finding(
            .destructive, "the statement \(destruction.effect)",
            remedy: "If it is meant, say so before the statement: -- migrator: allow destructive REASON")
        }
      }
    })

  private static func lostColumns(
    of table: String, _ linted: LintedStatement, _ scene: LintScene
  ) throws -> LintFinding? {
    guard let sql = scene.before.object(.table, named: table)?.sql, let syntax = try? SQLTree(parsing: sql),
      case .createTable(let definition) = syntax.statement
    else { return nil }
    let now = Set(try scene.db.columns(in: table).map(\.name.asciiLowercased))
    let lost = definition.columns.map(\.name).filter { !now.contains($0.folded) }.map(\.value)
    guard !lost.isEmpty else { return nil }
    return linted.finding(
      .destructive, "the statement rebuilds table \"\(table)\" without \(listed(lost))",
      remedy: "If it is meant, say so before the statement: -- migrator: allow destructive REASON")
  }

  /// Filling a column that the migration added overwrites nothing.
  private static func changesAddedColumnsOnly(_ linted: LintedStatement, _ table: String, _ scene: LintScene) -> Bool {
    guard case .data(.update(let update))? = linted.syntax?.statement,
      let sql = scene.before.object(.table, named: table)?.sql, let syntax = try? SQLTree(parsing: sql),
      case .createTable(let definition) = syntax.statement
    else { return false }
    return update.assignments.flatMap(\.columns).allSatisfy { definition.column(named: $0.folded) == nil }
  }
}
