internal import Migrator

/// Puts rows of a kept file back into a rebuilt database: those of tables that the rebuild has not changed.
///
/// A table is unchanged when it is defined as before, and when the migrations and the seed fill it as they did the last
/// time, as far as that is known: what they insert now must not be lost to older rows. Rows that would refer to rows which
/// are gone, or break a new rule, are not put back. All in one transaction.
struct RowKeeping {
  /// What became of a table's rows.
  struct Outcome: Sendable, Encodable {
    /// The table.
    var table: String
    /// How many rows were put back; nil when none were, on purpose.
    var rows: Int?
    /// Why they were not; nil when they were.
    var reason: String?
  }

  /// The database as it was opened for rebuilding.
  let target: DatabaseTarget
  /// The migrator's own table.
  let ledgerTable: String
  /// What the migrations and the seed made of each table the last time, and now; nil where that is unknown.
  let made: (before: TableDigests?, now: TableDigests)

  /// Puts rows back.
  ///
  /// - Parameter backup: The path of the kept file.
  func restore(from backup: String, to queue: DatabaseQueue) throws -> [Outcome] {
    var location = target.location
    location.path = backup
    var configuration = Configuration()
    configuration.readonly = true
    let kept = try target.open(location, configuration)
    let outcomes = try kept.read { source in
      try queue.writeWithoutTransaction { db in
        try db.withoutForeignKeys {
          var outcomes: [Outcome] = []
          try db.inTransaction(.immediate) {
            outcomes = try restore(from: source, to: db)
            return .commit
          }
          return outcomes
        }
      }
    }
    try kept.close()
    return outcomes
  }

  private func restore(from source: Database, to db: Database) throws -> [Outcome] {
    var (tables, outcomes) = try candidates(source, db)
    while !tables.isEmpty {
      var refused: [String: String] = [:]
      var counts: [String: Int] = [:]
      try db.inSavepoint {
        (counts, refused) = try copy(tables, from: source, to: db)
        return refused.isEmpty ? .commit : .rollback
      }
      guard !refused.isEmpty else {
        outcomes += tables.map { Outcome(table: $0, rows: counts[$0] ?? 0) }
        break
      }
      // Without these, others may be whole.
      outcomes += tables.filter { refused[$0] != nil }.map { Outcome(table: $0, reason: refused[$0]) }
      tables.removeAll { refused[$0] != nil }
    }
    return outcomes
  }

  /// The tables whose rows may be put back, in the order of their creation, and what is known of the others.
  private func candidates(_ source: Database, _ db: Database) throws -> (tables: [String], others: [Outcome]) {
    let old = try source.schema()
    let new = try db.schema()
    let own: Set<String> = [ledgerTable.lowercased(), DevelopmentMark.tableName]
    var tables: [String] = []
    var others: [Outcome] = []
    for table in old.objects where table.kind == .table && !table.isShadow && !own.contains(table.name.lowercased()) {
      func leave(_ reason: String) { others.append(Outcome(table: table.name, reason: reason)) }
      guard let now = new.object(.table, named: table.name) else {
        leave("it is gone")
        continue
      }
      if table.isVirtual || now.isVirtual {
        leave("it is virtual")
      } else if !db.isSameDefinition(table.sql ?? "", now.sql ?? "") {
        leave("it is defined otherwise now")
      } else if let before = made.before?[table.name], before != made.now[table.name] {
        leave("the migrations or the seed fill it otherwise now")
      } else {
        tables.append(table.name)
      }
    }
    return (tables, others)
  }

  /// Copies the rows of tables.
  ///
  /// Triggers would act on rows on which they have acted before; there is no other way to switch them off in SQL than to
  /// drop them and to make them again (https://www.sqlite.org/lang_createtrigger.html).
  private func copy(
    _ tables: [String], from source: Database, to db: Database
  ) throws -> (counts: [String: Int], refused: [String: String]) {
    let triggers = try db.schema().objects.filter { $0.kind == .trigger }
    for trigger in triggers { try db.execute(sql: "DROP TRIGGER main.\(SQLIdentifier.doubleQuoted(trigger.name))") }
    var counts: [String: Int] = [:]
    var refused: [String: String] = [:]
    for table in tables {
      let failures = try db.replaceRows(of: table, from: source)
      if failures > 0 { refused[table] = "\(counted(failures, "row")) would break a rule that is new" }
      counts[table] = try Int.fetchOne(db, sql: "SELECT count(*) FROM main.\(SQLIdentifier.doubleQuoted(table))") ?? 0
      try raiseCounter(of: table, from: source, to: db)
    }
    for trigger in triggers { if let sql = trigger.sql { try db.execute(sql: sql) } }
    try refillSearchTables(db)
    guard refused.isEmpty else { return (counts, refused) }
    for table in tables where try db.foreignKeyViolations(in: table).next() != nil {
      refused[table] = "it refers to rows that are gone"
    }
    return (counts, refused)
  }

  /// An AUTOINCREMENT counter never goes back (https://www.sqlite.org/autoinc.html).
  private func raiseCounter(of table: String, from source: Database, to db: Database) throws {
    let exists = "SELECT EXISTS (SELECT * FROM sqlite_master WHERE name = 'sqlite_sequence')"
    for database in [source, db] where try Bool.fetchOne(database, sql: exists) != true { return }
    let select = "SELECT max(seq) FROM sqlite_sequence WHERE name = ?"
    guard let old = try Int64.fetchOne(source, sql: select, arguments: [table]) else { return }
    let new = try Int64.fetchOne(db, sql: select, arguments: [table])
    guard old > new ?? 0 else { return }
    try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = ?", arguments: [table])
    try db.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", arguments: [table, old])
  }

  /// Full-text tables over other tables read these anew (https://www.sqlite.org/fts5.html#the_rebuild_command).
  private func refillSearchTables(_ db: Database) throws {
    for table in try db.schema().objects where table.isVirtual {
      let name = SQLIdentifier.doubleQuoted(table.name)
      do {
        try db.inSavepoint {
          try db.execute(sql: "INSERT INTO main.\(name) (\(name)) VALUES ('rebuild')")
          return .commit
        }
      } catch let error as DatabaseError where error.condition == .statement {
        // No full-text table, or one that cannot.
      }
    }
  }
}
