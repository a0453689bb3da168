internal import Migrator
package import SQLMigrations
internal import SQLSyntax

extension LintRule {
  static let dropReferencedTable: LintRule = LintRule(
    name: "drop-referenced-table", summary: "dropping a table that another table refers to",
    details:
      "With foreign keys on, DROP TABLE first deletes all rows, which fails, or deletes or changes the rows that refer to them. With "
      + "foreign keys off, a table that is not recreated leaves dangling foreign keys. "
      + "(https://www.sqlite.org/foreignkeys.html#fk_schemacommands)",
    beforeStatement: whileForeignKeysAreOn, afterMigration: whenGone)

  /// Finds a DROP TABLE with foreign keys on: SQLite first deletes the table's rows, and rows that refer to them.
  @Sendable private static func whileForeignKeysAreOn(
    _ linted: LintedStatement, _ scene: LintScene
  ) throws -> [LintFinding] {
    guard case .dropTable(let table) = linted.effect, !scene.destruction.isOwn(table),
      try scene.db.connection.enforcesForeignKeys()
    else { return [] }
    guard let keys = try scene.referringKeys()[table.asciiLowercased] else { return [] }
    // Without an action, the statement fails.
    let isHarm = keys.contains { ![.noAction, .restrict].contains($0.onDelete) }
    let children = tables(of: keys)
    return [
      linted.finding(
        .dropReferencedTable, harm: isHarm ? .values : nil, of: isHarm ? table : nil,
        "foreign keys are on, and \(listed(children)) \(children.count == 1 ? "refers" : "refer") to \"\(table)\": DROP TABLE "
          + "first deletes all its rows, which fails, or deletes or changes the rows that refer to them",
        remedy: linted.file.runsInTransaction
          ? "Remove the line that switches foreign keys on: they are then off while the migration runs, and checked before "
            + "it commits."
          : "Write PRAGMA foreign_keys = OFF before the statement, and switch them on again at the end of the file.")
    ]
  }

  /// Finds a table that was dropped with foreign keys off and not recreated, so that foreign keys to it dangle.
  @Sendable private static func whenGone(_ scene: LintScene) throws -> [LintFinding] {
    let gone = try scene.drops.filter { try scene.db.relation(named: $0.table)?.kind != .table }
    guard !gone.isEmpty else { return [] }
    let referring = try scene.referringKeys()
    return gone.compactMap { drop in
      guard let children = referring[drop.table.asciiLowercased].map(tables(of:)) else { return nil }
      return drop.linted.finding(
        .dropReferencedTable,
        "table \"\(drop.table)\" does not exist after the migration, but \(listed(children)) still "
          + "\(children.count == 1 ? "refers" : "refer") to it",
        remedy: remedy(forMissing: [drop.table], in: scene.file))
    }
  }

