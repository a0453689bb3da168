package import SQLSyntax

/// A watch that distinguishes the foreign key violations that a migration introduces from those that existed before.
///
/// Before a statement first touches a table, the watch reads the violations of that table and of the tables that refer
/// to it: these violations are old. It reads no other tables. After the migration, it checks the same tables again; new
/// violations make the migration fail.
///
/// The remaining tables need no check: whether a row violates a key depends only on the row, its table's keys, and
/// the rows and unique keys of the referenced table.
package final class ForeignKeyWatch {
  private let db: Database
  private let recorder: (any ChangeRecorder)?
  private var touched: Set<String> = []
  private var looked: Set<String> = []
  private var mismatched: Set<String> = []
  private var old = OrphanCount()

  /// The references between tables before the migration or, once ``finish()`` has returned, after the migration.
  ///
  /// Pass it to the next migration's watch, unless the transaction was rolled back.
  package private(set) var graph: ForeignKeyGraph

  /// The objects that the migration has added, as far as the schema was read; nil if the migration may have changed the schema
  /// in other ways.
  private(set) var addedObjects: [SchemaObject]? = []

  /// The tables and views whose definition has changed, as far as the schema was read; names are in ASCII lowercase.
  private var redefined: Set<String> = []

  /// Starts the watch, which ends with ``finish()`` or ``stop()``; `older` is the last graph of an earlier watch on the
  /// same database, and is not read again if `isCurrent`.
  package init(_ db: Database, following older: ForeignKeyGraph? = nil, isCurrent: Bool = false) throws {
    self.db = db
    recorder = db.connection.changeRecorder
    let isContinued = isCurrent && older != nil
    graph = if isContinued, let older { older } else { try ForeignKeyGraph(db, following: older) }
    recorder?.start(isContinued: isContinued)
    // An engine that does not report touched tables may touch any table.
    if recorder == nil { try look(at: graph.allReferringTables) }
  }

  /// Marks the tables that a statement touched unexpectedly while it ran; call this method before another statement is
  /// prepared.
  ///
  /// If the schema has changed since a statement was prepared, the engine recompiles the statement and runs it at once.
  /// Because of a new trigger, for example, the statement may then touch more tables. It is too late to read the old
  /// violations of these tables, so all of their violations count as new.
  package func statementWillBePrepared() {
    guard graph.hasKeys, let changes = recorder?.changes else { return }
    // Other code has changed rows on the same connection, possibly of any table.
    if changes.isIncomplete { looked.formUnion(graph.allReferringTables) }
    guard changes.tables.count > touched.count else { return }
    looked.formUnion(graph.affected(by: changes.tables.subtracting(touched)))
    touched = changes.tables
  }

  /// Reads the violations of the tables that the statement just prepared is the first to touch.
  package func statementPrepared(_ statement: SQLStatementSummary) throws {
    // Without keys there are no old violations, and keys that the migration creates find none.
    guard graph.hasKeys, let changes = recorder?.changes else { return }
    if changes.isIncomplete { try look(at: graph.allReferringTables) }
    let new = changes.tables.subtracting(touched)
    touched = changes.tables
    if !new.isEmpty { try look(at: graph.affected(by: new)) }
    if statement.changesNames {
      // The recorder reports neither the new name of a renamed table nor views: both may take the name of a missing
      // table.
      try look(at: graph.tablesReferringToNothing)
      // Renaming a table rewrites the definitions of the tables that refer to it, and these may themselves be parents
      // (https://www.sqlite.org/lang_altertable.html#alter_table_rename).
      try look(at: graph.affected(by: graph.affected(by: touched)))
    }
  }

  /// Returns whether a migration that has only created objects need not be checked: it has touched neither a table with
  /// foreign keys nor one that such a table refers to.
  func needsNoCheck() -> Bool {
    // Also the tables that the last statement touched unexpectedly.
    statementWillBePrepared()
    return recorder?.changes.isIncomplete == false && !graph.hasVirtualTables && looked.isEmpty
  }

  /// Treats the changes to the schema that have been read as those of earlier migrations, apart from `objects`, which the
  /// watched migration has added.
  func beginMigration(added objects: [SchemaObject]) {
    addedObjects = objects
    redefined = Set(objects.lazy.filter { $0.kind != .trigger }.map(\.tableName.asciiLowercased))
  }

  /// Ends the watch without a result.
  package func stop() { recorder?.stop() }

  /// The result of a watch.
  package struct Verdict {
    /// The violations that the migration introduced: the first ones, if there are more than an error can contain.
    package var new: [ForeignKeyViolation] = []
    /// The number of violations that the migration introduced.
    package var newCount = 0
    /// The number of violations that existed before the migration, in the tables that it touched.
    package var oldCount = 0

    fileprivate mutating func add(_ violation: ForeignKeyViolation) {
      newCount += 1
      if new.count < ForeignKeyViolationError.capacity { new.append(violation) }
    }
  }

  /// Checks the touched tables, and ends the watch.
  ///
  /// - Throws: ``DatabaseError`` with the condition `.statement` if, because of the migration, a foreign key of
  ///   a table with rows refers to columns that are not unique.
  package func finish() throws -> Verdict {
    recorder?.stop()
    let changes = recorder?.changes ?? RecordedChanges(isIncomplete: true)
    try followSchema()
    guard graph.hasKeys else { return Verdict() }
    let checked =
      changes.isIncomplete
      ? graph.allReferringTables : graph.affected(by: changes.tables.union(redefined))

    var verdict = Verdict()
    var unmatched: [(violation: ForeignKeyViolation, orphan: Orphan)] = []
    // No more orphans can have moved than there were old ones.
    let capacity = old.total + ForeignKeyViolationError.capacity
    for table in checked.sorted() {
      try forEachViolation(in: table, redefined) { violation, orphan in
        if old.remove(orphan) {
          verdict.oldCount += 1
        } else if old.total == 0 || redefined.isEmpty || unmatched.count >= capacity {
          verdict.add(violation)
        } else {
          unmatched.append((violation, orphan))
        }
      }
    }
    for (violation, orphan) in unmatched {
      if old.removeMoved(orphan, from: redefined) {
        verdict.oldCount += 1
      } else {
        verdict.add(violation)
      }
    }
    return verdict
  }

  /// Updates the graph, and returns the objects that were added to the schema since it was last read; nil if the schema
  /// may have changed in other ways.
  @discardableResult
  func followSchema() throws -> [SchemaObject]? {
    let isIncomplete = recorder?.changes.isIncomplete ?? true
    if !isIncomplete, !graph.hasVirtualTables, let added = try recorder?.addedObjects() {
      if !added.isEmpty { redefined.formUnion(try graph.add(added, db)) }
      addedObjects? += added
      return added
    }
    let before = graph
    graph = try ForeignKeyGraph(db, following: before, isRereading: isIncomplete)
    redefined.formUnion(graph.schema.tablesDefinedOtherwise(than: before.schema))
    addedObjects = nil
    return nil
  }

  /// Reads and counts the violations of `tables`, except those of tables that this method has already read.
  private func look(at tables: Set<String>) throws {
    for table in tables.subtracting(looked).sorted() {
      looked.insert(table)
      do {
        try forEachOrphan(in: table) { _, orphan in old.add(orphan) }
      } catch let error as DatabaseError where error.condition == .statement {
        // A key that refers to columns without a unique key ("foreign key mismatch") had the fault before.
        if try db.hasRows(in: table) { mismatched.insert(table) }
      }
    }
  }

  private func forEachViolation(
    in table: String, _ redefined: Set<String>, _ body: (ForeignKeyViolation, Orphan) throws -> Void
  ) throws {
    do {
      try forEachOrphan(in: table, body)
    } catch let error as DatabaseError where error.condition == .statement {
      // Without rows, there is no violation; rows that a migration adds later make that one fail.
      if try mismatched.contains(table) || !db.hasRows(in: table) { return }
      // A mismatch follows a table that is renamed.
      let renamed = mismatched.first { graph.keys[$0] == nil && redefined.contains($0) }
      guard let renamed, redefined.contains(table) else { throw error }
      mismatched.remove(renamed)
    }
  }

  /// Calls a closure with each violation in a table, whose keys are read only if there is one.
  private func forEachOrphan(in table: String, _ body: (ForeignKeyViolation, Orphan) throws -> Void) throws {
    let next = try db.connection.foreignKeyViolations(in: table)
    if let first = try next() { try OrphanReader(table, in: db).forEach(first, next, body) }
  }
}
