#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
internal import SQLSyntax

/// The table in which a database remembers its migrations.
///
/// It is created by the first migration's own transaction, so that looking at a database never writes.
package struct Ledger: Sendable {
  /// Whether a table may have the name.
  package static func isPossible(table: String) -> Bool { SQLIdentifier.canNameTable(table) }

  /// The columns by which a ledger is recognized.
  static let columns = ["identifier", "position", "applied_at", "duration", "fingerprint", "checksum", "objects"]

  let table: String

  private let name: String
  private let insertion: String

  init(table: String) {
    self.table = table
    name = "main.\(table.quotedIdentifier)"
    // What a migration without a transaction has written when it began is replaced.
    insertion = """
      INSERT OR REPLACE INTO \(name) (identifier, position, applied_at, duration, fingerprint, checksum, objects, cursor)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """
  }

  /// The identifiers of the applied migrations; empty when there is no ledger.
  func appliedIdentifiers(_ db: Database) throws -> Set<String> {
    try reading(db, ifMissing: []) {
      try String.fetchSet(db, sql: "SELECT identifier FROM \(name) WHERE duration IS NOT NULL")
    }
  }

  /// The digests of the sources of applied migrations, by identifier; those without one are left out.
  func checksums(_ db: Database) throws -> [String: String] {
    try reading(db, ifMissing: [:]) {
      let rows = try Row.fetchCursor(
        db, sql: "SELECT identifier, checksum FROM \(name) WHERE duration IS NOT NULL AND checksum IS NOT NULL")
      var checksums: [String: String] = [:]
      while let row = try rows.next() { checksums[try row[0]] = try row[1] as String }
      return checksums
    }
  }

  /// The applied migrations, in the order of their application.
  func entries(_ db: Database, withUnfinished: Bool = false) throws -> [LedgerEntry] {
    try reading(db, ifMissing: []) {
      let rows = try Row.fetchCursor(
        db,
        sql: """
          SELECT identifier, position, applied_at, duration, fingerprint, checksum, objects FROM \(name)
          \(withUnfinished ? "" : "WHERE duration IS NOT NULL") ORDER BY sequence
          """)
      var entries: [LedgerEntry] = []
      while let row = try rows.next() {
        entries.append(
          LedgerEntry(
            identifier: try row[0], position: try row[1], appliedAt: try row[2],
            duration: try row[3].map(Self.duration(inSeconds:)), fingerprint: try row[4], checksum: try row[5],
            objectsText: try row[6] ?? ""))
      }
      return entries
    }
  }

  /// A duration from a file that may hold any number: what no clock has ever measured counts as zero.
  private static func duration(inSeconds seconds: Double) -> Duration {
    (0...1e9).contains(seconds) ? .seconds(seconds) : .zero
  }

  /// Reads the ledger, unless there is none; errors of a table that is not a ledger, or not one that this version can read,
  /// say so.
  private func reading<Value>(
    _ db: Database, ifMissing value: Value, isSecondTry: Bool = false, _ body: () throws -> Value
  ) throws -> Value {
    guard try exists(db) else { return value }
    do {
      return try body()
    } catch let error as DatabaseError where error.condition == .statement || error.condition == .conversion {
      // Outside of a transaction another connection may erase the database between the two questions, and migrate it again.
      if isSecondTry || db.isInsideTransaction {
        throw MigrationError.ledgerUnreadable(table: table, underlying: error)
      }
      return try reading(db, ifMissing: value, isSecondTry: true, body)
    }
  }

  /// Replaces what an applied migration's entry holds of objects, within the open transaction.
  func setObjects(_ objects: ObjectChanges, of identifier: String, _ db: Database) throws {
    try db.execute(
      sql: "UPDATE \(name) SET objects = ? WHERE identifier = ?", arguments: [objects.text, identifier])
  }

  /// A migration that has begun and not ended.
  struct Unfinished {
    /// Where its next batch begins, for one in batches.
    var cursor: DatabaseValue
    /// The objects that it has made so far.
    var objects: ObjectChanges
    /// The time since it began; nil when the ledger holds no date there.
    var ageInSeconds: Double?
  }

  func unfinished(_ identifier: String, _ db: Database) throws -> Unfinished? {
    try reading(db, ifMissing: nil) {
      let row = try Row.fetchOne(
        db, sql: "SELECT cursor, objects, applied_at FROM \(name) WHERE identifier = ? AND duration IS NULL",
        arguments: [identifier])
      return try row.map {
        Unfinished(
          cursor: try $0[0], objects: ObjectChanges(text: try $0[1] ?? ""),
          ageInSeconds: (try? Date(try $0[2], strategy: Self.dateFormat)).map { Date().timeIntervalSince($0) })
      }
    }
  }

  /// Marks a migration that has begun as one that no process works on, within the open transaction.
  func release(_ identifier: String, _ db: Database) throws {
    try db.execute(
      sql: "UPDATE \(name) SET applied_at = '' WHERE identifier = ? AND duration IS NULL", arguments: [identifier])
  }

  func begunIdentifiers(_ db: Database) throws -> Set<String> {
    try reading(db, ifMissing: []) {
      try String.fetchSet(db, sql: "SELECT identifier FROM \(name) WHERE duration IS NULL")
    }
  }

  /// The migrations whose entries applied ones have replaced.
  func replacedIdentifiers(_ db: Database) throws -> Set<String> {
    try reading(db, ifMissing: []) {
      let rows = try String.fetchCursor(
        db, sql: "SELECT objects FROM \(name) WHERE duration IS NOT NULL AND instr(objects, ?) > 0",
        arguments: [ObjectChanges.replacement])
      var replaced: Set<String> = []
      while let text = try rows.next() { replaced.formUnion(ObjectChanges(text: text).replaced) }
      return replaced
    }
  }

  func hasEntries(_ db: Database) throws -> Bool {
    try reading(db, ifMissing: false) {
      try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT * FROM \(name))") ?? false
    }
  }

  /// The objects that the applied migrations made and did not remove.
  func ownedObjects(_ db: Database) throws -> Set<SchemaObject.Name> {
    try reading(db, ifMissing: []) {
      var owned: Set<SchemaObject.Name> = []
      let rows = try String.fetchCursor(db, sql: "SELECT coalesce(objects, '') FROM \(name) ORDER BY sequence")
      while let text = try rows.next() { ObjectChanges(text: text).apply(to: &owned) }
      return owned
    }
  }

  /// Whether the database has a ledger, asked before reading: an error must not be taken for an empty one.
  func exists(_ db: Database) throws -> Bool { try db.connection.columns(in: table) != nil }

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

  /// A new entry, and what it does to the others.
  struct Change {
    var entry: LedgerEntry
    /// Where the next batch begins, for a migration in batches that is not done.
    var cursor: DatabaseValue = .null
    var replaced: Set<String> = []
  }

  /// Writes entries, in order, and takes out those that they replace, within the open transaction.
  func make(_ changes: some Collection<Change>, _ db: Database) throws {
    guard !changes.isEmpty else { return }
    let statement = try db.makeStatement(sql: insertion)
    for change in changes {
      let entry = change.entry
      let objects = try change.replaced.isEmpty ? entry.objectsText : inheriting(change, db)
      for identifier in change.replaced.sorted() {
        try db.cachedStatement(sql: "DELETE FROM \(name) WHERE identifier = ?").execute(values: identifier)
      }
      try statement.execute(
        arguments: StatementArguments(values: [
          .text(entry.identifier), .integer(Int64(entry.position)), .text(entry.appliedAt),
          entry.duration.map { .real($0 / .seconds(1)) } ?? .null, entry.fingerprint.map { .text($0) } ?? .null,
          entry.checksum.map { .text($0) } ?? .null, .text(objects), change.cursor,
        ]))
    }
  }

  /// The objects of an entry: what the replaced migrations made belongs to their successor now, which remembers them.
  private func inheriting(_ change: Change, _ db: Database) throws -> String {
    var owned: Set<SchemaObject.Name> = []
    var replaced: Set<String> = []
    for old in try entries(db) where change.replaced.contains(old.identifier) {
      let objects = old.objects
      objects.apply(to: &owned)
      replaced.formUnion(objects.replaced)
    }
    var objects = change.entry.objects
    objects.apply(to: &owned)
    objects.made = owned
    objects.replaced = replaced.union(change.replaced)
    return objects.text
  }

  /// The moment as the ledger writes it: `2026-01-31T23:59:59.123Z`.
  static var now: String { Date().formatted(dateFormat) }

  private static let dateFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