  private static func tables(of keys: [(table: String, onDelete: ForeignKeyAction)]) -> [String] {
    keys.map { "\"\($0.table)\"" }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  /// Returns the next step if foreign keys refer to tables that a migration has removed.
  ///
  /// - Parameter file: The migration; nil if it is not a file.
  package static func remedy(forMissing tables: [String], in file: MigrationFile?) -> String {
    let names = Set(tables.map(\.asciiLowercased))
    guard file?.statements.contains(where: { $0.newTableName.map(names.contains) ?? false }) ?? false else {
      return "If \(listed(tables)) is meant to be recreated, create the new table under another name, copy the rows, "
        + "drop the old table and rename the new one, in this order. If it is no longer needed, first recreate the tables "
        + "that refer to it without the foreign key, in the same way."
    }
    // https://www.sqlite.org/lang_altertable.html#alter_table_rename
    return "Renaming a table also changes the foreign keys that refer to it. Create the new table under another name, "
      + "copy the rows, drop the old table and rename the new one, in this order; or write PRAGMA legacy_alter_table = ON "
      + "before ALTER TABLE."
  }

  /// A rule that finds a statement that deletes or overwrites data.
  package static let destructive: LintRule = LintRule(
    name: "destructive", summary: "deleting or overwriting data",
    details:
      "DROP TABLE, DROP COLUMN, a rebuild that omits columns, and DELETE or UPDATE without WHERE, on tables that existed "
      + "before the migration. It does not apply when a DELETE leaves all rows there, when the values of a dropped table or column are "
      + "in another one after the migration, or others are computed from them in the same row, also by an earlier migration. Nor does "
      + "it apply to an UPDATE of a column that the migration before has added, or of a number that grows in the only row of a table "
      + "without a key, such as a version.",
    afterMigration: { scene in
      try zip(scene.destruction.statements, scene.destroyers).compactMap { destruction, linted in
        let table = destruction.effect.table.asciiLowercased
        let isMoved = { (column: String) in
          scene.losses.movedColumns.contains(ValueCensus.Place(table: table, column: column.asciiLowercased))
        }
        var reason = "the statement \(destruction.effect)"
        var isRefuted = false
        switch destruction.effect {
        case .rebuildsTable(let name):
          let columns = try Self.missingColumns(of: name, scene)
          guard !columns.isEmpty else { return nil }
          let lost = columns.filter { !isMoved($0) }
          // That all rows are lost is a finding already.
          isRefuted =
            lost.isEmpty || scene.losses.losses.contains { $0.table == table && $0.isOfAllRows(in: scene.file) }
          let names = (lost.isEmpty ? columns : lost).map { "\"\($0)\"" }
          reason =
            "the statement rebuilds table \"\(name)\" without \(names.count == 1 ? "column" : "columns") \(listed(names))"
        case .dropsTable, .deletesAllRows: isRefuted = scene.losses.movedTables.contains(table)
        case .dropsColumn(let table, let column):
          let definition = scene.before.definition(of: table)?.column(named: column.asciiLowercased)
          isRefuted =
            isMoved(column) || definition?.isGenerated ?? false
            || linted.effect.table.map { $0.asciiLowercased == table } ?? false
              && scene.earlier.keep(column, dropped: linted)
        case .updatesAllRows:
          guard let keepsValues = Self.keepsValues(linted, table, scene) else { return nil }
          isRefuted = try keepsValues || scene.db.recordsVersion(linted.statement.text)
        default: break
        }
        let harm: LintFinding.Harm =
          switch destruction.effect {
          case .dropsTable, .deletesAllRows: .rows
          case .dropsColumn, .rebuildsTable, .updatesAllRows: .sampleValues
          default: .values
          }
        var finding = linted.finding(
          .destructive, harm: harm, of: table, reason,
          remedy: (scene.owner(ofShadow: table).map {
            "It stores the rows of the virtual table \"\($0)\", which then cannot be used: change or drop that table. "
          } ?? "") + "If this is intended, add a comment before the statement: -- migrator: allow destructive REASON")
        finding.isRefuted = isRefuted
        return finding
      }
    })

  private static func missingColumns(of table: String, _ scene: LintScene) throws -> [String] {
    guard let definition = scene.before.definition(of: table) else { return [] }
    let now = Set(try (scene.db.connection.columns(in: table) ?? []).map(\.name.asciiLowercased))
    return definition.columns.filter { !now.contains($0.name.folded) && !$0.isGenerated }.map(\.name.value)
  }

  /// Returns whether an UPDATE computes each new value from the column's old value, as in `SET name = trim(name)`, or moves the
  /// old one, as in `SET a = b, b = a`; nil if it fills only columns that the migration added.
  private static func keepsValues(_ linted: LintedStatement, _ table: String, _ scene: LintScene) -> Bool? {
    guard let syntax = linted.syntax, case .data(.update(let update)) = syntax.statement,
      let definition = scene.before.definition(of: table)
    else { return false }
    // A column may have been renamed, or added again under the name of a dropped one. One that the file before has added is empty.
    var columns = Set(definition.columns.map(\.name.folded)).subtracting(
      scene.earlier.columnsAdded(to: table, before: scene.file))
    for effect in linted.file.statements[..<linted.index].map({ SQLStatementEffect(of: $0.text) }) {
      switch effect {
      case .dropColumn(let changed, let column) where changed.asciiLowercased == table:
        columns.remove(column.asciiLowercased)
      case .renameColumn(let changed, let column, let newName) where changed.asciiLowercased == table:
        if columns.remove(column.asciiLowercased) != nil { columns.insert(newName.asciiLowercased) }
      default: break
      }
    }
    let old = update.assignments.filter { $0.columns.contains { columns.contains($0.folded) } }
    guard !old.isEmpty else { return nil }
    let uses = SQLNames(in: syntax).uses.filter { $0.role == .column }
    return old.allSatisfy { assignment in
      assignment.columns.allSatisfy { column in
        update.assignments.contains { $0.value.soleReference?.column.folded == column.folded && update.sources.isEmpty }
          || hasCopy(of: column.folded, table, before: linted)
          || uses.contains { $0.name.folded == column.folded && assignment.value.tokens.contains($0.name.token) }
      }
    }
  }

  /// Returns whether an earlier statement of the file copies all values of a column to another column of the rows, which no
  /// other statement after it names.
  private static func hasCopy(of column: String, _ table: String, before linted: LintedStatement) -> Bool {
    let statements = linted.file.statements
    // After ALTER TABLE, a column may have another name, and a rollback may undo the copy.
    let changes = statements.indices.filter {
      ["alter", "savepoint", "rollback"].contains(statements[$0].firstTokens(1).first)
    }
    return statements[..<linted.index].indices.contains { index in
      guard statements[index].firstTokens(1) == ["update"], changes.allSatisfy({ $0 < index }),
        case .data(.update(let update))? = (try? SQLTree(parsing: statements[index].text))?.statement,
        update.table.name.folded == table, update.condition == nil, update.limits.isEmpty, update.sources.isEmpty
      else { return false }
      return update.assignments.contains { assignment in
        guard assignment.columns.count == 1, let copy = assignment.columns.first?.folded, copy != column,
          assignment.value.soleReference?.column.folded == column
        else { return false }
        return !statements[(index + 1)...].contains { SQLSource($0.text).names(copy) }
      }
    }
  }

  static let lostObject: LintRule = LintRule(
    name: "lost-object", summary: "a rebuild that loses an index or a trigger",
    details:
      "DROP TABLE also drops the indexes and triggers of its table, and DROP VIEW the triggers of its view; a new view of the same name "
      + "and a new table, to which the rows are copied, do not have them. The rule does not apply to an index of a column that is "
      + "gone with its values, or whose columns another key or index covers. "
      + "(https://www.sqlite.org/lang_altertable.html#otheralter)",
    afterMigration: { scene in
      lazy var statements = scene.file.statements.indices.map { LintedStatement(scene.file, $0) }
      // Reading the schema after each migration takes most of the time in a large folder.
      guard !scene.destruction.statements.isEmpty || !scene.droppedViews.isEmpty else { return [] }
      let now = try scene.db.connection.schema()
      let views = scene.droppedViews.filter { now.object(.view, named: $0.view) != nil }
      let lost = { (kind: String, name: String, linted: LintedStatement, isReplaced: (SchemaObject) -> Bool) in
        scene.before.objects.filter { object in
          // An index without SQL belongs to a constraint of the table.
          guard object.kind == .index && object.sql != nil || object.kind == .trigger else { return false }
          return object.tableName.asciiLowercased == name.asciiLowercased
            && now.object(object.kind, named: object.name) == nil
            && !scene.droppedObjects.contains(object.name.asciiLowercased)
            && !isReplaced(object)
        }.map { object in
          linted.finding(
            .lostObject, harm: .definition, of: name,
            "the rebuild of \(kind) \"\(name)\" loses \(object.kind.rawValue) \"\(object.name)\"",
            remedy: "Recreate it after the rebuild. If the loss is intended, drop it by name before the rebuild.")
        }
      }
      let rebuilds =
        try scene.rebuilds.map { ($0.table, $0.table, $0.linted) }
        + zip(scene.destruction.statements, scene.destroyers).compactMap { destruction, linted in
          guard case .dropsTable(let table) = destruction.effect,
            scene.losses.movedTables.contains(table.asciiLowercased),
            let new = try successor(of: table, in: statements, scene.db)
          else { return nil }
          return (table, new, linted)
        }
      return try views.flatMap { lost("view", $0, $1) { _ in false } }
        + rebuilds.flatMap { table, new, linted -> [LintFinding] in
          let keys = try TableKeys(of: new, scene.db)
          let old = scene.before.definition(of: table)
          let columns = try (scene.db.connection.columns(in: new) ?? []).map(\.name.asciiLowercased)
          let newNames = CopiedColumns(of: table, named: new, to: columns, in: statements).newNames
          // A renamed column needs its index as before.
          let gone = Set(old?.columns.map(\.name.folded) ?? []).subtracting(columns).filter { column in
            !scene.losses.movedColumns.contains(ValueCensus.Place(table: table.asciiLowercased, column: column))
          }
          let hasTrigger =
            table != new
            && now.objects.contains { $0.kind == .trigger && $0.tableName.asciiLowercased == new.asciiLowercased }
          return lost("table", table, linted) { object in
            guard let index = object.index else { return hasTrigger }
            let names = index.columns.compactMap(\.column?.folded)
            // The rows may have been split into several tables.
            let isElsewhere = table != new && !names.allSatisfy { columns.contains(newNames[$0] ?? $0) }
            let isGone = table == new && names.contains(where: gone.contains)
            return isElsewhere || isGone || keys.cover(index, of: old, newNames)
          }
        }
    })

  /// Returns the new table of another name to which statements copy the rows of a dropped one; nil if there is none.
  private static func successor(of table: String, in statements: [LintedStatement], _ db: Database) throws -> String? {
    let new = Set(
      statements.compactMap { if case .createTable(let name) = $0.effect { name.asciiLowercased } else { nil } })
    let copies = statements.compactMap { linted -> String? in
      guard let syntax = linted.syntax, case .data(.insert(let insert)) = syntax.statement,
        SQLNames(in: syntax).source(of: insert)?.asciiLowercased == table.asciiLowercased
      else { return nil }
      return insert.table.name.value
    }
    return try copies.last { try new.contains($0.asciiLowercased) && db.relation(named: $0)?.kind == .table }
  }

  /// The rule about objects that SQLite accepts, and that cannot be used.
  package static let brokenObject: LintRule = LintRule(
    name: "broken-object", summary: "a view, a trigger, a table or an index that cannot be used",
    details:
      "SQLite accepts a view, a trigger or the default of a column without compiling it, and a full-text table without a look at "
      + "its content. They are compiled after each migration, and after all of them. One that refers to a table, column or function "
      + "that does not exist fails when it is next used, or at the next ALTER TABLE. Nor does SQLite look at the current time and "
      + "the time zone in a generated column, a CHECK constraint or an index, such as date('now') and datetime(at, 'localtime'), or "
      + "at generated columns that need each other: each row fails then, also when it is read. "
      + "(https://www.sqlite.org/lang_altertable.html#compatibility)",
    afterMigration: { scene in
      let broken = try scene.brokenObjects()
      let virtual = try broken.isEmpty ? [] : scene.db.connection.schema().objects.filter(\.isVirtual)
      let tables = Dictionary(virtual.map { ($0.title, $0) }) { first, _ in first }
      return try scene.breakers.filter { broken.contains($0.key) }.sorted { $0.key < $1.key }.map { name, linted in
        let fault = try tables[name].flatMap { try ObjectProbe.fault(of: $0, scene.db) }
        return linted.finding(
          .brokenObject, harm: .definition, of: linted.changedName,
          "the \(name) refers to a table or column that no longer exists" + (fault.map { ": \($0.reason)" } ?? ""),
          remedy: "Drop it before this statement and recreate it afterwards, or drop it permanently."
            + (name.hasPrefix("table ") ? " A full-text table that is recreated needs its rows again." : ""))
      }
    },
    afterAll: { db, declarations in
      let created = try db.connection.schema().objects.filter { declarations.creator(of: $0) != nil }
      let broken = try LintScene.broken(created, db)
      return try ObjectProbe.faults(of: created.filter { broken.contains($0.title) }, db).compactMap { object, fault in
        guard let creator = declarations.creator(of: object),
          !fault.reason.hasSuffix("no such table: main.\(declarations.ledgerTable)")
        else { return nil }
        return creator.finding(
          .brokenObject,
          "the \(object.title) \(fault.isOfRows ? "cannot be used" : "does not compile"): \(fault.reason)",
          remedy: "Correct the statement: SQLite accepts it, and fails when "
            + (fault.isOfRows
              ? "a row is written or read."
              : object.kind == .table && !object.isVirtual
                ? "a row needs the default." : "the \(object.kind.rawValue) is used.")
            + (fault.isOfTime ? " Compute what depends on the current time in a view; a default may use it." : "")
            + (fault.advice.map { " \($0) If your program registers the function, add --function NAME/COUNT." } ?? ""))
      }
    })
}

extension SQLColumnSyntax {
  /// Whether the values of the column follow from those of other columns.
  fileprivate var isGenerated: Bool { constraints.contains { if case .generated = $0.kind { true } else { false } } }
}
