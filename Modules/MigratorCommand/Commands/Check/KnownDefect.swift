internal import Migrator

/// A known defect of some versions of an engine.
struct KnownDefect: Sendable {
  /// The first version of SQLite with the defect, and the first one without it.
  let versions: Range<SQLiteVersion>
  let sentence: String
  /// The page that describes the defect.
  let link: String
  /// Returns whether the defect concerns a database.
  let concerns: @Sendable (Database) throws -> Bool

  static let all = [
    KnownDefect(
      versions: SQLiteVersion([3, 7, 0])..<SQLiteVersion([3, 51, 3]),
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
      versions: SQLiteVersion([3, 40, 0])..<SQLiteVersion([3, 41, 0]),
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
    guard let text = try String.fetchOne(db, sql: "SELECT sqlite_version()"), let version = SQLiteVersion(text) else {
      return []
    }
    return try all.filter { defect in
      guard defect.versions.contains(version) else { return false }
      return try DatabaseError.ifPossible { try defect.concerns(db) } ?? false
    }
  }
}

/// A version of SQLite, such as 3.40.1.
struct SQLiteVersion: Comparable, Sendable {
  let numbers: [Int]

  init(_ numbers: [Int]) { self.numbers = numbers }

  init?(_ text: String) {
    let numbers = text.split(separator: ".").map { Int($0) }
    guard numbers.count >= 2, !numbers.contains(nil) else { return nil }
    self.numbers = numbers.compactMap(\.self)
  }

  static func < (one: SQLiteVersion, other: SQLiteVersion) -> Bool {
    one.numbers.lexicographicallyPrecedes(other.numbers)
  }
}
