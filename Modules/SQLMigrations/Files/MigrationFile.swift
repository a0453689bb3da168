internal import Migrator
package import SQLSyntax

/// A migration in an SQL file; only its forward part, since the part that undoes the migration is not read.
package struct MigrationFile: Sendable {
  /// The way in which foreign keys are checked.
  package enum ForeignKeyMode: String, Hashable, Sendable {
    /// The migrator switches enforcement off while the migration runs, and checks for violations before it commits.
    case deferred
    /// The migrator switches enforcement on while the migration runs, so that each statement is checked.
    case immediate
  }

  /// The name of the file, with the identifier and the number that it contains.
  package let name: MigrationName
  /// The text of the file up to the end of the forward part; the offsets of statements refer to this text.
  ///
  /// Empty if the file cannot be read.
  package private(set) var text = ""
  /// The SHA-256 digest of the tokens of ``text`` as 64 hexadecimal digits; changes to comments or to the whitespace
  /// between tokens do not affect the digest.
  package let checksum: String
  /// The convention that the file follows.
  package let layout: MigrationLayout
  /// The identifiers of the migrations that this migration replaces, in the order of the file; usually empty.
  package let merges: [String]
  /// The findings that the author accepts, in the order of the file.
  package let allowances: [Allowance]
  /// The later migration that repairs the foreign key violations of this migration; nil if this migration must not
  /// leave any violations.
  package let violationsUntil: Reference?
  /// The migrations that the file requires, according to comments such as `-- depends: 1_a`, in order; usually empty.
  let requirements: [Reference]
  /// Whether the file says that no part of it undoes the migration, whatever its headings and its name suggest:
  /// `-- migrator: whole-file`.
  package let isWhole: Bool
  /// Whether the file says that it is no copy, whatever its name or another file with equal statements suggest:
  /// `-- migrator: not-a-copy`.
  package let isNoCopy: Bool
  /// Whether the migrator runs the statements in a transaction; if not, the file may contain `BEGIN` and `COMMIT`.
  package private(set) var runsInTransaction: Bool

  /// The statements to run, in order; empty for a file that contains only comments.
  ///
  /// The file's `BEGIN`, `COMMIT` and `PRAGMA foreign_keys` are left out if the migrator does their work.
  package private(set) var statements: [SQLStatement] = []
  /// The way in which foreign keys are checked; deferred unless the file requests otherwise.
  package private(set) var foreignKeyMode = ForeignKeyMode.deferred
  /// The notes about the interpretation of the file, each with file and line.
  package private(set) var notices: [String] = []
  /// The note about a part that is not run; nil if the whole file is run.
  package private(set) var skippedPart: String?
  /// The reasons why the file cannot be run, in the order of its lines.
  package private(set) var problems: [MigrationProblem] = []

  /// Reads and parses the file that a name refers to.
  package init(_ name: MigrationName) {
    do {
      self.init(name, text: try ScriptFile.text(at: name.path))
    } catch {
      self.init(name, text: "", problems: [error])
    }
  }

  /// Parses the text of a file; `runsInTransaction` is false if a setting outside the text turns off the transaction.
  package init(
    _ name: MigrationName, text wholeText: String, runsInTransaction mayRunInTransaction: Bool = true,
    problems readingProblems: [MigrationProblem] = []
  ) {
    self.name = name
    text = wholeText
    problems = readingProblems
    var comments = ScriptComment.all(in: text)
    // These two count wherever they are.
    let all = MigrationDirectives(comments, path: name.path)
    (isWhole, isNoCopy) = (all.isWhole, all.isNoCopy)
    let sections = Sections(comments, of: text, isWhole: isWhole, path: name.path)
    if let end = sections.downOffset {
      text = String(decoding: text.utf8.prefix(end), as: UTF8.self)
      comments.removeAll { $0.utf8Range.lowerBound >= end }
    }
    let directives = MigrationDirectives(comments, path: name.path)
    checksum = Self.checksum(of: text)
    layout = sections.layout ?? name.layout
    merges = directives.merges
    allowances = directives.allowances
    violationsUntil = directives.violationsUntil
    requirements = comments.filter(\.isFirstOnLine).flatMap { comment in
      OtherTools.requirements(of: comment).map { Reference(identifier: $0, position: comment.position) }
    }
    runsInTransaction =
      mayRunInTransaction
      && !(directives.asksForNoTransaction || sections.asksForNoTransaction || Self.isTurnedOffBySqlx(comments))
    guard problems.isEmpty else { return }
    do {
      if try name.setting?.isOff() ?? false { runsInTransaction = false }
      problems += [try name.setting?.condition()].compactMap(\.self)
    } catch {
      problems.append(error)
    }
    problems += OtherTools.rules(in: comments).map {
      MigrationProblem(.unreadRule($0.shown), path: name.path, position: $0.position)
    }
    problems += comments.compactMap { comment in
      OtherTools.statementOfMySQL(in: comment).map {
        MigrationProblem(.mySQLComment($0), path: name.path, position: comment.position)
      }
    }
    if let original = name.original, !isNoCopy {
      problems.append(MigrationProblem(.copyName(original), path: name.path))
    }
    problems += comments.filter(\.goesOnAfterCarriageReturn).map {
      MigrationProblem(.carriageReturnInComment, path: name.path, position: $0.position)
    }
    parse(sections, directives)
  }

  private mutating func parse(_ sections: Sections, _ directives: MigrationDirectives) {
    var script = FileScript(path: path)
    do {
      let found = try SQLStatementSplitter.split(sections.closingStatements(of: text))
      script.review(found, sections, directives, runsInTransaction: runsInTransaction)
    } catch {
      problems.append(MigrationProblem(.brokenSQL(error.kind), path: path, position: error.position))
    }
    statements = script.statements
    foreignKeyMode = directives.foreignKeyMode ?? script.foreignKeyMode ?? .deferred
    skippedPart = sections.notice
    notices = [skippedPart].compactMap(\.self) + script.notices
    // https://documentation.red-gate.com/fd/migration-placeholders-275218553.html
    if name.layout == .versioned, statements.contains(where: { $0.text.contains("${") }) {
      notices.append("\(path): contains \"${\"; placeholders are not replaced")
    }
    problems += sections.problems + directives.problems + script.problems
    let start = SQLTextPosition(line: 1, column: 1)
    problems.sort { ($0.position ?? start) < ($1.position ?? start) }
  }

  /// The name under which the ledger records the migration; it is unique in the folder.
  package var identifier: String { name.identifier }
  /// The path of the file for display: the folder's path as given, followed by the file name.
  package var path: String { name.path }

  /// Whether the file has changed since the ledger recorded its digest; false if the ledger contains no digest.
  package func isEdited(since recorded: String?) -> Bool {
    recorded.map { $0 != checksum } ?? false
  }

  /// Whether all statements can run any number of times, and change no row or definition: `ANALYZE`, `VACUUM` and the like.
  var isRepeatable: Bool {
    statements.allSatisfy { statement in
      let word = statement.text.prefix { $0.isLetter }.lowercased()
      return ["analyze", "reindex", "vacuum", "pragma", "select"].contains(word)
    }
  }

  /// Whether the file has no statement, and no comment that says it is intentionally empty.
  package var isLeftEmpty: Bool { statements.isEmpty && !allowances.contains { $0.rule == Allowance.emptyMigration } }

  /// Whether the file begins with sqlx's comment that turns off the transaction; sqlx ignores this comment elsewhere in
  /// the file.
  private static func isTurnedOffBySqlx(_ comments: [ScriptComment]) -> Bool {
    guard let first = comments.first, first.position == SQLTextPosition(line: 1, column: 1) else { return false }
    return first.content.hasPrefix("no-transaction")
  }

  /// Returns the digest of a text's tokens.
  private static func checksum(of text: String) -> String {
    let tokenizer = SQLTokenizer(text)
    var significant: [UInt8] = []
    for token in tokenizer where !token.isTrivia {
      significant += tokenizer.bytes[token.range]
      // Only an invalid token can contain a zero byte, so this byte separates tokens.
      significant.append(0)
    }
    return SHA256.hexadecimal(of: significant)
  }
}

