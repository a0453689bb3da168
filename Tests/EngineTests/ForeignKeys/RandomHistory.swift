import Migrator
import SQLSyntax
import TestEngines

/// A random database, and random changes such as migrations make.
///
/// Failing statements are ignored, as a migration may do: the tables that they name still count as touched.
final class RandomHistory {
  var words: RandomWords
  private let db: Database
  private(set) var tables: [RandomTable] = []
  /// The statements that ran, to show when a result is wrong.
  private(set) var log: [String] = []
  /// Whether anything other than rows was changed.
  private(set) var changesDefinitions = false
  private var prepared: [Statement] = []

  init(_ db: Database, seed: UInt64) {
    self.db = db
    words = RandomWords(generator: SeededGenerator(seed: seed))
  }

  // MARK: The database before

  /// Creates tables with rows.
  func makeDatabase() {
    var models: [RandomTable] = []
    for name in words.columns(RandomWords.tableNames, 2 + words.below(4)) {
      models.append(words.table(name, others: models))
    }
    for model in models { create(model) }
    for table in tables {
      if words.chance(50) { run(words.index(on: table)) }
      for _ in 0..<words.below(4) { run(words.insert(into: table)) }
    }
    if words.chance(30) { makeTrigger() }
    if words.chance(15) { makeView() }
    if words.chance(12), let table = tables.randomElement(using: &words.generator) { shadow(table) }
    changesDefinitions = false
  }

  private func create(_ table: RandomTable) {
    if run(table.sql()) { tables.append(table) }
  }

  /// Creates a temporary table of the same name, which hides the table from statements without a schema.
  private func shadow(_ table: RandomTable) {
    run("CREATE TEMP TABLE \(table.quoted) (\(table.columnList))")
  }

  private func makeTrigger() {
    guard let on = tables.randomElement(using: &words.generator),
      let other = tables.randomElement(using: &words.generator)
    else { return }
    let column = words.pick(other.columns).name.quotedIdentifier
    let body = words.pick([
      "DELETE FROM \(other.quoted) WHERE \(column) = \(words.value())",
      "UPDATE \(other.quoted) SET \(column) = \(words.value()) WHERE \(column) = \(words.value())",
      words.insert(into: other, schema: ""),
    ])
    let event = words.pick(["INSERT", "UPDATE", "DELETE"])
    run(
      "CREATE \(words.chance(25) ? "TEMP " : "")TRIGGER \("g\(words.below(1_000_000))") AFTER \(event) ON main.\(on.quoted)"
        + " BEGIN \(body); END")
  }

  private func makeView() {
    guard let table = tables.randomElement(using: &words.generator) else { return }
    let name = words.pick(["v", "ghost"])
    run("CREATE VIEW main.\(name) AS SELECT * FROM \(table.quoted)")
    if words.chance(50) {
      run(
        "CREATE TRIGGER main.\("w\(words.below(1_000_000))") INSTEAD OF INSERT ON \(name) BEGIN"
          + " DELETE FROM \(table.quoted); END")
    }
  }

  // MARK: The changes

  /// Makes one to five changes.
  ///
  /// - Parameter isClean: Whether the database had no violations. Only then is a statement prepared before others run:
  ///   old violations of tables that it touches only because of a later trigger cannot be distinguished from new ones.
  func migrate(isClean: Bool) throws {
    changesDefinitions = false
    for _ in 0..<(1 + words.below(5)) { try step(isClean: isClean) }
    for statement in prepared { if (try? statement.execute()) != nil { log.append("-- ran \(statement.sql)") } }
    prepared = []
    synchronize()
  }

  private func step(isClean: Bool) throws {
    guard let table = tables.randomElement(using: &words.generator) else { return makeTable() }
    if words.chance(12) { return try savepoint(isClean: isClean) }
    if isClean, words.chance(4), let statement = try? db.makeStatement(sql: words.insert(into: table, words: "INSERT"))
    {
      log.append("-- prepared \(statement.sql)")
      prepared.append(statement)
      return
    }
    if words.chance(58) { changeRows(of: table) } else { changeDefinition(of: table) }
  }

  private func savepoint(isClean: Bool) throws {
    let before = tables
    try db.inSavepoint {
      log.append("SAVEPOINT s")
      for _ in 0..<(1 + words.below(2)) { try step(isClean: isClean) }
      let isKept = words.chance(40)
      log.append(isKept ? "RELEASE s" : "ROLLBACK TO s")
      if !isKept { tables = before }
      return isKept ? .commit : .rollback
    }
  }

  private func changeRows(of table: RandomTable) {
    let schema = words.chance(80) ? "main." : ""
    let name = schema + words.spelled(table.name)
    let column = words.pick(table.columns).name.quotedIdentifier
    let condition = words.chance(70) ? " WHERE \(column) = \(words.value())" : ""
    let value = words.value()
    switch words.below(9) {
    case 0, 1: run(words.insert(into: table, words: "INSERT", schema: schema))
    case 2: run(words.insert(into: table, words: "INSERT OR REPLACE", schema: schema))
    case 3: run("DELETE FROM \(name)\(condition)")
    case 4: run("DELETE FROM \(name)")
    case 5: run("UPDATE OR REPLACE \(name) SET \(column) = \(value)\(condition)")
    case 6:
      let source = words.pick(tables)
      let columns = table.columns.map { _ in words.pick(source.columns).name.quotedIdentifier }
      run(
        "INSERT OR IGNORE INTO \(name) (\(table.columnList)) SELECT \(columns.joined(separator: ", ")) "
          + "FROM main.\(source.quoted)")
    case 7 where db.engine.abilities.contains(.upsert) && !table.primaryKey.isEmpty:
      let key = table.primaryKey.map(\.quotedIdentifier).joined(separator: ", ")
      run(words.insert(into: table, words: "INSERT") + " ON CONFLICT (\(key)) DO UPDATE SET \(column) = \(value)")
    default: run("UPDATE \(name) SET \(column) = \(value)\(condition)")
    }
  }

