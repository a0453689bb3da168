package import Migrator
package import SQLSyntax

/// Runs the statements of an SQL file, and says where in the file one of them failed.
package struct FileRun: Sendable {
  /// The file.
  package let file: MigrationFile
  /// Whether to stop, asked before each statement.
  package let isInterrupted: @Sendable () -> Bool
  /// Told of each statement before it runs: its number from 1.
  package let onStatement: @Sendable (Int) -> Void

  /// Creates a run of a file.
  package init(
    file: MigrationFile, isInterrupted: @escaping @Sendable () -> Bool,
    onStatement: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.file = file
    self.isInterrupted = isInterrupted
    self.onStatement = onStatement
  }

  /// Runs all statements in their order.
  ///
  /// - Throws: ``FileRunError`` for a statement that failed; `CancellationError` after Ctrl-C.
  package func run(_ db: Database) throws {
    for (index, statement) in file.statements.enumerated() {
      guard !isInterrupted() else { throw CancellationError() }
      onStatement(index + 1)
      do {
        try db.execute(sql: statement.text)
      } catch {
        guard !isInterrupted(), !(error is CancellationError) else { throw CancellationError() }
        throw FileRunError(file: file, index: index, underlying: error)
      }
    }
  }
}

/// A statement of an SQL file failed.
package struct FileRunError: Error, Sendable {
  /// The file.
  package let file: MigrationFile
  /// The statement's place among ``MigrationFile/statements``, from 0.
  package let index: Int
  /// What the engine said, or the migrator.
  package let underlying: any Error

  /// The engine's place in the statement, or else the statement's beginning.
  package var position: SQLTextPosition {
    let statement = file.statements[index]
    let offset = (underlying as? DatabaseError)?.utf8Offset
    return offset.map(statement.position(ofUTF8Offset:)) ?? statement.position
  }

  /// A line of a text without its end; a line ends with LF, CR LF or CR.
  package static func line(_ number: Int, of text: String) -> String? {
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
    guard lines.indices.contains(number - 1) else { return nil }
    return String(lines[number - 1].drop { $0 == "\u{FEFF}" })
  }
}

extension FileRunError: CustomStringConvertible {
  /// The place and what was said.
  package var description: String {
    "\(file.path):\(position.line):\(position.column): \(underlying)"
  }
}
