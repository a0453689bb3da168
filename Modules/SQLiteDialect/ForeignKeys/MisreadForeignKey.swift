internal import Migrator
internal import SQLSyntax

/// A foreign key that `PRAGMA foreign_key_check` of SQLite 3.15 checks with the values of a different column.
///
/// This is a key of a WITHOUT ROWID table that refers to the rowid of its parent: SQLite reads the column by its position
/// in the definition, but stores the columns of the primary key first (https://www.sqlite.org/withoutrowid.html). It
/// enforces the key correctly.
struct MisreadForeignKey {
  let table: String
  let key: ForeignKeyDescription
  let query: String
}

extension SQLiteConnection {
  /// Returns the keys of a table, or of all tables, that SQLite's own check reads incorrectly.
  func misreadForeignKeys(in table: String?) throws(DatabaseError) -> [MisreadForeignKey] {
    guard !features.checksForeignKeysRightly else { return [] }
    let condition = table.map { "AND name = \($0.quotedText) COLLATE NOCASE" } ?? ""
    var keys: [MisreadForeignKey] = []
    for table in try texts("SELECT name FROM main.sqlite_master WHERE type = 'table' \(condition)") {
      let references = try foreignKeys(on: table, inSchema: nil).filter { $0.originColumns.count == 1 }
      guard !references.isEmpty, try !hasRowID(table) else { continue }
      for key in references {
        let parent = try ProbedTable(key.destinationTable, self)
        guard let rowID = parent.rowIDAlias,
          key.destinationColumns.allSatisfy({ $0.asciiLowercased == rowID.asciiLowercased })
        else { continue }
        let value = "c.\(key.originColumns[0].quotedIdentifier)"
        let query = """
          SELECT 1 FROM main.\(table.quotedIdentifier) AS c WHERE \(value) IS NOT NULL AND NOT EXISTS \
          (SELECT 1 FROM main.\(key.destinationTable.quotedIdentifier) AS p WHERE p.\(rowID.quotedIdentifier) = +\(value))
          """
        keys.append(MisreadForeignKey(table: table, key: key, query: query))
      }
    }
    return keys
  }

  /// Returns a closure that returns the violations of SQLite's own check except those of misread keys, and then the
  /// violations of the misread keys.
  func replacing(
    _ misread: [MisreadForeignKey], in next: @escaping () throws(DatabaseError) -> ForeignKeyViolation?
  ) throws(DatabaseError) -> () throws(DatabaseError) -> ForeignKeyViolation? {
    var left = misread[...]
    var statement: (any DatabaseStatement)?
    return { [self] () throws(DatabaseError) in
      while let violation = try next() {
        let isMisread = misread.contains {
          $0.table == violation.originTable && $0.key.id == violation.foreignKeyId
        }
        if !isMisread { return violation }
      }
      while let key = left.first {
        if statement == nil { statement = try prepare(key.query, utf8Offset: 0).statement }
        if try statement?.step() == true {
          return ForeignKeyViolation(
            originTable: key.table, originRowID: nil, destinationTable: key.key.destinationTable,
            foreignKeyId: key.key.id)
        }
        statement = nil
        left.removeFirst()
      }
      return nil
    }
  }
}
