internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

/// The state in which a rule inspects a statement: the current schema, and the migration's earlier statements.
struct LintScene {
  /// The scratch database in which the preceding statements have run.
  let db: Database
  let file: MigrationFile
  /// The schema before the migration; empty if the migration only adds objects and rows, so that no rule needs it.
  let before: SchemaSnapshot
  /// The name of the migrator's history table.
  let ledgerTable: String
  /// The losses of sample rows in a rehearsal of the migration.
  var losses = RehearsedLosses()
  /// The destructive changes to tables that existed before the migration.
  private(set) var destruction: DestructionRecord
  /// The statements that made the changes in ``destruction``, in the same order.
  private(set) var destroyers: [LintedStatement] = []
  /// The tables that were dropped while foreign keys were off.
  private(set) var drops: [(table: String, linted: LintedStatement)] = []
  /// The names of the indexes and triggers that the migration drops, in ASCII lower case.
  private(set) var droppedObjects: Set<String> = []
  /// The views that the migration drops, as they are named before it.
  private(set) var droppedViews: [(view: String, linted: LintedStatement)] = []
  /// The statements that broke views, triggers or virtual tables, by the name of the broken object.
  private(set) var breakers: [String: LintedStatement] = [:]
  /// The views, triggers and virtual tables that compile before the statement that is about to run, and that it may break.
  private var endangered: Set<String> = []
  /// The double-quoted strings in views and triggers before the first statement that may turn names in them into strings, by
  /// the title of the object.
  private var quotedStrings: [String: Set<String>] = [:]
  /// The names in double quotes that a statement turned into strings, by the title of the view or trigger.
  private(set) var capturedNames: [String: (names: Set<String>, linted: LintedStatement)] = [:]
  private let graph: NameGraph
  /// The files of the folder, of which those before this one may have added or copied a column.
  let earlier: EarlierFiles

  init(
    _ db: Database, _ file: MigrationFile, ledgerTable: String, _ graph: NameGraph, _ earlier: EarlierFiles
  ) throws {
    self.db = db
    self.file = file
    self.ledgerTable = ledgerTable
    (self.graph, self.earlier) = (graph, earlier)
    before = try Self.onlyAdds(file) ? SchemaSnapshot(objects: []) : db.connection.schema()
    destruction = DestructionRecord(tables: before.objects.filter { $0.kind == .table }.map(\.name))
  }

  /// Returns whether a migration only creates tables, columns and indexes and inserts rows, and so removes nothing.
  ///
  /// The schema need not be read before such a migration. In a large folder, reading it before each migration would
  /// take most of the time.
  private static func onlyAdds(_ file: MigrationFile) -> Bool {
    file.statements.allSatisfy { statement in
      let first = statement.firstTokens(3)
      guard first.count == 3 else { return false }
      switch (first[0], first[1]) {
      case ("insert", "into"), ("create", "index"): return true
      case ("create", "table"): return first[2] != "if"
      case ("alter", "table"):
        guard case .addColumn = SQLStatementEffect(of: statement.text) else { return false }
        return true
      default: return false
      }
    }
  }

  /// The tables that the migration recreates, each with the statement that drops it.
  var rebuilds: [(table: String, linted: LintedStatement)] {
    zip(destruction.statements, destroyers).compactMap { destruction, linted in
      if case .rebuildsTable(let table) = destruction.effect { (table, linted) } else { nil }
    }
  }

  /// Returns the virtual table that stored its rows in a table before the migration; nil for other tables.
  func owner(ofShadow table: String) -> String? {
    before.object(.table, named: table).flatMap { $0.isShadow ? $0.virtualTable(among: before.objects) : nil }
  }

  /// Records a statement that is about to run.
  mutating func note(_ linted: LintedStatement) throws {
    var isThere = try linted.effect.table.map { try db.relation(named: $0)?.kind == .table } ?? false
    if isThere { isThere = try !db.hidesTable(of: linted.summary) }
    let count = destruction.statements.count
    destruction.add(linted.effect, linted.statement.text, of: file.identifier, isTrusted: false, tableIsThere: isThere)
    if destruction.statements.count > count { destroyers.append(linted) }
    if case .dropTable(let table) = linted.effect, isThere, try !db.connection.enforcesForeignKeys() {
      drops.append((table, linted))
    }
    if case .drop(let drop)? = linted.syntax?.statement {
      switch drop.kind {
      case .index, .trigger: droppedObjects.insert(drop.name.name.folded)
      case .view:
        if let view = before.object(.view, named: drop.name.name.value)?.name { droppedViews.append((view, linted)) }
      case .table: break
      }
    }
    endangered = []
    guard let changed = linted.changedName, try db.hasFollowers() else { return }
    let followers = try graph.followers(of: changed, in: db.connection.schema())
    endangered = Set(followers.map(\.title)).subtracting(try Self.broken(followers, db))
    for object in followers where endangered.contains(object.title) && quotedStrings[object.title] == nil {
      quotedStrings[object.title] = try NameLookup.quotedStrings(in: object, db)
    }
  }

