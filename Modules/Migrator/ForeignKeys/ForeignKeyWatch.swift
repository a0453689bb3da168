/// Tells the foreign key violations that a migration brings in from those that were there before.
///
/// It looks at a table's violations when a statement that touches the table, or one that it refers to, has been
/// prepared and has not run: what is found then is old. Tables that nobody touches are never looked at. After the
/// migration the touched tables are checked again; what is new fails the migration.
///
/// That the rest of the database need not be checked holds because a row's verdict depends on the row, its table's
/// keys, and the rows and unique keys of the table referred to, and on nothing else.
final class ForeignKeyWatch {
  private let db: Database
  private let recorder: (any ChangeRecorder)?
  private let before: ForeignKeyGraph
  private var touched: Set<String> = []
  private var looked: Set<String> = []
  private var mismatched: Set<String> = []
  private var old = OrphanCount()

  /// Begins to watch; ends with ``finish()`` or ``stop()``.
  init(_ db: Database) throws {
    self.db = db
    recorder = db.connection.changeRecorder
    before = try ForeignKeyGraph(db)
    recorder?.start()
    // An engine that cannot tell what is touched may touch anything.
    if recorder == nil { try look(at: before.allReferringTables) }
  }

  /// Looks at the tables that the statement prepared last touches for the first time.
  func statementPrepared() throws {
    guard let changes = recorder?.changes else { return }
    if changes.isIncomplete { try look(at: before.allReferringTables) }
    guard changes.tables.count > touched.count else { return }
    let new = changes.tables.subtracting(touched)
    touched = changes.tables
    try look(at: before.affected(by: new))
  }

  /// Ends the watch without a verdict.
  func stop() { recorder?.stop() }

  /// What the watch has found.
  struct Verdict {
    /// Violations that the migration brought in.
    var new: [ForeignKeyViolation] = []
    /// The number of violations in the touched tables that were there before.
    var oldCount = 0
  }

  /// Checks what was touched, and ends the watch.
  func finish() throws -> Verdict {
    let changes = recorder?.changes ?? RecordedChanges(isIncomplete: true)
    recorder?.stop()
    let after = try ForeignKeyGraph(db, reusing: before)
    let redefined = after.tablesDefinedOtherwise(than: before)
    let checked =
      changes.isIncomplete
      ? after.allReferringTables : after.affected(by: changes.tables.union(redefined))

    var verdict = Verdict()
    var unmatched: [(violation: ForeignKeyViolation, orphan: OrphanCount.Orphan)] = []
    for table in checked.sorted() {
      for violation in try violations(in: table, unlessIn: mismatched) {
        let orphan = try OrphanCount.orphan(violation, in: db)
        if old.remove(orphan) {
          verdict.oldCount += 1
        } else {
          unmatched.append((violation, orphan))
        }
      }
    }
    // A renamed table or column takes its old orphans along.
    for (violation, orphan) in unmatched {
      if old.remove(orphan, from: redefined) {
        verdict.oldCount += 1
      } else {
        verdict.new.append(violation)
      }
    }
    return verdict
  }

  /// Counts the violations of tables that were not looked at before.
  private func look(at tables: Set<String>) throws {
    for table in tables.subtracting(looked).sorted() {
      looked.insert(table)
      do {
        let next = try db.connection.foreignKeyViolations(in: table)
        while let violation = try next() { old.add(try OrphanCount.orphan(violation, in: db)) }
      } catch let error as DatabaseError where error.condition == .statement {
        // A key that refers to columns without a unique key ("foreign key mismatch") was so before.
        mismatched.insert(table)
      }
    }
  }

  private func violations(in table: String, unlessIn ignored: Set<String>) throws -> [ForeignKeyViolation] {
    do throws(DatabaseError) {
      var found: [ForeignKeyViolation] = []
      let next = try db.connection.foreignKeyViolations(in: table)
      while let violation = try next() { found.append(violation) }
      return found
    } catch {
      guard error.condition == .statement, ignored.contains(table) else { throw error }
      return []
    }
  }
}
