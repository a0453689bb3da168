internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

/// What the rules see: the schema at this point, and what the migration has done so far.
struct LintScene {
  /// The scratch database, as the statements before left it.
  let db: Database
  /// The file.
  let file: MigrationFile
  /// The schema before the migration.
  let before: SchemaSnapshot
  /// The views and triggers that could not be compiled before the migration.
  let brokenBefore: Set<String>
  /// What the migration has done to tables that were there before.
  private(set) var destruction: DestructionRecord
  /// The statements that ``destruction`` found, in its order.
  private(set) var destroyers: [LintedStatement] = []
  /// The tables that were dropped while foreign keys were off.
  private(set) var drops: [Drop] = []
  /// The indexes and triggers that the migration drops by name, in ASCII lower case.
  private(set) var droppedObjects: Set<String> = []
  /// The statement that broke a view or trigger.
  private(set) var breakers: [String: LintedStatement] = [:]

  /// A table that was dropped.
  struct Drop {
    /// The table's name.
    let table: String
    /// The statement that did it.
    let linted: LintedStatement
  }

  init(_ db: Database, _ file: MigrationFile, brokenBefore: Set<String>) throws {
    self.db = db
    self.file = file
    self.brokenBefore = brokenBefore
    before = try db.connection.schema()
    destruction = DestructionRecord(tables: before.objects.filter { $0.kind == .table }.map(\.name))
  }

  /// Remembers a statement that is about to run.
  mutating func note(_ linted: LintedStatement) throws {
    let isThere = try linted.effect.table.map { try db.tableExists($0, in: "main") } ?? false
    let count = destruction.statements.count
    destruction.add(
      linted.effect, linted.statement.text, of: file.identifier, isTrusted: false, tableIsThere: isThere)
    if destruction.statements.count > count { destroyers.append(linted) }
    if case .dropTable(let table) = linted.effect, isThere, try !db.connection.enforcesForeignKeys() {
      drops.append(Drop(table: table, linted: linted))
    }
    if case .drop(let drop)? = linted.syntax?.statement, drop.kind == .index || drop.kind == .trigger {
      droppedObjects.insert(drop.name.name.folded)
    }
  }

  /// Looks for what a statement broke, after it ran.
  mutating func noteBreakage(_ linted: LintedStatement) throws {
    switch linted.syntax?.statement {
    case .drop, .alterTable:
      for name in try CompiledObjects(db).broken where !brokenBefore.contains(name) && breakers[name] == nil {
        breakers[name] = linted
      }
    default: break
    }
  }

  /// Tells which of the dropped tables are there again.
  mutating func end() throws {
    let there = Set(try destruction.droppedTables.filter { try db.tableExists($0, in: "main") })
    destruction.endMigration(tablesThere: there)
  }

  /// The tables that have a foreign key to a table, other than itself, in order.
  func tables(referringTo table: String) throws -> [String] {
    let folded = table.asciiLowercased
    return try db.connection.schema().objects.filter { object in
      guard object.kind == .table, !object.isVirtual, object.name.asciiLowercased != folded else { return false }
      return try db.foreignKeys(on: object.name).contains { $0.destinationTable.asciiLowercased == folded }
    }.map(\.name)
  }
}

/// The views and triggers that can be compiled, and those that cannot.
struct CompiledObjects {
  /// The names of those that cannot, as `view name` or `trigger name`.
  let broken: Set<String>

  init(_ db: Database) throws {
    let objects = try db.connection.schema().objects
    var broken: Set<String> = []
    for view in objects where view.kind == .view {
      if !Self.compiles(db, "SELECT 1 FROM \(view.name.quotedIdentifier)") {
        broken.insert("view \(view.name)")
      }
    }
    for trigger in objects where trigger.kind == .trigger {
      guard let sql = trigger.sql, let syntax = try? SQLTree(parsing: sql),
        case .createTrigger(let definition) = syntax.statement
      else { continue }
      let table = trigger.tableName.quotedIdentifier
      let statement =
        switch definition.event {
        case .delete: "DELETE FROM \(table)"
        case .insert: "INSERT INTO \(table) DEFAULT VALUES"
        case .update(let columns): try Self.update(table, of: columns.first?.value, db, trigger.tableName)
        }
      // A trigger is compiled with the statement that fires it; EXPLAIN runs nothing.
      if !Self.compiles(db, "EXPLAIN \(statement)") { broken.insert("trigger \(trigger.name)") }
    }
    self.broken = broken
  }

  private static func update(_ table: String, of column: String?, _ db: Database, _ name: String) throws -> String {
    let first = try column ?? db.columns(in: name).first { !$0.isGenerated }?.name ?? "rowid"
    let quoted = first.quotedIdentifier
    return "UPDATE \(table) SET \(quoted) = \(quoted)"
  }

  private static func compiles(_ db: Database, _ sql: String) -> Bool {
    // Why it does not compile is not asked: that it did before the migration is what counts.
    (try? db.makeStatement(sql: sql)) != nil
  }
}
