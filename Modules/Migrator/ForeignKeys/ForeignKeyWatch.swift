internal import SQLSyntax

/// Distinguishes the foreign key violations that a migration brings in from those that were there before.
///
/// It looks at a table's violations when a statement that touches the table, or one that it refers to, has been
/// prepared and has not run: what is found then is old. Tables that are not touched are never looked at. After the
/// migration the touched tables are checked again; what is new fails the migration.
///
/// That the rest of the database need not be checked holds because a row's verdict depends on the row, its table's
/// keys, and the rows and unique keys of the table referred to, and on nothing else.
package final class ForeignKeyWatch {
  private let db: Database
  private let recorder: (any ChangeRecorder)?
  private var touched: Set<String> = []
  private var looked: Set<String> = []
  private var mismatched: Set<String> = []
  private var old = OrphanCount()

  /// Which tables refer to which: before the migration, and after it once ``finish()`` was called.
  ///
  /// To be handed to the next migration's watch, unless the transaction was rolled back.
  package private(set) var graph: ForeignKeyGraph

  /// What the migration added to the schema, once ``finish()`` was called; nil when it may have changed it otherwise.
  private(set) var addedObjects: [SchemaObject]?

  /// Begins to watch; ends with ``finish()`` or ``stop()``.
  ///
  /// - Parameters:
  ///   - older: The graph that an earlier watch over the same database ended with.
  ///   - isCurrent: Whether that graph is known to be right still, so that nothing need be read.
  package init(_ db: Database, following older: ForeignKeyGraph? = nil, isCurrent: Bool = false) throws {
    self.db = db
    recorder = db.connection.changeRecorder
    let isContinued = isCurrent && older != nil
    graph = if isContinued, let older { older } else { try ForeignKeyGraph(db, following: older) }
    recorder?.start(isContinued: isContinued)
    // An engine that does not report what is touched may touch anything.
    if recorder == nil { try look(at: graph.allReferringTables) }
  }

  /// Takes note of tables that a running statement touched unforeseen, before another statement is prepared.
  ///
  /// The engine compiles a statement again when the schema changed under it, and runs it at once: a trigger made in
  /// between may touch tables that it did not touch before. What was in them is no longer known; all that is
  /// wrong there counts as new.
  package func statementWillBePrepared() {
    guard graph.hasKeys, let changes = recorder?.changes else { return }
    // Others have changed rows on the same connection, of whatever tables.
    if changes.isIncomplete { looked.formUnion(graph.allReferringTables) }
    guard changes.tables.count > touched.count else { return }
    looked.formUnion(graph.affected(by: changes.tables.subtracting(touched)))
    touched = changes.tables
  }

  /// Looks at the tables that the statement prepared last touches for the first time.
  package func statementPrepared(_ sql: String = "") throws {
    // Without keys there is nothing to look at: those that the migration makes find no old violations.
    guard graph.hasKeys, let changes = recorder?.changes else { return }
    if changes.isIncomplete { try look(at: graph.allReferringTables) }
    let new = changes.tables.subtracting(touched)
    touched = changes.tables
    if !new.isEmpty { try look(at: graph.affected(by: new)) }
    if SQLStatementKind.changesNames(sql) {
      // What a table is renamed to is not recorded, nor are views: both may take the name of a table that was missing.
      try look(at: graph.tablesReferringToNothing)
      // Renaming rewrites the definitions of the tables that refer to what is renamed, and they are parents themselves
      // (https://www.sqlite.org/lang_altertable.html#alter_table_rename).
      try look(at: graph.affected(by: graph.affected(by: touched)))
    }
  }

  /// Ends the watch without a verdict.
  package func stop() { recorder?.stop() }

  /// What the watch has found.
  package struct Verdict {
    /// Violations that the migration brought in: the first ones, when there are more than an error carries.
    package var new: [ForeignKeyViolation] = []
    /// The number of violations that the migration brought in.
    package var newCount = 0
    /// The number of violations in the touched tables that were there before.
    package var oldCount = 0

    fileprivate mutating func add(_ violation: ForeignKeyViolation) {
      newCount += 1
      if new.count < ForeignKeyViolationError.capacity { new.append(violation) }
    }
  }

  /// Checks what was touched, and ends the watch.
  ///
  /// - Throws: ``DatabaseError``, as statement when a key refers to columns that are not unique and did not before.
  package func finish() throws -> Verdict {
    let changes = recorder?.changes ?? RecordedChanges(isIncomplete: true)
    recorder?.stop()
    let redefined = try followSchema(isIncomplete: changes.isIncomplete)
    guard graph.hasKeys else { return Verdict() }
    let checked =
      changes.isIncomplete
      ? graph.allReferringTables : graph.affected(by: changes.tables.union(redefined))

    var verdict = Verdict()
    var unmatched: [(violation: ForeignKeyViolation, orphan: Orphan)] = []
    // Not more than all old orphans can turn out to be old ones that have moved.
    let capacity = old.total + ForeignKeyViolationError.capacity
    for table in checked.sorted() {
      try forEachViolation(in: table, redefined) { violation, orphan in
        if old.remove(orphan) {
          verdict.oldCount += 1
        } else if old.isEmpty || redefined.isEmpty || unmatched.count >= capacity {
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

  /// Brings the graph up to date, and returns the tables and views whose definition differs, in ASCII lower case.
  private func followSchema(isIncomplete: Bool) throws -> Set<String> {
    if !isIncomplete, !graph.hasVirtualTables, let added = try recorder?.addedObjects() {
      addedObjects = added
      return added.isEmpty ? [] : try graph.add(added, db)
    }
    let before = graph
    graph = try ForeignKeyGraph(db, following: before, isRereading: isIncomplete)
    return graph.tablesDefinedOtherwise(than: before)
  }

  /// Counts the violations of tables that were not looked at before.
  private func look(at tables: Set<String>) throws {
    for table in tables.subtracting(looked).sorted() {
      looked.insert(table)
      do {
        try OrphanReader(table, in: db).forEach { _, orphan in old.add(orphan) }
      } catch let error as DatabaseError where error.condition == .statement {
        // A key that refers to columns without a unique key ("foreign key mismatch") was so before.
        mismatched.insert(table)
      }
    }
  }

  private func forEachViolation(
    in table: String, _ redefined: Set<String>, _ body: (ForeignKeyViolation, Orphan) throws -> Void
  ) throws {
    do {
      try OrphanReader(table, in: db).forEach(body)
    } catch let error as DatabaseError where error.condition == .statement {
      if mismatched.contains(table) { return }
      // A renamed table takes its mismatch along.
      let renamed = mismatched.first { graph.keys[$0] == nil && redefined.contains($0) }
      guard let renamed, redefined.contains(table) else { throw error }
      mismatched.remove(renamed)
    }
  }
}
