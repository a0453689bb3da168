internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

extension LintRule {
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
        remedy:
          "Delete what switches foreign keys on in the file: they are then off while the migration runs, and checked "
          + "before it commits.")
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
    guard let definition = scene.definitionBefore(of: table) else { return nil }
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
      let definition = scene.definitionBefore(of: table)
    else { return false }
    return update.assignments.flatMap(\.columns).allSatisfy { definition.column(named: $0.folded) == nil }
  }
}

extension LintRule {
  static let lostObject: LintRule = LintRule(
    name: "lost-object", summary: "a rebuild that loses an index or a trigger",
    details:
      "DROP TABLE takes the indexes and triggers of its table along; a table of the same name does not have them. "
      + "(https://www.sqlite.org/lang_altertable.html#otheralter)",
    afterMigration: { scene in
      let now = try scene.db.connection.schema()
      return zip(scene.destruction.statements, scene.destroyers).flatMap { destruction, linted -> [LintFinding] in
        guard case .rebuildsTable(let table) = destruction.effect else { return [] }
        let lost = scene.before.objects.filter { object in
          // An index without SQL belongs to a constraint of the table itself.
          guard object.kind == .index && object.sql != nil || object.kind == .trigger else { return false }
          return object.tableName.asciiLowercased == table.asciiLowercased
            && now.object(object.kind, named: object.name) == nil
            && !scene.droppedObjects.contains(object.name.asciiLowercased)
        }
        return lost.map { object in
          linted.finding(
            .lostObject, "the rebuild of \(table) loses the \(object.kind.rawValue) \(object.name)",
            remedy: "Make it again after the rebuild, or drop it by name before, to say that it is meant.")
        }
      }
    })

  static let brokenObject: LintRule = LintRule(
    name: "broken-object", summary: "a view or trigger that names what is gone",
    details:
      "Views and triggers are compiled after each migration. One that names a table or column which is not there any more fails "
      + "when it is next used, and before that at the next ALTER TABLE. (https://www.sqlite.org/lang_altertable.html#compatibility)",
    afterMigration: { scene in
      guard !scene.breakers.isEmpty else { return [] }
      let broken = try LintScene.brokenObjects(scene.db)
      return scene.breakers.filter { broken.contains($0.key) }.sorted { $0.key < $1.key }.map { name, linted in
        linted.finding(
          .brokenObject, "the \(name) names what is not there any more",
          remedy: "Drop it before and make it anew after, or drop it for good.")
      }
    })
}