  /// Records the objects that a statement broke, or in which it turned names into strings; called after the
  /// statement has run.
  mutating func noteBreakage(_ linted: LintedStatement) throws {
    if linted.changedName != nil, !quotedStrings.isEmpty {
      for object in try db.connection.schema().objects {
        guard let known = quotedStrings[object.title] else { continue }
        let old = capturedNames[object.title]?.names ?? []
        let names = try NameLookup.quotedStrings(in: object, db).subtracting(known).union(old)
        capturedNames[object.title] = names.isEmpty ? nil : (names, capturedNames[object.title]?.linted ?? linted)
      }
    }
    guard !endangered.isEmpty else { return }
    let rest = try db.connection.schema().objects.filter { endangered.contains($0.title) }
    for name in try Self.broken(rest, db) where breakers[name] == nil { breakers[name] = linted }
  }

  /// Determines which of the dropped tables the migration has recreated.
  mutating func end() { destruction.endMigration() }

  /// Returns the foreign keys to other tables, in order, by the name of the other table in ASCII lower case.
  func referringKeys() throws -> [String: [(table: String, onDelete: ForeignKeyAction)]] {
    var keys: [String: [(table: String, onDelete: ForeignKeyAction)]] = [:]
    for table in try db.connection.schema().objects where table.kind == .table && !table.isVirtual {
      for key in try db.connection.foreignKeys(on: table.name) {
        let parent = key.destinationTable.asciiLowercased
        if parent != table.name.asciiLowercased { keys[parent, default: []].append((table.name, key.onDelete)) }
      }
    }
    return keys
  }

  // MARK: Broken objects

  /// Returns which of the objects with a statement in ``breakers`` still do not compile.
  func brokenObjects() throws -> Set<String> {
    guard !breakers.isEmpty else { return [] }
    return try Self.broken(db.connection.schema().objects.filter { breakers[$0.title] != nil }, db)
  }

  /// Returns the titles of the objects that do not compile.
  static func broken(_ objects: [SchemaObject], _ db: Database) throws -> Set<String> {
    // All triggers of a table compile together.
    var outcomes: [String: Bool] = [:]
    let broken = try objects.filter { object in
      guard let probe = try ObjectProbe.statement(firing: object, db) else {
        return try ObjectProbe.fault(of: object, db)?.isOfSchema ?? false
      }
      // The reason for the failure is irrelevant: the rule only compares with the state before the statement.
      let isSound = try outcomes[probe] ?? (DatabaseError.ifPossible { try db.makeStatement(sql: probe) } != nil)
      outcomes[probe] = isSound
      return !isSound
    }
    return Set(broken.map(\.title))
  }
}

extension SchemaObject {
  /// The kind and the name, for messages.
  package var title: String { "\(kind.rawValue) \(name)" }
}

extension Database {
  /// Returns whether the main schema has a view, a trigger or a virtual table.
  fileprivate func hasFollowers() throws -> Bool {
    // These have no root page (https://www.sqlite.org/schematab.html).
    let sql = "SELECT EXISTS (SELECT * FROM main.sqlite_master WHERE ifnull(rootpage, 0) = 0)"
    return try Bool.fetchOne(self, sql: sql) ?? false
  }

  /// Returns the table or view of a name in the main schema, ignoring ASCII case; nil if there is none.
  ///
  /// The engine finds it, because reading the whole schema for each statement takes most of the time in large folders.
  func relation(named name: String) throws -> SchemaObject? {
    let row = try Row.fetchOne(
      self,
      sql: "SELECT type, name, sql, rootpage FROM main.sqlite_master WHERE name = ? COLLATE NOCASE "
        + "AND type IN ('table', 'view')", arguments: [name])
    guard let row, let kind = SchemaObject.Kind(rawValue: try row["type"]) else { return nil }
    let name: String = try row["name"]
    // Only virtual tables have no root page.
    let isVirtual = try kind == .table && row["rootpage"] as Int == 0
    return SchemaObject(kind: kind, name: name, tableName: name, sql: try row["sql"], isVirtual: isVirtual)
  }
}

