package import Migrator
package import SQLCipherBackend

/// Rows with texts and keys that tests search for in files.
package enum SecretRows {
  /// A text that occurs nowhere else.
  package static let marker = "zebra-crossing-marker-5d41402a"

  /// Bytes of a raw key that occur nowhere else.
  package static let keyBytes: [UInt8] = (0..<32).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 91) }

  /// The raw key with these bytes.
  package static var rawKey: EncryptionKey { .raw(keyBytes) }

  /// The bytes as hexadecimal digits, in SQLCipher's form.
  package static var keyDigits: String {
    keyBytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The number of rows with the marker: several times what the cache of the connections that write them holds.
  private static let rowCount = 8000

  /// Migrations that write the marker and the keys in all ways that could leave them in a file.
  package static let steps: [(name: String, run: @Sendable (Database) throws -> Void)] = [
    (
      "fill",
      { db in
        try db.create(table: "t") { t in
          t.column("a", .text)
          t.column("b", .blob)
        }
        let insert = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?)")
        for index in 0..<rowCount { try insert.execute(arguments: ["\(marker) \(index % 977)", nil]) }
        for text in [TestKey.passphraseText, keyDigits] { try insert.execute(arguments: [text, nil]) }
        try db.execute(sql: "INSERT INTO t VALUES ('', x'\(keyDigits)')")
      }
    ),
    (
      "sort",
      { db in
        try db.execute(
          sql: """
            CREATE TEMPORARY TABLE copy AS SELECT a, b FROM t ORDER BY a DESC;
            CREATE INDEX i ON t (a);
            UPDATE t SET a = a || '!';
            """)
      }
    ),
    (
      "rebuild",
      { db in try db.alter(table: "t") { t in t.change(column: "b") { column in column.defaults(to: 1) } } }
    ),
  ]

  /// Changes rows and rolls the changes back: the whole transaction, and a single statement that fails.
  package static func undo(_ db: Database) throws {
    try db.inTransaction {
      try db.execute(sql: "UPDATE t SET a = a || '?'; CREATE TEMPORARY TABLE more AS SELECT a, b FROM t ORDER BY a")
      return .rollback
    }
    try db.inTransaction {
      try db.execute(sql: "CREATE TABLE u (a UNIQUE); INSERT INTO u SELECT a || rowid FROM t")
      do {
        // This fails at the last row, after the statement's own journal was filled.
        try db.execute(
          sql: "UPDATE u SET a = CASE rowid WHEN \(rowCount + 3) THEN (SELECT a FROM u LIMIT 1) ELSE a || '#' END")
      } catch let error as DatabaseError where error.condition == .constraint(.unique) {}
      return .rollback
    }
  }
}
