internal import Migrator
internal import SQLSyntax

/// Something that a rule found.
struct LintFinding: Sendable {
  /// The rule.
  var rule: LintRule
  /// The file's path.
  var path: String
  /// Where in the file; nil when it is about the whole file or folder.
  var position: SQLTextPosition?
  /// The migration; nil when it is about the folder.
  var migration: String?
  /// The statement's place among those of the file, from 0; nil when it is about none.
  var statement: Int?
  /// What is wrong, as a sentence without its full stop.
  var reason: String
  /// What to do about it, as sentences.
  var remedy: String

  /// The place as editors understand it: "path:line:column".
  var place: String {
    [path, position.map { String($0.line) }, position.map { String($0.column) }].compactMap(\.self)
      .joined(separator: ":")
  }
}
