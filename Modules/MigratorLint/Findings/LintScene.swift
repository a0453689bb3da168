internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

/// The state in which a rule inspects a statement: the current schema, and the migration's earlier statements.
struct LintScene {
  /// The scratch database in which the preceding statements have run.
  let db: Database
  let file: MigrationFile
  let before: SchemaSnapshot
  /// The name of the migrator's history table.
  let ledgerTable: String
  /// The losses of sample rows in a rehearsal of the migration.
  var losses = RehearsedLosses()
  /// The views and triggers that already failed to compile before the migration.
  private let brokenBefore: Set<String>
  /// Whether there are views or triggers, or the migration creates some: else it breaks none.
  private let hasCompiledObjects: Bool
  /// The destructive changes to tables that existed before the migration.
  private(set) var destruction: DestructionRecord
  /// The statements that made the changes in ``destruction``, in the same order.
  private(set) var destroyers: [LintedStatement] = []
  /// The tables that were dropped while foreign keys were off.
  private(set) var drops: [(table: String, linted: LintedStatement)] = []
  /// The names of the indexes and triggers that the migration drops, in ASCII lower case.
  private(set) var droppedObjects: Set<String> = []
  /// The statements that broke views or triggers, by the name of the broken object.
  private(set) var breakers: [String: LintedStatement] = [:]

  init(_ db: Database, _ file: MigrationFile, ledgerTable: String) throws {
    self.db = db
    self.file = file
    self.ledgerTable = ledgerTable
    before = try Self.onlyAdds(file) ? SchemaSnapshot(objects: []) : db.connection.schema()
    brokenBefore = Self.brokenObjects(before, db)
    hasCompiledObjects =
      before.objects.contains { $0.kind == .view || $0.kind == .trigger }
      || file.statements.contains(where: \.createsCompiledObject)
    destruction = DestructionRecord(tables: before.objects.filter { $0.kind == .table }.map(\.name))
  }

  /// Returns whether a migration only creates tables and indexes and inserts rows, and so changes no existing object.
  ///
  /// The schema need not be read before such a migration. In a large folder, reading it before each migration would
  /// take most of the time.
  private static func onlyAdds(_ file: MigrationFile) -> Bool {
    file.statements.allSatisfy { statement in
      let tokenizer = SQLTokenizer(statement.text)
      let words = tokenizer.lazy.filter { !$0.isTrivia }.prefix(3).map { tokenizer.text(of: $0).asciiLowercased }
      let first = Array(words)
      guard first.count == 3 else { return false }
      switch (first[0], first[1]) {
      case ("insert", "into"), ("create", "index"): return true
      case ("create", "table"): return first[2] != "if"
      default: return false
      }
    }
  }

  /// Records a statement that is about to run.
  mutating func note(_ linted: LintedStatement) throws {
    let isThere = try linted.effect.table.map { try db.tableExists($0, in: "main") } ?? false
    let count = destruction.statements.count
    destruction.add(linted.effect, linted.statement.text, of: file.identifier, isTrusted: false, tableIsThere: isThere)
    if destruction.statements.count > count { destroyers.append(linted) }
    if case .dropTable(let table) = linted.effect, isThere, try !db.connection.enforcesForeignKeys() {
      drops.append((table, linted))
    }
    if case .drop(let drop)? = linted.syntax?.statement, drop.kind == .index || drop.kind == .trigger {
      droppedObjects.insert(drop.name.name.folded)
    }
  }

  /// Records the views and triggers that a statement broke; called after the statement has run.
  mutating func noteBreakage(_ linted: LintedStatement) throws {
    guard hasCompiledObjects else { return }
    switch linted.syntax?.statement {
    case .drop, .alterTable:
      let broken = Self.brokenObjects(try db.connection.schema(), db).subtracting(brokenBefore)
      for name in broken where breakers[name] == nil { breakers[name] = linted }
    default: break
    }
  }

  /// Determines which of the dropped tables the migration has recreated.
  mutating func end() throws {
    let there = Set(try destruction.droppedTables.filter { try db.tableExists($0, in: "main") })
    destruction.endMigration(tablesThere: there)
  }

  /// Returns the names of the other tables that have a foreign key to a table, in order.
  func tables(referringTo table: String) throws -> [String] {
    let folded = table.asciiLowercased
    return try db.connection.schema().objects.filter { object in
      guard object.kind == .table, !object.isVirtual, object.name.asciiLowercased != folded else { return false }
      return try db.foreignKeys(on: object.name).contains { $0.destinationTable.asciiLowercased == folded }
    }.map(\.name)
  }

  // MARK: Views and triggers

