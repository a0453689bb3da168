internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

// Rules about rows that exist before the migration: it runs on a scratch database that is filled with sample rows.
extension LintRule {
  /// A rule that finds a migration that loses rows or values.
  package static let lostRows: LintRule = LintRule(
    name: "lost-rows", summary: "rows or values that a migration does not keep",
    details:
      "The migration runs on sample rows. The rule finds rows and values that are in no table afterwards: a table that is recreated "
      + "without its rows, a copy that leaves out rows or columns, rows with other primary keys, and rows that refer to "
      + "deleted ones. (https://www.sqlite.org/lang_altertable.html#otheralter)",
    afterMigration: { scene in
      scene.losses.losses.compactMap { loss in
        guard let (reason, remedy) = texts(loss, in: scene) else { return nil }
        return LintedStatement(scene.file, loss.statement).finding(
          .lostRows, harm: loss.kind.harm, of: loss.table, reason, remedy: remedy)
      }
    })

  private static func texts(_ loss: RehearsedLoss, in scene: LintScene) -> (reason: String, remedy: String)? {
    let table = scene.before.object(.table, named: loss.table)?.name ?? loss.table
    let allowance = "If the loss is intended, add a comment before the statement: -- migrator: allow lost-rows REASON"
    // The rows that a DELETE takes along are not to be copied.
    let isDeletion = RiskyStatement(scene.file.statements[loss.statement])?.kind == .delete
    let copying = (isDeletion ? "" : "Copy every row and every column before this statement. ") + allowance
    switch loss.kind {
    case .rows where loss.isOfAllRows(in: scene.file):
      return ("the statement loses all rows of table \"\(table)\": no table has them after the migration", copying)
    case .rows:
      return (
        "the statement loses rows of table \"\(table)\": a condition, a join, a key or a LIMIT leaves them out of the copy, "
          + "or they refer to deleted rows", copying
      )
    case .values(let columns):
      let names = listed(columns.map { "\"\($0)\"" })
      return (
        "the statement loses the values of \(columns.count == 1 ? "column" : "columns") \(names) of table \"\(table)\": no "
          + "column has them after the migration", copying
      )
    case .keys(let column):
      return (
        "the rows of table \"\(table)\" get new values of the primary key \"\(column)\": references to the old "
          + "values then point to other rows, or to none", "Copy \"\(column)\", too. \(allowance)"
      )
    case .references(let child):
      return (
        "the statement deletes rows of table \"\(table)\" to which rows of \"\(child)\" refer: foreign keys are off while the "
          + "migration runs, and the check before its commit fails if there are such rows",
        "First delete the rows of \"\(child)\" that refer to them, or let the deletion cascade, with this comment in the file: "
          + "-- migrator: foreign-keys immediate"
      )
    case .equalRows: return nil
    }
  }

  /// A rule that finds a unique index created on a table that has rows.
  package static let uniqueOverRows: LintRule = LintRule(
    name: "unique-over-rows", summary: "a unique index over existing rows",
    details:
      "CREATE UNIQUE INDEX fails when two rows have equal values, which an empty table does not show. The rule does not apply when "
      + "the migration removes such rows first. (https://www.sqlite.org/lang_createindex.html#unique_indexes)",
    afterMigration: { scene in
      scene.losses.losses.filter { $0.kind == .equalRows }.map { loss in
        let table = scene.before.object(.table, named: loss.table)?.name ?? loss.table
        return LintedStatement(scene.file, loss.statement).finding(
          .uniqueOverRows, "the statement fails if rows of table \"\(table)\" have equal values",
          remedy: "Merge or delete such rows first. If there are none, add a comment before the statement: "
            + "-- migrator: allow unique-over-rows REASON")
      }
    })

