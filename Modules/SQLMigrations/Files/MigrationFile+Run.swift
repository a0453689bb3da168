package import Migrator
package import SQLSyntax

extension MigrationFile {
  /// Runs all statements in order.
  ///
  /// - Parameters:
  ///   - isInterrupted: Returns whether to stop; called before each statement.
  ///   - onStatement: Called before each statement with its number from 1.
  /// - Throws: ``StatementError`` when a statement fails; `CancellationError` after an interruption.
  package func run(_ db: Database, isInterrupted: () -> Bool, onStatement: (Int) -> Void = { _ in }) throws {
    for (index, statement) in statements.enumerated() {
      guard !isInterrupted() else { throw CancellationError() }
      onStatement(index + 1)
      do {
        try db.execute(sql: statement.text)
      } catch {
        guard !isInterrupted(), !(error is CancellationError) else { throw CancellationError() }
        throw StatementError(file: self, index: index, underlying: statement.explaining(error, db))
      }
    }
  }

  /// The failure of a statement in an SQL file.
  package struct StatementError: Error, CustomStringConvertible {
    /// The file.
    package let file: MigrationFile
    /// The statement's index in `MigrationFile.statements`.
    package let index: Int
    /// The error of the engine, or of the migrator.
    package let underlying: any Error

    /// The position that the engine reports, or the beginning of the statement.
    package var position: SQLTextPosition {
      let statement = file.statements[index]
      let offset = (underlying as? DatabaseError)?.utf8Offset
      return offset.map(statement.position(ofUTF8Offset:)) ?? statement.position
    }

    /// The position and the error.
    package var description: String { "\(file.path):\(position.line):\(position.column): \(underlying)" }
  }

  /// The database has some, but not all, of the migrations that a file merges.
  package struct PartialMergeError: Error, CustomStringConvertible {
    /// The merged migrations that the database has.
    package let applied: Set<String>
    /// The merged migrations that the database does not have.
    package let missing: Set<String>

    /// The merged migrations, and those of them that the database has.
    package var description: String {
      "it merges \(listed(applied.union(missing).sorted())), but the database has only \(listed(applied.sorted()))"
    }
  }
}

extension SQLStatement {
  /// The error of the statement; where the engine is too old for it, one that says so in place of "syntax error".
  package func explaining(_ error: any Error, _ db: Database) -> any Error {
    guard var error = error as? DatabaseError, error.condition == .statement, error.message.contains("syntax error"),
      let needed = neededVersion,
      // Without the version the engine's own message has to do.
      let version = try? String.fetchOne(db, sql: "SELECT sqlite_version()"),
      let minor = version.split(separator: ".").dropFirst().first.flatMap({ Int($0) }), minor < needed.minor
    else { return error }
    error.condition = .unsupported
    error.message = "\(needed.feature) needs SQLite 3.\(needed.minor), and this engine is SQLite \(version)"
    error.remedy =
      "Use a newer engine, or create a new table, copy the rows, drop the old table and rename the new one, in this order."
    return error
  }

  /// The first version of SQLite 3 that knows the statement, with what it has that is new; nil for what all know
  /// (https://www.sqlite.org/changes.html).
  private var neededVersion: (feature: String, minor: Int)? {
    if case .dropColumn = SQLStatementEffect(of: text) { return ("DROP COLUMN", 35) }
    guard case .alterTable(let alteration)? = (try? SQLTree(parsing: text))?.statement,
      case .renameColumn = alteration.action
    else { return nil }
    return ("RENAME COLUMN", 25)
  }
}

extension Migration {
  /// Creates a migration that runs an SQL file; see ``MigrationFile/run(_:isInterrupted:onStatement:)``.
  package init(
    _ file: MigrationFile, isInterrupted: @escaping @Sendable () -> Bool, onStatement: @escaping @Sendable (Int) -> Void
  ) {
    let merged = Set(file.merges)
    let body: @Sendable (Database, Set<String>) throws -> Void = { db, applied in
      // A database with all the merged migrations already has the file's result. One with only some of them is in a
      // state that the file's author has not seen.
      guard applied.isEmpty || applied == merged else {
        throw MigrationFile.PartialMergeError(applied: applied, missing: merged.subtracting(applied))
      }
      if applied.isEmpty { try file.run(db, isInterrupted: isInterrupted, onStatement: onStatement) }
    }
    self.init(
      identifier: file.identifier, mode: file.foreignKeyMode == .immediate ? .immediate : .deferred,
      mergedIdentifiers: merged, checksum: file.checksum, formerChecksum: file.formerChecksum,
      violationsUntil: file.violationsUntil?.identifier,
      work: file.runsInTransaction ? .wrapped(body) : .unwrapped(body))
  }
}