extension SchemaSnapshot {
  /// Returns the definition of a table; nil when there is none, or it cannot be parsed.
  func definition(of table: String) -> SQLCreateTable? { object(.table, named: table)?.definition }
}

extension SchemaObject {
  /// The definition of an ordinary table; nil for other objects, and if it cannot be parsed.
  var definition: SQLCreateTable? {
    if case .createTable(let definition)? = syntax?.statement { definition } else { nil }
  }

  /// The definition of an index; nil for other objects, and if it cannot be parsed.
  var index: SQLCreateIndex? {
    if kind == .index, case .createIndex(let index)? = syntax?.statement { index } else { nil }
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
  /// The properties of the statement that its first tokens show.
  let summary: SQLStatementSummary
  /// The statement's effect on a whole table; a WHERE condition that is true for every row counts as absent.
  var effect: SQLStatementEffect

  init(_ file: MigrationFile, _ index: Int) {
    self.file = file
    self.index = index
    statement = file.statements[index]
    syntax = try? SQLTree(parsing: statement.text)
    summary = SQLStatementSummary(of: statement.text)
    effect = summary.effect
  }

  var tokens: [SQLSource.Token] { syntax?.source.tokens ?? [] }

  /// The table, view or index that the statement drops or alters, in ASCII lower case; nil if there is none.
  var changedName: String? {
    switch syntax?.statement {
    // A trigger that is gone breaks nothing.
    case .drop(let drop) where drop.kind != .trigger: drop.name.name.folded
    case .alterTable(let alteration): alteration.table.name.folded
    default: nil
    }
  }

  /// The names of the objects that the statement creates, changes or drops, in ASCII lower case; all names before its first
  /// parenthesis if it cannot be parsed.
  var changedNames: Set<String> {
    if let (kind, name) = syntax?.created, kind != .index { return [name.name.folded] }
    return switch syntax?.statement {
    case .createIndex(let index): [index.name.name.folded, index.table.folded]
    case .drop(let drop): [drop.name.name.folded]
    case .alterTable(let alteration):
      if case .rename(let newName) = alteration.action {
        [alteration.table.name.folded, newName.folded]
      } else {
        [alteration.table.name.folded]
      }
    case .data(.insert(let insert)): [insert.table.name.folded]
    case .data(.update(let change)), .data(.delete(let change)): [change.table.name.folded]
    case .data(.select): []
    default:
      Set(SQLSource(statement.text).tokens.prefix { !$0.isOperator("(") }.filter(Self.mayBeName).map(\.folded))
    }
  }

  private static func mayBeName(_ token: SQLSource.Token) -> Bool {
    guard token.kind == .word else { return [.quotedIdentifier, .string].contains(token.kind) }
    return token.folded.identifierForReading == token.folded && !keywordsBeforeNames.contains(token.folded)
  }

  /// Keywords at the beginnings of statements that could also be names.
  private static let keywordsBeforeNames: Set = [
    "after", "before", "column", "each", "for", "if", "ignore", "instead", "of", "pragma", "rename", "replace",
    "row", "temp", "temporary", "trigger", "view", "virtual",
  ]

  /// Returns whether the statement changes a table, or its rows.
  func changes(_ table: String) -> Bool {
    switch syntax?.statement {
    case .drop, .alterTable, .data: changedNames.contains(table.asciiLowercased)
    default: false
    }
  }

  func text(_ range: Range<Int>) -> String { syntax?.source.text(of: range) ?? "" }

  /// Returns a finding at a token, at an offset in the statement's text, or at its start.
  ///
  /// - Parameters:
  ///   - harm: The harm that the migration does to existing data, if the finding is about that.
  ///   - table: The table with the data.
  func finding(
    _ rule: LintRule, at token: Int? = nil, utf8Offset: Int? = nil, harm: LintFinding.Harm? = nil,
    of table: String? = nil, _ reason: String, remedy: String
  ) -> LintFinding {
    let offset = utf8Offset ?? token.flatMap { syntax?.source.token($0)?.range.lowerBound }
    var finding = LintFinding(
      rule, path: file.path, position: offset.map(statement.position(ofUTF8Offset:)) ?? statement.position,
      migration: file.identifier, statement: index, reason: reason, remedy: remedy)
    (finding.table, finding.harm) = (table?.asciiLowercased, harm)
    return finding
  }
}