  static let existingTable: LintRule = LintRule(
    name: "existing-table", summary: "CREATE TABLE IF NOT EXISTS of a table with other columns",
    details:
      "The statement does nothing when a table of that name exists, and the table does not get the columns. "
      + "(https://www.sqlite.org/lang_createtable.html)",
    beforeStatement: { linted, scene in
      guard case .createTable(let table)? = linted.syntax?.statement,
        linted.tokens.prefix(3).last?.isWord("if") == true,
        let existing = try scene.db.connection.columns(in: table.name.name.value)
      else { return [] }
      let known = Set(existing.map(\.name.asciiLowercased))
      let missing = table.columns.filter { !known.contains($0.name.folded) }.map(\.name.value)
      guard !missing.isEmpty else { return [] }
      return [
        linted.finding(
          .existingTable, at: table.name.name.token,
          "table \"\(table.name.name.value)\" already exists without \(listed(missing.map { "\"\($0)\"" })), so the statement does nothing",
          remedy: "Add the columns with ALTER TABLE ADD COLUMN, or rebuild the table.")
      ]
    })

  static let lostAutoincrement: LintRule = LintRule(
    name: "lost-autoincrement", summary: "a rebuild that loses AUTOINCREMENT",
    details:
      "Without AUTOINCREMENT, SQLite gives the rowids of deleted rows to new ones. (https://www.sqlite.org/autoinc.html)",
    afterMigration: { scene in
      try scene.rebuilds.compactMap { table, linted in
        guard scene.before.definition(of: table)?.isCounting == true,
          let new = try scene.db.relation(named: table)?.definition, !new.isCounting,
          // Of a key of another kind, each row names its own value.
          try new.hasNumberedKey(scene.db)
        else { return nil }
        return linted.finding(
          .lostAutoincrement, harm: .definition, of: table,
          "the rebuild of table \"\(table)\" loses AUTOINCREMENT: new rows get the keys of deleted ones",
          remedy:
            "Declare the key of the new table as INTEGER PRIMARY KEY AUTOINCREMENT. If the loss is intended, add a comment "
            + "before the statement: -- migrator: allow lost-autoincrement REASON")
      }
    })

  /// A rule that finds a statement that changes the migrator's own table.
  package static let ledgerChange: LintRule = LintRule(
    name: "ledger-change", summary: "a statement that changes the migrator's own table",
    details:
      "The migrator records the applied migrations there: without them it runs migrations again. The statement is not run here.",
    beforeStatement: { linted, scene in
      linted.changes(scene.ledgerTable) ? [linted.ledgerChange(scene.ledgerTable)] : []
    })
}

extension RehearsedLoss {
  /// Whether the migration loses all rows of the table, whatever their values.
  ///
  /// If an earlier statement reads the table, a condition such as `deleted = 0` may hold for no sample row, but for most
  /// rows of a database.
  func isOfAllRows(in file: MigrationFile) -> Bool {
    guard case .rows(let count, let total) = kind, count == total else { return false }
    let culprit = RiskyStatement(file.statements[statement])
    guard culprit?.kind != .delete else { return true }
    let names = [table, culprit?.table]
    return !file.statements[..<statement].contains { earlier in
      guard let syntax = try? SQLTree(parsing: earlier.text) else { return false }
      return SQLNames(in: syntax).uses.contains { $0.role == .source && names.contains($0.name.folded) }
    }
  }
}

extension LintedStatement {
  /// Returns the finding that the statement changes the migrator's own table.
  func ledgerChange(_ ledgerTable: String) -> LintFinding {
    finding(
      .ledgerChange, "the statement changes \"\(ledgerTable)\", in which the migrator records the applied migrations",
      remedy: "Remove the statement.")
  }
}

extension SQLCreateTable {
  /// Whether the primary key is declared with AUTOINCREMENT.
  fileprivate var isCounting: Bool {
    let isOfColumn = self.columns.flatMap(\.constraints).contains {
      if case .primaryKey(_, _, isAutoincrement: true) = $0.kind { true } else { false }
    }
    return isOfColumn
      || self.constraints.contains {
        if case .primaryKey(_, isAutoincrement: true, _) = $0.kind { true } else { false }
      }
  }

  /// Whether the primary key is a single column of integers, which SQLite numbers, or which a typo has kept it from numbering
  /// (https://www.sqlite.org/lang_createtable.html#rowid).
  fileprivate func hasNumberedKey(_ db: Database) throws -> Bool {
    let key = try db.primaryKey(of: name.name.value)
    guard key.count == 1, !isWithoutRowID else { return false }
    let column = try db.connection.columns(in: name.name.value)?.first { $0.primaryKeyIndex > 0 }
    return column?.affinity == .integer
  }
}

extension RehearsedLoss.Kind {
  /// The harm to the rows of a database in which the migration runs.
  fileprivate var harm: LintFinding.Harm? {
    switch self {
    case .rows, .references: .sampleRows
    case .values: .sampleValues
    case .keys: .values
    case .equalRows: nil
    }
  }
}
