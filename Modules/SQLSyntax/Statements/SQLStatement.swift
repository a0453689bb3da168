/// One statement of a script, and where the script has it.
package struct SQLStatement: Hashable, Sendable {
  /// The statement from its first token to its last, without comments around it and without its semicolon.
  ///
  /// It has as many bytes as `utf8Range`. It differs from the script in one case: where a carriage return alone ends a
  /// line comment inside the statement, a line feed stands in its place, for SQLite ends a line comment nowhere else.
  package let text: String

  /// The UTF-8 bytes of the script that the statement covers.
  package let utf8Range: Range<Int>
  /// The position of the first token in the script.
  package let position: SQLTextPosition

  /// The line of the first token in the script, from 1.
  package var line: Int { position.line }
  /// The column of the first token in the script, from 1.
  package var column: Int { position.column }
  /// What the statement does to transactions, settings and attached databases; reads its first tokens at each call.
  package var kind: SQLStatementKind { SQLStatementKind(of: text) }

  /// The position in the script of an offset into the statement's text, such as the engine reports for a syntax error.
  package func position(ofUTF8Offset offset: Int) -> SQLTextPosition {
    let local = SQLTextPosition(ofUTF8Offset: offset, in: text)
    guard local.line == 1 else { return SQLTextPosition(line: line + local.line - 1, column: local.column) }
    return SQLTextPosition(line: line, column: column + local.column - 1)
  }
}