extension MigrationFile {
  /// Another migration that a comment names, such as `-- migrator: violations-until IDENTIFIER REASON`.
  package struct Reference: Hashable, Sendable {
    /// The identifier of the other migration.
    package let identifier: String
    /// The position of the comment in the file.
    package let position: SQLTextPosition
  }

  /// A finding that the file's author accepts, from `-- migrator: allow RULE REASON` or `allow-file RULE REASON`.
  package struct Allowance: Hashable, Sendable {
    /// The name of the rule that finds files without a statement.
    package static let emptyMigration = "empty-migration"
    /// The name of the rule.
    package let rule: String
    /// The reason why the finding is accepted; never empty.
    package let reason: String
    /// The line of the comment in the file, from 1.
    package let line: Int
    /// Whether the allowance applies to the whole file instead of one statement.
    package let coversFile: Bool

    /// Creates an allowance from a rule, a reason and a line.
    package init(rule: String, reason: String, line: Int, coversFile: Bool = false) {
      (self.rule, self.reason, self.line, self.coversFile) = (rule, reason, line, coversFile)
    }

    /// Parses "RULE REASON"; nil if the rule or the reason is missing.
    package init?(_ text: String, line: Int, coversFile: Bool) {
      let parts = text.split(maxSplits: 1) { $0.isWhitespace }
      guard let rule = parts.first, let reason = parts.dropFirst().first?.trimmingWhitespace, !reason.isEmpty else {
        return nil
      }
      self.init(rule: String(rule), reason: reason, line: line, coversFile: coversFile)
    }
  }
}

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
  private(set) var violationsUntil: MigrationFile.Reference?
  /// Whether the file has the directive `no-transaction`.
  private(set) var asksForNoTransaction = false
  /// Whether the file has the directive `whole-file`.
  private(set) var isWhole = false
  /// Whether the file has the directive `not-a-copy`.
  private(set) var isNoCopy = false
  /// The findings that `allow RULE REASON` and `allow-file RULE REASON` accept.
  private(set) var allowances: [MigrationFile.Allowance] = []
  private(set) var problems: [MigrationProblem] = []

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
      violationsUntil = MigrationFile.Reference(identifier: identifier, position: comment.position)
      return nil
    case "allow", "allow-file":
      let line = comment.position.line
      guard let allowance = MigrationFile.Allowance(argument, line: line, coversFile: name == "allow-file")
      else { break }
      allowances.append(allowance)
      return nil
    case "no-transaction", "whole-file", "not-a-copy":
      guard argument.isEmpty else { break }
      if name == "no-transaction" { asksForNoTransaction = true }
      if name == "whole-file" { isWhole = true }
      if name == "not-a-copy" { isNoCopy = true }
      return nil
    default: return .unknownDirective(name)
    }
    return .invalidDirective(name, .argument)
  }
}
