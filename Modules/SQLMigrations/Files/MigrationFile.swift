internal import Migrator
package import SQLSyntax

/// A migration in an SQL file: its forward part only, since the part that undoes the migration is not read.
package struct MigrationFile: Sendable {
  /// When foreign keys are enforced.
  package enum ForeignKeyMode: String, Hashable, Sendable {
    /// Enforcement is off while the migration runs; the migrator checks for violations before it commits.
    case deferred
    /// Enforcement is on while the migration runs.
    case immediate
  }

  /// The name of the file.
  package let name: MigrationName
  /// The text of the file up to the end of its forward part; offsets of statements count from its beginning.
  ///
  /// Empty when the file cannot be read.
  package private(set) var text = ""
  /// The SHA-256 digest of the tokens of ``text`` in 64 hexadecimal digits: comments and the whitespace between tokens do
  /// not change it.
  package let checksum: String
  /// The digest that earlier versions made of ``text``, which comments and most whitespace change.
  package let formerChecksum: String
  /// The convention that the file follows.
  package let layout: MigrationLayout
  /// The identifiers of the migrations that this one replaces, in the order of the file; usually empty.
  package let merges: [String]
  /// The findings that the author accepts, in the order of the file.
  package let allowances: [Allowance]
  /// The later migration that repairs the foreign key violations which this one leaves; nil when it must leave none.
  package let violationsUntil: Repair?
  /// Whether the migrator runs the statements in a transaction; otherwise the file may contain `BEGIN` and `COMMIT`.
  package private(set) var runsInTransaction: Bool

  /// The statements to run, in order; empty for a file of comments.
  ///
  /// Omits the file's `BEGIN`, `COMMIT` and `PRAGMA foreign_keys` where the migrator does their job.
  package private(set) var statements: [SQLStatement] = []
  /// When foreign keys are enforced; deferred unless the file says otherwise.
  package private(set) var foreignKeyMode = ForeignKeyMode.deferred
  /// The notes about how the file was interpreted, each with file and line.
  package private(set) var notices: [String] = []
  /// The reasons why the file cannot be run, in the order of its lines.
  package private(set) var problems: [MigrationProblem] = []

  /// Reads and parses the file that a name refers to.
  package init(_ name: MigrationName) {
    self.name = name
    do {
      text = try ScriptFile.text(at: name.path)
    } catch {
      problems = [error]
    }
    var comments = ScriptComment.all(in: text)
    let sections = Sections(comments, path: name.path)
    if let end = sections.downOffset {
      text = String(decoding: text.utf8.prefix(end), as: UTF8.self)
      comments.removeAll { $0.utf8Range.lowerBound >= end }
    }
    let directives = MigrationDirectives(comments, path: name.path)
    checksum = Self.checksum(of: text)
    formerChecksum = Self.formerChecksum(of: text)
    layout = sections.layout ?? name.layout
    merges = directives.merges
    allowances = directives.allowances
    violationsUntil = directives.violationsUntil
    runsInTransaction =
      !(directives.asksForNoTransaction || sections.asksForNoTransaction || Self.isTurnedOffBySqlx(comments))
    guard problems.isEmpty else { return }
    do {
      if try name.setting?.isOff() ?? false { runsInTransaction = false }
    } catch {
      problems.append(error)
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
    notices = script.notices
    // https://documentation.red-gate.com/fd/migration-placeholders-275218553.html
    if name.layout == .versioned, statements.contains(where: { $0.text.contains("${") }) {
      notices.append("\(path): contains \"${\"; placeholders are not replaced")
    }
    problems += sections.problems + directives.problems + script.problems
    let start = SQLTextPosition(line: 1, column: 1)
    problems.sort { ($0.position ?? start) < ($1.position ?? start) }
  }

  /// The name by which the migration is recorded, unique in its folder.
  package var identifier: String { name.identifier }
  /// The file's path for display: the folder's path as given, then the file name.
  package var path: String { name.path }

  /// Whether the file differs from the one whose digest a ledger holds; false where it holds none.
  package func isEdited(since recorded: String?) -> Bool {
    recorded.map { $0 != checksum && $0 != formerChecksum } ?? false
  }

  /// Whether the file contains no statement, and no comment says that this is intended.
  package var isLeftEmpty: Bool { statements.isEmpty && !allowances.contains { $0.rule == Allowance.emptyMigration } }

  /// Whether the file begins with the comment that turns off sqlx's transaction; sqlx recognizes it nowhere else.
  private static func isTurnedOffBySqlx(_ comments: [ScriptComment]) -> Bool {
    guard let first = comments.first, first.position == SQLTextPosition(line: 1, column: 1) else { return false }
    return first.content.hasPrefix("no-transaction")
  }

  /// The digest of a text by its tokens.
  private static func checksum(of text: String) -> String {
    let tokenizer = SQLTokenizer(text)
    var significant: [UInt8] = []
    for token in tokenizer where !token.isTrivia {
      significant += tokenizer.bytes[token.range]
      // No token holds a zero byte but one that is broken.
      significant.append(0)
    }
    return SHA256.hexadecimal(of: significant)
  }

  /// The digest of a text, of which editors and git may change line ends and whitespace at ends.
  private static func formerChecksum(of text: String) -> String {
    let (space, tab, feed, carriageReturn) = (UInt8(0x20), UInt8(0x09), UInt8(0x0A), UInt8(0x0D))
    var significant: [UInt8] = []
    significant.reserveCapacity(text.utf8.count)
    var previous: UInt8 = 0
    for byte in text.utf8.dropFirst(text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0) {
      switch byte {
      case feed where previous == carriageReturn: break
      case feed, carriageReturn:
        while let last = significant.last, last == space || last == tab { significant.removeLast() }
        significant.append(feed)
      default: significant.append(byte)
      }
      previous = byte
    }
    while let last = significant.last, [space, tab, feed].contains(last) { significant.removeLast() }
    return SHA256.hexadecimal(of: significant)
  }
}

extension MigrationFile {
  /// A later migration that repairs foreign key violations, from `-- migrator: violations-until IDENTIFIER reason`.
  package struct Repair: Hashable, Sendable {
    /// The later migration.
    package let identifier: String
    /// The reason why the violations are allowed until then; never empty.
    package let reason: String
    /// The place of the comment in the file.
    package let position: SQLTextPosition
  }

  /// A finding that the file's author accepts, from `-- migrator: allow RULE reason` or `allow-file RULE reason`.
  package struct Allowance: Hashable, Sendable {
    /// The rule that finds a file without a statement.
    package static let emptyMigration = "empty-migration"
    /// The name of the rule.
    package let rule: String
    /// The reason why the finding is accepted; never empty.
    package let reason: String
    /// The line of the comment in the file, from 1.
    package let line: Int
    /// Whether the allowance covers the whole file instead of one statement.
    package let coversFile: Bool

    /// Creates an allowance for a rule, with its reason and its line.
    package init(rule: String, reason: String, line: Int, coversFile: Bool = false) {
      (self.rule, self.reason, self.line, self.coversFile) = (rule, reason, line, coversFile)
    }

    /// Reads "RULE reason"; nil when one of them is missing.
    package init?(_ text: String, line: Int, coversFile: Bool) {
      let parts = text.split(maxSplits: 1) { $0.isWhitespace }
      guard let rule = parts.first, let reason = parts.dropFirst().first?.trimmingWhitespace, !reason.isEmpty else {
        return nil
      }
      self.init(rule: String(rule), reason: reason, line: line, coversFile: coversFile)
    }
  }
}
