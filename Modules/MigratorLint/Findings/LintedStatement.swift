internal import SQLMigrations
internal import SQLSyntax

/// A statement of a migration with its parts.
struct LintedStatement {
  let file: MigrationFile
  /// The statement's place in the file, from 0.
  let index: Int
  let statement: SQLStatement
  /// Its parts; nil when it cannot be read, which is for the engine to judge.
  let syntax: SQLTree?
  let effect: SQLStatementEffect

  init(_ file: MigrationFile, _ index: Int) {
    self.file = file
    self.index = index
    statement = file.statements[index]
    syntax = try? SQLTree(parsing: statement.text)
    effect = SQLStatementEffect(of: statement.text)
  }

  /// The tokens; empty when the statement cannot be read.
  var tokens: [SQLSource.Token] { syntax?.source.tokens ?? [] }

  /// The text of some tokens.
  func text(_ range: Range<Int>) -> String { syntax?.source.text(of: range) ?? "" }

  /// A finding at a token, or at the beginning of the statement.
  func finding(_ rule: LintRule, at token: Int? = nil, _ reason: String, remedy: String) -> LintFinding {
    let offset = token.flatMap { syntax?.source.token($0)?.range.lowerBound }
    return finding(rule, utf8Offset: offset, reason, remedy: remedy)
  }

  /// A finding at an offset into the statement's text, or at its beginning.
  func finding(_ rule: LintRule, utf8Offset: Int?, _ reason: String, remedy: String) -> LintFinding {
    LintFinding(
      rule, path: file.path, position: utf8Offset.map(statement.position(ofUTF8Offset:)) ?? statement.position,
      migration: file.identifier, statement: index, reason: reason, remedy: remedy)
  }
}
