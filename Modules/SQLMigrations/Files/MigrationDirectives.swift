internal import SQLSyntax

/// The directives in the `-- migrator:` comments of a file.
///
/// A directive may be in any kind of comment, on any line of the forward part. An unknown directive is reported as a
/// problem, never ignored: a file with the typo `no-transactoin` must not run inside a transaction.
struct MigrationDirectives {
  /// The mode that `foreign-keys immediate` or `foreign-keys deferred` requests; nil if the file has neither.
  private(set) var foreignKeyMode: MigrationFile.ForeignKeyMode?
  /// The identifiers in `merges A B`; those of several such directives are combined.
  private(set) var merges: [String] = []
  /// The migration that `violations-until IDENTIFIER REASON` names; nil if the file does not have this directive.
  private(set) var violationsUntil: MigrationFile.Repair?
  /// Whether the file has the directive `no-transaction`.
  private(set) var asksForNoTransaction = false
  /// The findings that `allow RULE REASON` and `allow-file RULE REASON` accept.
  private(set) var allowances: [MigrationFile.Allowance] = []
  private(set) var problems: [MigrationProblem] = []

  /// Whether one of the comments is the directive `whole-file`: no part of the file undoes the migration, whatever its
  /// headings or its name say.
  static func coverWholeFile(_ comments: [ScriptComment]) -> Bool {
    comments.contains { comment in
      guard comment.content.prefix(8).lowercased() == "migrator" else { return false }
      let rest = comment.content.dropFirst(8).drop(while: \.isWhitespace)
      return rest.first == ":" && rest.dropFirst().trimmingWhitespace == "whole-file"
    }
  }

  /// Reads the directives from the comments of the file at `path`, in order.
  init(_ comments: [ScriptComment], path: String) {
    for comment in comments where comment.content.prefix(8).lowercased() == "migrator" {
      if let problem = read(comment) {
        problems.append(MigrationProblem(problem, path: path, position: comment.position))
      }
    }
  }

  private mutating func read(_ comment: ScriptComment) -> MigrationProblem.Kind? {
    let rest = comment.content.dropFirst(8).drop { $0.isWhitespace }
    guard rest.first == ":" else {
      // A comment such as `migrator no-transaction` lacks the colon; one such as `migrator is great` is only prose.
      let word = String(rest.prefix { !$0.isWhitespace })
      return DirectiveUsage.usage(of: word) == nil ? nil : .invalidDirective(word, .missingColon)
    }
    let parts = rest.dropFirst().split(maxSplits: 1) { $0.isWhitespace }
    let name = parts.first.map(String.init) ?? ""
    let argument = parts.dropFirst().first?.trimmingWhitespace ?? ""
    switch name {
    case "foreign-keys":
      guard let mode = MigrationFile.ForeignKeyMode(rawValue: argument) else { break }
      guard foreignKeyMode == nil || foreignKeyMode == mode else { return .invalidDirective(name, .contradiction) }
      foreignKeyMode = mode
      return nil
    case "merges":
      // Identifiers are separated by whitespace or commas; "double quotes" enclose one that contains spaces.
      let identifiers = argument.matches(of: /(?:"[^"]*(?:"|$)|[^\s,"])+/)
        .map { $0.output.filter { $0 != "\"" } }.filter { !$0.isEmpty }
      guard !identifiers.isEmpty else { break }
      for identifier in identifiers where !merges.contains(identifier) { merges.append(identifier) }
      return nil
    case "violations-until":
      // Text in "double quotes" is one identifier, even if it contains spaces.
      guard let match = argument.wholeMatch(of: /(?:"([^"]+)"|(\S+))\s+.+/) else { break }
      let identifier = String(match.output.1 ?? match.output.2 ?? "")
      guard violationsUntil == nil else { return .invalidDirective(name, .contradiction) }
      violationsUntil = MigrationFile.Repair(identifier: identifier, position: comment.position)
      return nil
    case "allow", "allow-file":
      let line = comment.position.line
      guard let allowance = MigrationFile.Allowance(argument, line: line, coversFile: name == "allow-file")
      else { break }
      allowances.append(allowance)
      return nil
    case "no-transaction":
      guard argument.isEmpty else { break }
      asksForNoTransaction = true
      return nil
    case "whole-file":
      guard argument.isEmpty else { break }
      return nil
    default: return .unknownDirective(name)
    }
    return .invalidDirective(name, .argument)
  }
}
