internal import Migrator

/// A known defect of some versions of an engine.
struct KnownDefect: Sendable {
  /// The first version of SQLite with the defect, and the first one without it, as numbers: 3040001 is 3.40.1.
  let versions: Range<Int>
  let sentence: String
  /// The page that describes the defect.
  let link: String
  /// Returns whether the defect concerns a database.
  let concerns: @Sendable (Database) throws -> Bool

  static let all = [
    KnownDefect(
      versions: 3_007_000..<3_051_003,
      sentence:
        "in WAL mode, a database can be damaged, in rare cases, when two connections write and make a checkpoint at the "
        + "same time; SQLite 3.51.3 and SQLCipher 4.14 do not have the defect, nor does an older version whose vendor has corrected it",
      link: "https://sqlite.org/wal.html#walresetbug"
    ) { db in
      // SQLite takes the statement for one that writes, which an access that only reads refuses.
      guard let statement = try db.connection.prepare("PRAGMA main.journal_mode", utf8Offset: 0).statement else {
        return false
      }
      defer { statement.reset() }
      return try statement.step() && statement.text(at: 0) == "wal"
    },
    KnownDefect(
      versions: 3_040_000..<3_041_000,
      sentence:
        "PRAGMA integrity_check reports NULL values that are not there, in a table WITHOUT ROWID whose primary key does not "
        + "consist of its first columns; this command leaves them out",
      link: "https://sqlite.org/pragma.html#pragma_integrity_check"
    ) { db in
      try db.schemaWithoutViewColumns().tables.contains { table in
        guard table.isWithoutRowID, let key = table.primaryKey else { return false }
        let first = table.columns.prefix(key.columns.count).map { $0.name.lowercased() }
        return first != key.columns.map { $0.lowercased() }
      }
    },
  ]

  static func concerning(_ db: Database) throws -> [KnownDefect] {
    // SQLCipher has the defects of the SQLite inside.
    let version = try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? ""
    let parts = version.split(separator: ".").map { Int($0) ?? 0 } + [0, 0, 0]
    let number = parts[0] * 1_000_000 + parts[1] * 1000 + parts[2]
    return try all.filter { defect in
      guard defect.versions.contains(number) else { return false }
      return try DatabaseError.ifPossible { try defect.concerns(db) } ?? false
    }
  }
}
