internal import Migrator
internal import MigratorLint
internal import SQLSyntax

extension SchemaPath {
  /// Collects the statements, in an order that works with any references between the objects.
  mutating func find() {
    let affected = affectedNames
    dropViewsAndTriggers(affected)
    for index in before.indexes where isDroppedByName(index) { emit("DROP INDEX \(index.name.quotedIdentifier)") }
    createCopies()
    dropTables()
    for pair in pairs {
      switch pair.step {
      case .keep: break
      case .rename: emit(renaming(pair.before.name, to: pair.after.name))
      case .alter(let dropped, let added):
        let table = "ALTER TABLE \(pair.after.name.quotedIdentifier)"
        for column in dropped {
          let losses = pair.before.givenColumns.filter { $0.name == column.name.value }.map(pair.loss)
          emit("\(table) DROP COLUMN \(column.name.value.quotedIdentifier)", losses: losses)
        }
        for column in added { emit("\(table) ADD COLUMN \(pair.after.syntax.source.text(of: column.tokens))") }
      case .rebuild: emit(renaming(pair.copyName, to: pair.after.name))
      }
    }
    createTables()
    createIndexes()
    createViewsAndTriggers(affected)
    fillFullTextTables()
  }

  // MARK: Views and triggers

  /// The names, in lower case, of tables that are dropped, renamed or recreated, and of views that use them.
  ///
  /// While a table is missing, SQLite 3.25 and later cannot rename any other object that is used by the same view or
  /// trigger as the missing table ("error in view ..."). A view of a table that never existed always blocks renaming.
  private var affectedNames: Set<String> {
    var names: Set<String> = []
    for pair in pairs {
      switch pair.step {
      case .keep, .alter: break
      case .rename, .rebuild: names.formUnion([pair.before.folded, pair.after.folded])
      }
    }
    let kept = Set(pairs.map(\.before.folded))
    names.formUnion(before.tables.map(\.folded).filter { !kept.contains($0) })
    names.formUnion(removedOthers.map(\.name.asciiLowercased))
    guard !names.isEmpty else { return [] }
    var isGrowing = true
    while isGrowing {
      let views = before.views.filter { !$0.mentions.isDisjoint(with: names) || isBroken($0) }
      let all = names.union(views.map(\.name.asciiLowercased))
      isGrowing = all.count > names.count
      names = all
    }
    return names
  }

  /// Returns whether a view or trigger refers to a missing object, or cannot be parsed.
  private func isBroken(_ object: SchemaObject) -> Bool {
    guard let named = before.namedTables[object] else { return true }
    let known = Set((before.tables.map(\.object) + before.others + before.views).map(\.name.asciiLowercased))
    return !named.allSatisfy { known.contains($0.asciiLowercased) }
  }

  private func isDropped(_ object: SchemaObject, _ affected: Set<String>) -> Bool {
    guard (object.kind == .view ? after.views : after.triggers).hasSame(as: object) else { return true }
    if object.kind == .trigger, dropsWithTable(object.tableName) { return true }
    guard !affected.isEmpty else { return false }
    return !object.mentions.isDisjoint(with: affected) || affected.contains(object.name.asciiLowercased)
      || isBroken(object)
  }

  /// Returns whether a table of the earlier schema is dropped, which also drops its indexes and triggers.
  private func dropsWithTable(_ name: String) -> Bool {
    let folded = name.asciiLowercased
    guard before.table(folded) != nil else { return false }
    guard let pair = pair(from: folded) else { return true }
    if case .rebuild = pair.step { return true }
    return false
  }

  private func pair(from table: String) -> Pair? { places[table.asciiLowercased].map { pairs[$0] } }

  private mutating func dropViewsAndTriggers(_ affected: Set<String>) {
    // Triggers are dropped first, since dropping a view also drops its triggers.
    for trigger in before.triggers where isDropped(trigger, affected) {
      emit("DROP TRIGGER \(trigger.name.quotedIdentifier)")
    }
    for view in before.views where isDropped(view, affected) { emit("DROP VIEW \(view.name.quotedIdentifier)") }
  }

  private mutating func createViewsAndTriggers(_ affected: Set<String>) {
    for (old, new) in [(before.views, after.views), (before.triggers, after.triggers)] {
      for object in new {
        // A trigger is dropped with its view.
        let isKept = old.named(object.name).map { old in
          !isDropped(old, affected) && !(before.views.named(old.tableName).map { isDropped($0, affected) } ?? false)
        }
        if isKept != true, let sql = object.sql { emit(sql) }
      }
    }
  }

  // MARK: Indexes

  private mutating func createIndexes() {
    for index in after.indexes {
      if let old = before.indexes.named(index.name), !dropsWithTable(old.tableName), isKept(old) { continue }
      if let sql = index.sql { emit(sql, risks: risks(of: index)) }
    }
  }

  private func risks(of index: SchemaObject) -> [SuggestedMigration.Risk] {
    guard let sql = index.sql, let (definition, source) = Self.index(sql), definition.isUnique,
      let pair = pairs.first(where: { $0.after.folded == index.tableName.asciiLowercased })
    else { return [] }
    // The rows already satisfied the old index, whatever its name.
    let olds = before.indexes.filter { $0.tableName.asciiLowercased == pair.before.folded }.compactMap { old in
      old.sql.flatMap(Self.index)
    }
    let risks = RowRisks(pair)
    guard let new = risks.text(ofUniqueIndex: definition, in: source, was: nil) else { return [] }
    let isKnown = olds.contains { risks.text(ofUniqueIndex: definition, in: source, was: $0) == nil }
    return isKnown ? [] : [SuggestedMigration.Risk(text: new)]
  }