  /// Returns the names of the views and triggers that do not compile, as `view name` or `trigger name`.
  static func brokenObjects(_ schema: SchemaSnapshot, _ db: Database) -> Set<String> {
    let broken = schema.objects.filter { object in
      guard let probe = probe(object, db) else { return false }
      // The reason for the failure is irrelevant: the rule only compares with the state before the migration.
      return (try? db.makeStatement(sql: probe)) == nil
    }
    return Set(broken.map { "\($0.kind.rawValue) \($0.name)" })
  }

  /// Returns a statement that, when it is prepared, compiles a view or trigger; nil for other objects, and for triggers
  /// that cannot be parsed.
  private static func probe(_ object: SchemaObject, _ db: Database) -> String? {
    if object.kind == .view { return "SELECT 1 FROM \(object.name.quotedIdentifier)" }
    guard object.kind == .trigger, let sql = object.sql, let syntax = try? SQLTree(parsing: sql),
      case .createTrigger(let definition) = syntax.statement
    else { return nil }
    let table = object.tableName.quotedIdentifier
    // SQLite compiles a trigger together with a statement that fires it; EXPLAIN does not execute the statement.
    switch definition.event {
    case .delete: return "EXPLAIN DELETE FROM \(table)"
    case .insert: return "EXPLAIN INSERT INTO \(table) DEFAULT VALUES"
    case .update(let columns):
      // A broken view has no columns, and its triggers do not compile either.
      let all = columns.isEmpty ? try? db.columns(in: object.tableName) : nil
      let column = columns.first?.value ?? all?.first { !$0.isGenerated }?.name
      let quoted = (column ?? "rowid").quotedIdentifier
      return "EXPLAIN UPDATE \(table) SET \(quoted) = \(quoted)"
    }
  }
}

extension SQLStatement {
  /// Whether the statement may create a view or a trigger.
  fileprivate var createsCompiledObject: Bool {
    let tokenizer = SQLTokenizer(text)
    return tokenizer.lazy.filter { !$0.isTrivia }.prefix(3).contains { token in
      ["view", "trigger"].contains(tokenizer.text(of: token).asciiLowercased)
    }
  }
}

extension SchemaSnapshot {
  /// Returns the definition of a table; nil when there is none, or it cannot be parsed.
  func definition(of table: String) -> SQLCreateTable? {
    let sql = object(.table, named: table)?.sql
    guard case .createTable(let definition)? = sql.flatMap({ try? SQLTree(parsing: $0) })?.statement else { return nil }
    return definition
  }
}

/// A statement of a migration, with its syntax tree and its effect.
struct LintedStatement {
  let file: MigrationFile
  /// The statement's index in the file.
  let index: Int
  let statement: SQLStatement
  /// The syntax tree; nil if the statement cannot be parsed (the engine then reports the error).
  let syntax: SQLTree?
  /// The statement's effect on a whole table; a WHERE condition that is true for every row counts as absent.
  var effect: SQLStatementEffect

  init(_ file: MigrationFile, _ index: Int) {
    self.file = file
    self.index = index
    statement = file.statements[index]
    syntax = try? SQLTree(parsing: statement.text)
    effect = SQLStatementEffect(of: statement.text)
  }

  var tokens: [SQLSource.Token] { syntax?.source.tokens ?? [] }

  /// Returns whether the statement changes a table, or its rows.
  func changes(_ table: String) -> Bool {
    let changed: SQLQualifiedName? =
      switch syntax?.statement {
      case .drop(let drop) where drop.kind == .table: drop.name
      case .alterTable(let alteration): alteration.table
      case .data(.insert(let insert)): insert.table
      case .data(.update(let change)), .data(.delete(let change)): change.table
      default: nil
      }
    return changed?.name.folded == table.asciiLowercased
  }

  func text(_ range: Range<Int>) -> String { syntax?.source.text(of: range) ?? "" }

  /// Returns a finding at a token, or at the start of the statement.
  func finding(_ rule: LintRule, at token: Int? = nil, _ reason: String, remedy: String) -> LintFinding {
    let offset = token.flatMap { syntax?.source.token($0)?.range.lowerBound }
    return finding(rule, utf8Offset: offset, reason, remedy: remedy)
  }

  /// Returns a finding at an offset in the statement's text, or at its start.
  func finding(_ rule: LintRule, utf8Offset: Int?, _ reason: String, remedy: String) -> LintFinding {
    LintFinding(
      rule, path: file.path, position: utf8Offset.map(statement.position(ofUTF8Offset:)) ?? statement.position,
      migration: file.identifier, statement: index, reason: reason, remedy: remedy)
  }
}