/// A migration that a database remembers.
package struct LedgerEntry: Sendable, Hashable {
  /// The position of an entry that was not registered when it came into the ledger, so that it has not been removed or
  /// renamed since.
  static let neverRegistered = -1

  /// The migration.
  package var identifier: String
  /// Its place among the registered migrations when it was applied, from 0; negative when it was not among them.
  package var position: Int
  /// When it was applied: UTC, as `2026-01-31T23:59:59.123Z`.
  package var appliedAt: String
  /// How long it took; nil for one without a transaction that has begun and not ended.
  package var duration: Duration?
  /// A digest of the schema after it; nil when it is not known.
  package var fingerprint: String?
  /// A digest of its source; nil when it has none.
  package var checksum: String?
  /// The objects that it made and removed, as the ledger holds them.
  let objectsText: String
  /// The objects that it made and removed; read from the ledger's text at each call, since few ask for them.
  package var objects: ObjectChanges { ObjectChanges(text: objectsText) }
  /// Whether it was taken over from a record that does not hold what its migrations made.
  var isOfUnknownWork: Bool {
    duration != nil && fingerprint == nil && (objectsText.isEmpty || objectsText.utf8.first == UInt8(ascii: "~"))
  }
}

extension SchemaSnapshot {
  /// The tables in which migrators remember what they have applied, whatever their names.
  package var ledgerTables: [String] { objects.filter(\.isLedger).map(\.name) }
}

extension SchemaObject {
  /// Whether the object is a table in which a migrator remembers what it has applied, whatever its name.
  var isLedger: Bool {
    guard kind == .table, !isVirtual, let sql, sql.contains("applied_at"), sql.contains("fingerprint") else {
      return false
    }
    // What cannot be read was not written by a migrator.
    guard let syntax = try? SQLTree(parsing: sql), case .createTable(let table) = syntax.statement else { return false }
    return Ledger.columns.allSatisfy { table.column(named: $0) != nil }
  }
}
