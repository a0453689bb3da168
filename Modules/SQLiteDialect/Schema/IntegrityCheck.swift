package import Migrator
internal import SQLSyntax

/// The engine's integrity check of the main schema (https://www.sqlite.org/pragma.html#pragma_integrity_check), without
/// the findings that are false, and with those that are missing.
///
/// SQLite 3.40 looks for NULL in the wrong column of a table WITHOUT ROWID whose primary key is not made of its first
/// columns, and then reports a NULL value in each row of a sound table. A read-only connection does not know the CHECK
/// constraints, nor do old engines check them.
package struct IntegrityCheck {
  private static let pragma = "PRAGMA main.integrity_check"

  private let db: Database
  /// For each finding about NULL that may be false, the columns that it may concern; nil before the schema was read.
  private var suspects: [String: [(table: String, column: String)]]?
  /// The findings that were examined, and whether they are false.
  private var verdicts: [String: Bool] = [:]

  private init(_ db: Database) { self.db = db }

  /// Checks the database.
  ///
  /// - Parameter limit: The maximum number of findings.
  /// - Returns: The findings; empty if the database is intact.
  /// - Throws: A `DatabaseError` with the condition `statement` if a table can only be checked by another program, for
  ///   example since a CHECK constraint calls a function of the application; ``findings(_:ofTable:)`` checks the others.
  package static func findings(_ db: Database, limit: Int) throws -> [String] {
    var check = IntegrityCheck(db)
    // Without a limit for the engine, which false findings could reach.
    let reported = try String.fetchCursor(db, sql: "\(pragma)(\(Int32.max))")
    var findings: [String] = []
    do {
      while findings.count < limit, let report = try reported.next() {
        // The findings about pages are the lines of one text, below a title.
        for finding in report.split(separator: "\n").map(String.init) where !finding.hasPrefix("*** in database ") {
          if try finding != "ok" && !check.isFalse(finding) { findings.append(finding) }
        }
      }
    } catch let error as DatabaseError where error.condition == .corrupt && !findings.isEmpty {
      // The check itself ends at some damaged pages.
    }
    // Rows of a damaged file may not be readable.
    guard findings.isEmpty else { return Array(findings.prefix(limit)) }
    return Array(try check.violatedChecks { _ in true }.prefix(limit))
  }

  /// Checks one table with its indexes; engines before SQLite 3.33 check the whole database instead
  /// (https://www.sqlite.org/pragma.html#pragma_integrity_check).
  package static func findings(_ db: Database, ofTable table: String) throws -> [String] {
    var check = IntegrityCheck(db)
    let reported = try String.fetchAll(db, sql: "\(pragma)(\(table.quotedIdentifier))")
    let findings = try reported.filter { try $0 != "ok" && !check.isFalse($0) }
    return try findings.isEmpty ? check.violatedChecks { $0 == table } : findings
  }

  /// Returns a finding for each table with a row that violates a CHECK constraint, in the engine's words.
  private func violatedChecks(where isIncluded: (String) -> Bool) throws -> [String] {
    try db.schemaWithoutViewColumns().tables.filter { isIncluded($0.name) }.compactMap { table in
      let violates = try table.checks.contains { check in
        let condition = "NOT (\(SQLFragment.closed(check.sql)))"
        return try Bool.fetchOne(
          db, sql: "SELECT EXISTS (SELECT * FROM main.\(table.name.quotedIdentifier) WHERE \(condition))") ?? false
      }
      return violates ? "CHECK constraint failed in \(table.name)" : nil
    }
  }

  private mutating func isFalse(_ finding: String) throws -> Bool {
    guard finding.hasPrefix("NULL value in ") else { return false }
    if let verdict = verdicts[finding] { return verdict }
    let suspects = try suspects ?? readSuspects()
    self.suspects = suspects
    let columns = suspects[finding] ?? []
    let verdict = try !columns.isEmpty && columns.allSatisfy { try !mayHaveNull(in: $0.column, of: $0.table) }
    verdicts[finding] = verdict
    return verdict
  }

  /// Returns the findings that may be false; none if the schema cannot be read.
  private func readSuspects() throws -> [String: [(table: String, column: String)]] {
    var suspects: [String: [(table: String, column: String)]] = [:]
    for table in try db.schemaWithoutViewColumns().tables where table.isWithoutRowID {
      for column in table.columns {
        suspects["NULL value in \(table.name).\(column.name)", default: []].append((table.name, column.name))
      }
    }
    return suspects
  }

  private func mayHaveNull(in column: String, of table: String) throws -> Bool {
    do {
      return try hasNull(in: column, of: table)
    } catch let error as DatabaseError where error.concernsDatabase {
      return true
    }
  }

  private func hasNull(in column: String, of table: String) throws -> Bool {
    // The engine takes `IS NULL` of a column that is declared NOT NULL for false, without reading the rows. NOT INDEXED
    // makes it read the table itself.
    let query = """
      SELECT EXISTS (
        SELECT * FROM main.\(table.quotedIdentifier) NOT INDEXED WHERE typeof(\(column.quotedIdentifier)) = 'null')
      """
    return try Bool.fetchOne(db, sql: query) ?? true
  }
}