  private static func index(_ sql: String) -> (SQLCreateIndex, SQLSource)? {
    guard let syntax = try? SQLTree(parsing: sql), case .createIndex(let definition) = syntax.statement else {
      return nil
    }
    return (definition, syntax.source)
  }

  /// Returns whether a statement drops the index.
  ///
  /// A rebuild of its table would do so, too, but a reader of the migration would not see it.
  private func isDroppedByName(_ index: SchemaObject) -> Bool {
    guard dropsWithTable(index.tableName) else { return !isKept(index) }
    return pair(from: index.tableName) != nil && after.indexes.named(index.name) == nil
  }

  /// Returns whether the later schema has the same index, even if the index's table was renamed.
  private func isKept(_ index: SchemaObject) -> Bool {
    var renamed = index
    if let pair = pair(from: index.tableName), case .rename = pair.step {
      guard let (definition, source) = index.sql.flatMap(Self.index) else { return false }
      renamed.sql = source.replacing([definition.table.token], with: pair.after.name.quotedIdentifier)
    }
    return after.indexes.hasSame(as: renamed)
  }

  // MARK: Tables

  /// Creates the new tables under temporary names, and copies the rows.
  private mutating func createCopies() {
    for pair in pairs {
      guard case .rebuild = pair.step else { continue }
      let (name, table) = (pair.copyName, pair.before.name)
      emit(pair.after.sql(named: name))
      let copying = RowCopyStatement(pair, to: name)
      let keys = [pair.before, pair.after].map { $0.description.primaryKey?.isAutoincrement == true }
      let reuse =
        keys == [true, false] && pair.keepsRowID
        ? ["AUTOINCREMENT of table \"\(table)\": new rows get the keys of deleted ones"] : []
      emit(copying.sql, losses: copying.losses + reuse, risks: copying.risks)
      guard keys == [true, true] else { continue }
      // Prevents the ids of deleted rows from being reused (https://www.sqlite.org/autoinc.html).
      emit("DELETE FROM sqlite_sequence WHERE name = \(name.quotedText)")
      emit(
        "INSERT INTO sqlite_sequence (name, seq) SELECT \(name.quotedText), seq FROM sqlite_sequence"
          + " WHERE name = \(table.quotedText)")
    }
  }

  /// The virtual tables that are missing in the later schema, or defined differently there.
  private var removedOthers: [SchemaObject] { before.others.filter { !after.others.hasSame(as: $0) } }

  private mutating func dropTables() {
    for table in removedOthers {
      // The text of a full-text table with external content is in another table.
      let losses = FullTextTable(table)?.content == nil ? ["the rows of virtual table \"\(table.name)\""] : []
      emit("DROP TABLE \(table.name.quotedIdentifier)", losses: losses)
    }
    for table in before.tables {
      guard dropsWithTable(table.name) else { continue }
      let losses = pair(from: table.name) == nil ? ["table \"\(table.name)\" with its rows"] : []
      emit("DROP TABLE \(table.name.quotedIdentifier)", losses: losses)
    }
  }

  private mutating func createTables() {
    let paired = Set(pairs.map(\.after.folded))
    for table in after.tables where !paired.contains(table.folded) {
      if let sql = table.object.sql { emit(sql) }
    }
    for table in after.others where !before.others.hasSame(as: table) {
      if let sql = table.sql {
        emit(sql, risks: !pairs.isEmpty && after.isContentless(table) ? [Self.noText(table)] : [])
      }
    }
  }

  // MARK: Full-text tables

  private static func noText(_ table: SchemaObject) -> SuggestedMigration.Risk {
    SuggestedMigration.Risk(
      text:
        "full-text table \"\(table.name)\" is empty: it is contentless, so the text of existing rows must be inserted")
  }

  /// Fills full-text tables from the tables and views that they index, if these may have rows
  /// (https://www.sqlite.org/fts5.html#the_rebuild_command).
  private mutating func fillFullTextTables() {
    for table in after.others {
      guard let content = FullTextTable(table)?.content?.asciiLowercased else { continue }
      guard before.others.hasSame(as: table) ? changesRows(of: content, for: table) : mayHaveRows(content) else {
        continue
      }
      let name = table.name.quotedIdentifier
      emit("INSERT INTO \(name)(\(name)) VALUES ('rebuild')")
    }
  }

  private func mayHaveRows(_ name: String) -> Bool {
    pairs.contains { $0.after.folded == name } || before.others.named(name) != nil
      || !pairs.isEmpty && after.views.named(name) != nil
  }

  /// Returns whether rows that a full-text table indexes get other rowids, or other values in the indexed columns.
  private func changesRows(of name: String, for table: SchemaObject) -> Bool {
    guard let pair = pairs.first(where: { $0.after.folded == name }), case .rebuild = pair.step else { return false }
    let columns = after.snapshot.table(table.name)?.columns.map(\.name.asciiLowercased) ?? []
    return !pair.keepsRowID || !RowRisks(pair).changed.isDisjoint(with: columns)
  }

  private func renaming(_ name: String, to newName: String) -> String {
    "ALTER TABLE \(name.quotedIdentifier) RENAME TO \(newName.quotedIdentifier)"
  }
}

extension SchemaSide {
  /// Returns whether a full-text table stores its text neither itself nor in another table
  /// (https://www.sqlite.org/fts5.html#contentless_tables).
  fileprivate func isContentless(_ table: SchemaObject) -> Bool {
    guard let text = FullTextTable(table), text.content == nil else { return false }
    return snapshot.object(.table, named: table.name + "_content") == nil
  }
}

extension [SchemaObject] {
  fileprivate func named(_ name: String) -> SchemaObject? { first { $0.name.asciiLowercased == name.asciiLowercased } }

  fileprivate func hasSame(as object: SchemaObject) -> Bool {
    named(object.name)?.hasSameDefinition(as: object) ?? false
  }
}
