#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
internal import SQLSyntax

/// The table in which a migrator records its applied migrations.
///
/// The table is created in the transaction of the first migration, so that reading a database's status never writes.
package struct Ledger: Sendable {
  /// Returns whether a table can have this name.
  package static func isPossible(table: String) -> Bool { SQLIdentifier.canNameTable(table) }

  /// The columns by which a ledger is recognized.
  static let columns = ["identifier", "position", "applied_at", "duration", "fingerprint", "checksum", "objects"]

  let table: String

  private var name: String { "main.\(table.quotedIdentifier)" }

  func appliedIdentifiers(_ db: Database) throws -> Set<String> {
    Set(try texts(db, "identifier", where: "duration IS NOT NULL"))
  }

  /// Returns the checksums of the applied migrations, keyed by identifier; migrations without a checksum are not
  /// included.
  func checksums(_ db: Database) throws -> [String: String] {
    let condition = "duration IS NOT NULL AND checksum IS NOT NULL"
    let checksums = try rows(db, "identifier, checksum", where: condition) { row in
      (try row[0] as String, try row[1] as String)
    }
    return Dictionary(checksums) { _, last in last }
  }

  /// Returns the applied migrations, in the order in which they were applied.
  ///
  /// - Parameter withUnfinished: Whether to include migrations that have begun but not ended.
  package func entries(_ db: Database, withUnfinished: Bool = false) throws -> [LedgerEntry] {
    let condition = withUnfinished ? "1" : "duration IS NOT NULL"
    return try rows(db, Self.columns.joined(separator: ", "), where: condition) { row in
      LedgerEntry(
        identifier: try row[0], position: try row[1], appliedAt: try row[2],
        duration: try row[3].map(Self.duration(inSeconds:)), fingerprint: try row[4], checksum: try row[5],
        objectsText: try row[6] ?? "")
    }
  }

  private func texts(
    _ db: Database, _ column: String, where condition: String, arguments: StatementArguments = []
  ) throws -> [String] {
    try rows(db, column, where: condition, arguments: arguments) { try $0[0] }
  }

  /// Returns the duration for a number of seconds in the ledger; an impossible number counts as zero.
  private static func duration(inSeconds seconds: Double) -> Duration {
    (0...1e9).contains(seconds) ? .seconds(seconds) : .zero
  }

  /// Returns values from the rows that meet a condition, in order; empty if there is no ledger.
  ///
  /// - Throws: ``MigrationError/ledgerUnreadable(table:underlying:)`` if the table is not a ledger that this version
  ///   can read.
  private func rows<Value>(
    _ db: Database, _ columns: String, where condition: String, arguments: StatementArguments = [],
    _ value: (Row) throws -> Value
  ) throws -> [Value] {
    guard try exists(db) else { return [] }
    do {
      var values: [Value] = []
      let sql = "SELECT \(columns) FROM \(name) WHERE \(condition) ORDER BY sequence"
      try Row.fetchCursor(db, sql: sql, arguments: arguments).forEach { values.append(try value($0)) }
      return values
    } catch let error as DatabaseError where error.condition == .statement || error.condition == .conversion {
      // Another process may have erased the database in the meantime.
      guard try exists(db) else { return [] }
      throw MigrationError.ledgerUnreadable(table: table, underlying: error)
    }
  }

  /// Replaces, in the open transaction, the objects in the entry of an applied migration.
  func setObjects(_ objects: ObjectChanges, of identifier: String, _ db: Database) throws {
    try db.execute(
      sql: "UPDATE \(name) SET objects = ? WHERE identifier = ?", arguments: [objects.text, identifier])
  }

  /// A migration that has begun but not ended.
  struct Unfinished {
    /// The start of the next batch, for a batched migration.
    var cursor: DatabaseValue
    /// The objects that the migration has created so far.
    var objects: ObjectChanges
    /// The time since the migration began; nil if its ledger entry contains no date.
    var ageInSeconds: Double?
  }

  func unfinished(_ identifier: String, _ db: Database) throws -> Unfinished? {
    let condition = "identifier = ? AND duration IS NULL"
    return try rows(db, "cursor, objects, applied_at", where: condition, arguments: [identifier]) {
      Unfinished(
        cursor: try $0[0], objects: ObjectChanges(text: try $0[1] ?? ""),
        ageInSeconds: (try? Date(try $0[2], strategy: Self.dateFormat)).map { Date().timeIntervalSince($0) })
    }.first
  }

  /// Records, in the open transaction, that no process is running an unfinished migration.
  func release(_ identifier: String, _ db: Database) throws {
    try db.execute(
      sql: "UPDATE \(name) SET applied_at = '' WHERE identifier = ? AND duration IS NULL", arguments: [identifier])
  }

  func begunIdentifiers(_ db: Database) throws -> Set<String> {
    Set(try texts(db, "identifier", where: "duration IS NULL"))
  }

  /// Returns the migrations whose entries were replaced by the entries of applied migrations.
  func replacedIdentifiers(_ db: Database) throws -> Set<String> {
    let condition = "duration IS NOT NULL AND instr(objects, ?) > 0"
    return try texts(db, "objects", where: condition, arguments: [ObjectChanges.replacement]).reduce(into: []) {
      $0.formUnion(ObjectChanges(text: $1).replaced)
    }
  }

  func adoptedTables(_ db: Database) throws -> Set<String> {
    let adopting = try texts(db, "objects", where: "instr(objects, ?) > 0", arguments: [ObjectChanges.adoption])
    return adopting.reduce(into: []) {
      $0.formUnion(ObjectChanges(text: $1).adoptedTables)
    }
  }

  func hasEntries(_ db: Database) throws -> Bool {
    try !rows(db, "1", where: "sequence = (SELECT min(sequence) FROM \(name))") { _ in () }.isEmpty
  }

  /// Returns the objects that the ledger's migrations created and did not remove.
  func ownedObjects(_ db: Database) throws -> Set<SchemaObject.Name> {
    try texts(db, "objects", where: "objects IS NOT NULL").reduce(into: []) {
      ObjectChanges(text: $1).apply(to: &$0)
    }
  }

  /// Returns whether the database has a ledger.
  ///
  /// Checked before the ledger is read, so that an error does not look like an empty ledger.
  func exists(_ db: Database) throws -> Bool {
    try db.columnsOfOrdinaryTable(table) { _ in
      let error = db.context.error(.unsupported, "it is a view or a virtual table")
      return MigrationError.ledgerUnreadable(table: table, underlying: error)
    } != nil
  }

  func create(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS \(name) (
          sequence INTEGER PRIMARY KEY,
          identifier TEXT NOT NULL UNIQUE,
          position INTEGER NOT NULL,
          applied_at TEXT NOT NULL,
          duration REAL,
          fingerprint TEXT,
          checksum TEXT,
          objects TEXT,
          cursor
        )
        """)
  }

  /// A new entry, and its effect on other entries.
  struct NewEntry {
    var entry: LedgerEntry
    /// The start of the next batch, for a batched migration that is not done.
    var cursor: DatabaseValue = .null
    var replaced: Set<String> = []
  }

  /// The entries that a transaction adds, in order.
  ///
  /// If an entry were written right after its migration, the engine would have to recompile the INSERT for each entry,
  /// since the schema has changed: 200 migrations in one transaction would take SQLite twice the time. Entries therefore
  /// wait for the commit, or for a statement that may read the ledger. In the same way, which objects are new is read for all
  /// migrations together that have only created objects, before any other statement.
  struct NewEntries {
    private var all: [NewEntry] = []
    /// The number of entries, counted from the first, that are in the ledger.
    private(set) var writtenCount = 0
    /// The number of entries, counted from the first, whose objects have been read.
    private var completeCount = 0
    /// The places of the migrations, with the running one, whose statements name objects that have not been read.
    private var creators: [SchemaObject.Name: Int] = [:]

    /// The numbers of entries, and of those in the ledger.
    var counts: (count: Int, writtenCount: Int) { (all.count, writtenCount) }
    /// The last entry; nil if there is none.
    var last: LedgerEntry? { all.last?.entry }
    /// Whether some entries are not in the ledger.
    var hasUnwritten: Bool { writtenCount < all.count }
    /// Whether the objects of some entries have not been read.
    var hasIncomplete: Bool { completeCount < all.count }

    /// Adds an entry.
    ///
    /// - Parameter isComplete: Whether the objects of all entries have been read.
    mutating func append(_ entry: NewEntry, isComplete: Bool) {
      all.append(entry)
      if isComplete { didComplete() }
    }

    private mutating func didComplete() {
      completeCount = all.count
      creators.removeAll(keepingCapacity: true)
    }

    /// Returns the entries that are not in the ledger, to which they are about to be written.
    mutating func takeUnwritten() -> ArraySlice<NewEntry> {
      defer { writtenCount = all.count }
      return all[writtenCount...]
    }

    /// Sets the number of entries in the ledger, after a failure or a rollback.
    mutating func restoreWritten(_ count: Int) { writtenCount = count }

    /// Returns to the number of entries before a savepoint that has been rolled back; those that have been completed since
    /// remain so.
    mutating func rollBack(to before: (count: Int, writtenCount: Int)) {
      all.removeSubrange(before.count...)
      (writtenCount, completeCount) = (before.writtenCount, min(completeCount, all.count))
    }

    /// Notes the object that a statement of the running migration creates.
    ///
    /// - Returns: Whether its creation can be read later: the statement does nothing else, and no earlier migration may have
    ///   created, or failed to create, an object with the same name.
    mutating func noteCreation(by statement: SQLStatementSummary) -> Bool {
      guard let created = statement.plainCreation, let kind = SchemaObject.Kind(rawValue: created.kind) else {
        return false
      }
      let name = SchemaObject.Name(kind: kind, name: created.name.asciiLowercased)
      guard creators[name, default: all.count] == all.count else { return false }
      creators[name] = all.count
      return true
    }

    /// Completes the entries with the objects that have been created since the last time.
    ///
    /// - Parameters:
    ///   - isRunning: Whether a migration is running that may have created some of them.
    ///   - note: Notes the objects of a migration, and returns the texts of its entry.
    /// - Returns: The objects of the running migration.
    mutating func complete(
      with objects: [SchemaObject], isRunning: Bool,
      note: ([SchemaObject]) -> (objects: String, fingerprint: String)
    ) -> [SchemaObject] {
      // The last list is that of the running migration.
      var created: [[SchemaObject]] = Array(repeating: [], count: all.count - completeCount + 1)
      for object in objects {
        // The application's own statements may create an object that no statement names.
        let place = creators[SchemaObject.Name(object)] ?? (isRunning ? all.count : all.count - 1)
        created[place - completeCount].append(object)
      }
      for (place, objects) in zip(completeCount..<all.count, created) {
        let texts = note(objects)
        (all[place].entry.objectsText, all[place].entry.fingerprint) = (texts.objects, texts.fingerprint)
      }
      didComplete()
      return created.last ?? []
    }
  }

  /// Writes entries in order, in the open transaction, and deletes the entries that they replace.
  ///
  /// - Throws: ``DatabaseError``, which names the ledger if it has another layout;
  ///   ``MigrationError/recordLost(table:identifier:)`` if it is gone, or does not keep an entry.
  func write(_ entries: some Collection<NewEntry>, _ db: Database) throws {
    guard let first = entries.first else { return }
    do {
      try insert(entries, db)
    } catch var error as DatabaseError where error.isOfStatement {
      guard try exists(db) else {
        throw MigrationError.recordLost(table: table, identifier: first.entry.identifier)
      }
      error.remedy =
        "The ledger, table \"\(table)\", is not as the migrator makes it: restore a backup, give the migrator another "
        + "ledgerTable, or correct the migration if it has changed the table."
      throw error
    }
  }

  private func insert(_ entries: some Collection<NewEntry>, _ db: Database) throws {
    // Replaces the entry that a migration without a transaction wrote when it began.
    let statement = try db.makeStatement(
      sql: """
        INSERT OR REPLACE INTO \(name) (identifier, position, applied_at, duration, fingerprint, checksum, objects, cursor)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """)
    var isConfirmed = true
    for new in entries {
      let entry = new.entry
      let objects = try new.replaced.isEmpty ? entry.objectsText : inheriting(new, db)
      for identifier in new.replaced.sorted() {
        try db.cachedStatement(sql: "DELETE FROM \(name) WHERE identifier = ?").execute(values: identifier)
      }
      let before = db.totalChangesCount
      try statement.execute(
        arguments: StatementArguments(values: [
          .text(entry.identifier), .integer(Int64(entry.position)), .text(entry.appliedAt),
          entry.duration.map { .real($0 / .seconds(1)) } ?? .null, entry.fingerprint.map { .text($0) } ?? .null,
          entry.checksum.map { .text($0) } ?? .null, .text(objects), new.cursor,
        ]))
      // The statement has written one row, and no trigger has changed any.
      isConfirmed = isConfirmed && db.changesCount == 1 && db.totalChangesCount == before + 1
    }
    // A trigger that someone made on the table may have removed what was written.
    for identifier in isConfirmed ? [] : entries.map(\.entry.identifier) {
      let found = try Row.fetchOne(
        db, sql: "SELECT 1 FROM \(name) WHERE identifier = ?",
        arguments: StatementArguments(values: [.text(identifier)]))
      guard found != nil || entries.contains(where: { $0.replaced.contains(identifier) }) else {
        throw MigrationError.recordLost(table: table, identifier: identifier)
      }
    }
  }

  /// Returns the schema objects that a new entry records, including those of the migrations that it replaces.
  private func inheriting(_ new: NewEntry, _ db: Database) throws -> String {
    var owned: Set<SchemaObject.Name> = []
    var replaced: Set<String> = []
    var adoptedTables: Set<String> = []
    for old in try entries(db) where new.replaced.contains(old.identifier) {
      let objects = old.objects
      adoptedTables.formUnion(objects.adoptedTables)
      objects.apply(to: &owned)
      replaced.formUnion(objects.replaced)
    }
    var objects = new.entry.objects
    objects.apply(to: &owned)
    objects.made = owned
    objects.adoptedTables = adoptedTables
    objects.replaced = replaced.union(new.replaced)
    return objects.text
  }

  /// The current time in the ledger's format: `2026-01-31T23:59:59.123Z`.
  static var now: String { Date().formatted(dateFormat) }

  private static let dateFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension DatabaseError {
  /// Whether the table of the statement is not as the statement expects it.
  fileprivate var isOfStatement: Bool {
    if case .constraint = condition { true } else { condition == .statement }
  }
}

extension SchemaSnapshot {
  /// The ledgers of migrators in the schema, whatever their names.
  package var ledgerTables: [String] { objects.filter(\.isLedger).map(\.name) }
}

extension SchemaObject {
  /// Whether the object is the ledger of a migrator, whatever its name.
  var isLedger: Bool {
    guard kind == .table, !isVirtual, let sql, sql.contains("applied_at"), sql.contains("fingerprint") else {
      return false
    }
    // A migrator did not write a definition that cannot be parsed.
    guard let syntax = try? SQLTree(parsing: sql), case .createTable(let table) = syntax.statement else { return false }
    return Ledger.columns.allSatisfy { table.column(named: $0) != nil }
  }
}

extension Database {
  /// Returns the columns of an ordinary table of the main schema; nil if there is no object of that name.
  ///
  /// - Throws: The error that `refusal` returns, if the object is a view or a virtual table: its query might return an
  ///   endless number of rows.
  func columnsOfOrdinaryTable(
    _ name: String, otherwise refusal: ([ColumnDescription]) -> any Error
  ) throws -> [ColumnDescription]? {
    guard let columns = try connection.columns(in: name) else { return nil }
    // Reading the whole schema is needed only without a primary key: a view has none, nor has an engine's endless virtual
    // table.
    guard columns.allSatisfy({ $0.primaryKeyIndex == 0 }) else { return columns }
    guard let object = try object(.table, name, nil), !object.isVirtual else { throw refusal(columns) }
    return columns
  }
}
