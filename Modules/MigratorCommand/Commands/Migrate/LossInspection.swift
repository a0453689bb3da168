internal import Migrator
internal import MigratorLint
internal import SQLMigrations
internal import SQLSyntax

/// An inspection that finds the rows of a database that its pending migrations would lose, for `plan` and `migrate`.
///
/// It applies the rules of `lint` to the migrations on a scratch database with the same schema.
struct LossInspection {
  /// The maximum number of rows of a table to copy; larger tables are empty in the scratch database.
  private static let mostCopiedRows = 500
  private static let rules: Set<LintRule> = [.lostRows, .destructive]

  let context: CommandContext
  let source: MigrationSource
  /// Whether each DELETE and REPLACE on a table that has rows counts as a loss, whichever rows its condition selects.
  var findsDeletions = false

  /// Returns the findings about tables that have rows, except findings that a comment allows.
  func findings(_ pending: [String], in db: Database) throws -> [LintFinding] {
    guard let folder = source.folder else { return [] }
    let files = pending.compactMap(source.file)
    guard files.contains(where: Linter.mayLoseRows) else { return [] }
    let tables = try db.connection.schema().objects.filter { $0.kind == .table && !$0.isVirtual }
    let filled = try tables.filter { try hasRows($0, db) }
    let names = Dictionary(filled.map { ($0.name.asciiLowercased, $0.name) }) { first, _ in first }
      .filter { !source.migrator.ownTables.contains($0.key) }
    guard !names.isEmpty else { return [] }
    let renamed = Set(files.flatMap(Linter.newNames))
    let found = try linted(files, in: db)
    var findings = found.filter { finding in
      guard Self.rules.contains(finding.rule), let table = finding.table else { return false }
      return names[table] != nil || renamed.contains(table)
    }
    if findsDeletions {
      let known = Set(findings.map { [$0.path, $0.statement.map(String.init) ?? ""] })
      let tables = names.merging(renamed.map { ($0, $0) }) { name, _ in name }
      findings += files.flatMap { Linter.deletions($0, from: tables) }
        .filter { !known.contains([$0.path, $0.statement.map(String.init) ?? ""]) }
    }
    // A file of the folder that cannot be followed accepts nothing; `lint` reports it.
    let allowances =
      (try? LintAllowances(folder: folder.path, toolName: context.toolName))
      ?? LintAllowances(toolName: context.toolName)
    return allowances.apply(to: findings, of: files, judged: []).kept.filter { Self.rules.contains($0.rule) }
  }

  /// Returns the findings of `lint` about migrations, from a run on sample rows; empty if the scratch database cannot be
  /// created.
  private func linted(_ files: [MigrationFile], in db: Database) throws -> [LintFinding] {
    let scratch = try db.openScratch(label: "sample rows")
    do {
      let result = try scratch.writeWithoutTransaction { copy in
        try fill(copy, from: db)
        copy.limitStatements(to: context.output.environment.longestScratchStatement)
        var linter = Linter(files, ledgerTable: source.migrator.ledgerTable) { context.interrupt.hasArrived }
        return try linter.run(on: copy)
      }
      try scratch.close()
      return result.findings
    } catch let error as DatabaseError where !error.concernsEverything {
      return []
    }
  }

  private func hasRows(_ table: SchemaObject, _ db: Database, moreThan count: Int = 0) throws -> Bool {
    let sql = "SELECT EXISTS (SELECT 1 FROM main.\(table.name.quotedIdentifier) LIMIT 1 OFFSET \(count))"
    return try Bool.fetchOne(db, sql: sql) ?? false
  }

  /// Creates the objects of a database, and copies the rows of its small tables.
  ///
  /// A table whose rows refer to rows that were not copied is left empty.
  private func fill(_ copy: Database, from db: Database) throws {
    let objects = try db.connection.schema().objects.filter { object in
      !object.isShadow && !source.migrator.ownTables.contains(object.tableName.asciiLowercased)
    }
    let tables = objects.filter { $0.kind == .table && !$0.isVirtual }
    try copy.withoutForeignKeys {
      try copy.inTransaction {
        try create(tables, in: copy)
        try create(objects.filter(\.isVirtual), in: copy)
        for table in tables where try !hasRows(table, db, moreThan: Self.mostCopiedRows) {
          _ = try copy.replaceRows(of: table.name, from: db)
        }
        while let violation = try copy.foreignKeyViolations().next() {
          try copy.execute(sql: "DELETE FROM main.\(violation.originTable.quotedIdentifier)")
        }
        for kind in [SchemaObject.Kind.index, .view, .trigger] {
          try create(objects.filter { $0.kind == kind }, in: copy)
        }
        return .commit
      }
    }
  }

  private func create(_ objects: [SchemaObject], in copy: Database) throws {
    for object in objects { if let sql = object.sql { try copy.execute(sql: sql) } }
  }
}
