#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The table in which a database remembers its migrations.
///
/// It is created by the first migration's own transaction, so that looking at a database never writes.
package struct Ledger: Sendable {
  let table: String

  /// The identifiers of the applied migrations; empty when there is no ledger.
  ///
  /// - Throws: ``DatabaseError`` when the ledger is there and cannot be read.
  func appliedIdentifiers(_ db: Database) throws -> Set<String> {
    guard try exists(db) else { return [] }
    return try String.fetchSet(db, sql: "SELECT identifier FROM \(name) WHERE duration IS NOT NULL")
  }

  /// The applied migrations, in the order of their application.
  func entries(_ db: Database) throws -> [LedgerEntry] {
    guard try exists(db) else { return [] }
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT identifier, position, applied_at, duration, fingerprint, checksum, objects FROM \(name)
        WHERE duration IS NOT NULL ORDER BY sequence
        """)
    var entries: [LedgerEntry] = []
    while let row = try rows.next() {
      entries.append(
        LedgerEntry(
          identifier: try row[0], position: try row[1], appliedAt: try row[2],
          duration: (try row[3] as Double?).map { .seconds($0) }, fingerprint: try row[4], checksum: try row[5],
          objects: ObjectChanges(text: try row[6] ?? "")))
    }
    return entries
  }

  /// The objects that the applied migrations made and did not remove.
  func ownedObjects(_ db: Database) throws -> Set<ObjectChanges.Name> {
    guard try exists(db) else { return [] }
    var owned: Set<ObjectChanges.Name> = []
    let rows = try String.fetchCursor(db, sql: "SELECT coalesce(objects, '') FROM \(name) ORDER BY sequence")
    while let text = try rows.next() { ObjectChanges(text: text).apply(to: &owned) }
    return owned
  }

  /// Whether the database has a ledger.
  ///
  /// Asked before reading instead of taking an error for "no": a ledger that cannot be read is not an empty one.
  func exists(_ db: Database) throws -> Bool { try db.connection.columns(in: table) != nil }

  /// Creates the table if it is not there, within the open transaction.
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
          objects TEXT
        )
        """)
  }

  /// Writes a migration's entry and takes out those that it replaces, within the open transaction.
  func insert(_ entry: LedgerEntry, replacing merged: Set<String>, _ db: Database) throws {
    var objects = entry.objects
    if !merged.isEmpty {
      // What the replaced migrations made belongs to their successor now.
      var owned: Set<ObjectChanges.Name> = []
      for old in try entries(db) where merged.contains(old.identifier) { old.objects.apply(to: &owned) }
      entry.objects.apply(to: &owned)
      objects.made = owned
    }
    for identifier in merged.union([entry.identifier]).sorted() {
      try db.cachedStatement(sql: "DELETE FROM \(name) WHERE identifier = ?").execute(arguments: [identifier])
    }
    try db.cachedStatement(
      sql: """
        INSERT INTO \(name) (identifier, position, applied_at, duration, fingerprint, checksum, objects)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      entry.identifier, entry.position, entry.appliedAt, entry.duration.map { $0 / .seconds(1) }, entry.fingerprint,
      entry.checksum, objects.text,
    ])
  }

  /// The moment as the ledger writes it.
  static var now: String {
    Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  private var name: String { "main.\(table.quotedIdentifier)" }
}