  private func changeDefinition(of table: RandomTable) {
    changesDefinitions = true
    switch words.below(16) {
    case 0, 1, 2: rebuild(table)
    case 3: swap(table, words.pick(tables))
    case 4: rename(table, to: words.pick(RandomWords.missingNames + RandomWords.tableNames))
    case 5: drop(table)
    case 6:
      drop(table)
      makeTable(table.name)
    case 7: makeTable()
    case 8: addColumn(to: table)
    case 9:
      if run("ALTER TABLE main.\(table.quoted) DROP COLUMN \(words.pick(table.columns).name.quotedIdentifier)") {
        reload(table)
      }
    case 10: renameColumn(of: table)
    case 11: run(words.index(on: table))
    case 12: dropIndex()
    case 13: makeTrigger()
    case 14: if words.chance(50) { makeView() } else { run("DROP VIEW main.\(words.pick(["v", "ghost"]))") }
    default:
      if words.chance(50) { shadow(table) } else { run("DROP TABLE temp.\(table.quoted)") }
      run("PRAGMA legacy_alter_table = \(words.below(2))")
    }
  }

  /// The steps of https://www.sqlite.org/lang_altertable.html#otheralter.
  private func rebuild(_ table: RandomTable) {
    let others = tables.filter { $0.name != table.name }
    var new = words.chance(50) ? table : words.table(table.name, columns: table.columns.map(\.name), others: others)
    if words.chance(30) { new.hasRowID = new.primaryKey.isEmpty || !new.hasRowID }
    let name = "new \(table.name)"
    guard run("PRAGMA legacy_alter_table = \(words.below(2))"), run(new.sql(named: name)),
      run(
        "INSERT OR IGNORE INTO main.\(name.quotedIdentifier) (\(new.columnList)) SELECT \(new.columnList) FROM main.\(table.quoted)"
      )
    else { return }
    drop(table)
    if run("ALTER TABLE main.\(name.quotedIdentifier) RENAME TO \(table.quoted)") { tables.append(new) }
  }

  private func swap(_ first: RandomTable, _ second: RandomTable) {
    guard first.name != second.name else { return }
    rename(first, to: "in between")
    rename(second, to: first.name)
    if let moved = tables.first(where: { $0.name == "in between" }) { rename(moved, to: second.name) }
  }

  private func rename(_ table: RandomTable, to name: String) {
    guard run("ALTER TABLE main.\(table.quoted) RENAME TO \(name.quotedIdentifier)"),
      let index = tables.firstIndex(where: { $0.name == table.name })
    else { return }
    tables[index].name = name
  }

  private func drop(_ table: RandomTable) {
    if run("DROP TABLE main.\(table.quoted)") { tables.removeAll { $0.name == table.name } }
  }

  private func makeTable(_ name: String? = nil) {
    changesDefinitions = true
    let table = words.table(name ?? words.pick(RandomWords.missingNames + RandomWords.tableNames), others: tables)
    create(table)
    if tables.contains(where: { $0.name == table.name }) { run(words.insert(into: table)) }
  }

  private func addColumn(to table: RandomTable) {
    let name = "more \(words.below(100))"
    let reference = words.chance(50) ? " REFERENCES \(words.spelled(words.pick(tables).name))" : ""
    let value = words.chance(40) ? " DEFAULT \(words.value())" : ""
    if run("ALTER TABLE main.\(table.quoted) ADD COLUMN \(name.quotedIdentifier) INTEGER\(value)\(reference)") {
      reload(table)
    }
  }

  private func renameColumn(of table: RandomTable) {
    let column = words.pick(table.columns).name
    if run(
      "ALTER TABLE main.\(table.quoted) RENAME COLUMN \(column.quotedIdentifier) TO \"renamed \(words.below(100))\"")
    {
      reload(table)
    }
  }

  private func dropIndex() {
    let indexes = (try? db.schema().objects.filter { $0.kind == .index }) ?? []
    if let index = indexes.randomElement(using: &words.generator) {
      run("DROP INDEX main.\(index.name.quotedIdentifier)")
    }
  }

  /// Reads a table's columns again after its definition was edited in place; discards its keys.
  private func reload(_ table: RandomTable) {
    guard let index = tables.firstIndex(where: { $0.name == table.name }), let columns = try? db.columns(in: table.name)
    else { return }
    tables[index].columns = columns.map { .init(name: $0.name, definition: $0.declaredType) }
    let names = Set(columns.map(\.name))
    tables[index].uniqueKeys.removeAll { !names.isSuperset(of: $0) }
    tables[index].keys.removeAll { !names.isSuperset(of: $0) }
    if !names.isSuperset(of: table.primaryKey) { tables[index].primaryKey = [] }
    tables[index].constraints = []
  }

  /// Discards tables that no longer exist.
  func synchronize() {
    let existing = Set((try? db.schema().objects.filter { $0.kind == .table }.map(\.name)) ?? [])
    tables.removeAll { !existing.contains($0.name) }
  }

  @discardableResult
  private func run(_ sql: String) -> Bool {
    do {
      try db.execute(sql: sql)
      log.append(sql + ";")
      return true
    } catch {
      log.append("-- failed: \(sql)")
      // The tables that a statement names count as touched even if it cannot be prepared.
      try? db.inspector?.willRun(sql, isTrusted: true)
      return false
    }
  }
}
