internal import Migrator
internal import SQLSyntax

/// Runs the statements of an SQL file, and says where in the file one of them failed.
struct FileRun: Sendable {
  /// The file.
  let file: MigrationFile
  /// Ctrl-C, looked at before each statement.
  let interrupt: InterruptSignal
  /// Told of each statement before it runs: its number from 1.
  let onStatement: @Sendable (Int) -> Void

  /// Runs all statements in their order.
  ///
  /// - Throws: ``FileRunError`` for a statement that failed; `CancellationError` after Ctrl-C.
  func run(_ db: Database) throws {
    for (index, statement) in file.statements.enumerated() {
      guard !interrupt.hasArrived else { throw CancellationError() }
      onStatement(index + 1)
      do {
        try db.execute(sql: statement.text)
      } catch {
        guard !interrupt.hasArrived, !(error is CancellationError) else { throw CancellationError() }
        throw FileRunError(file: file, index: index, underlying: error)
      }
    }
  }
}

/// A statement of an SQL file failed.
struct FileRunError: Error, Sendable {
  /// The file.
  let file: MigrationFile
  /// The statement's place among ``MigrationFile/statements``, from 0.
  let index: Int
  /// What the engine said, or the migrator.
  let underlying: any Error

  /// Where it happened: the engine's place in the statement, or else the statement's beginning.
  var place: ToolFailure.Place {
    let statement = file.statements[index]
    let offset = (underlying as? DatabaseError)?.utf8Offset
    let position = offset.map(statement.position(ofUTF8Offset:)) ?? statement.position
    return ToolFailure.Place(
      path: file.path, line: position.line, column: position.column, text: Self.line(position.line, of: file.text),
      statement: (index + 1, file.statements.count))
  }

  /// A line of a text without its end; a line ends with LF, CR LF or CR.
  static func line(_ number: Int, of text: String) -> String? {
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
    guard lines.indices.contains(number - 1) else { return nil }
    return String(lines[number - 1].drop { $0 == "\u{FEFF}" })
  }
}

extension FileRunError: CustomStringConvertible {
  /// The place and what was said.
  var description: String { "\(place): \(underlying)" }
}
