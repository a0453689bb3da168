internal import Migrator
package import SQLSyntax

/// A migration as an SQL file of a folder.
///
/// Its text is read, and its SQL parsed, when they are first asked for.
/// Only the forward part of a file counts; what undoes the migration is not read.
package struct MigrationFile: Sendable {
  /// The moment at which foreign keys are enforced.
  package enum ForeignKeyMode: String, Hashable, Sendable {
    /// Enforcement is off while the migration runs; violations are looked for before it commits.
    case deferred
    /// Enforcement is on while the migration runs.
    case immediate
  }

  /// The name of the file.
  package let name: MigrationName

  private let content: Lazy<FileContent>
  private let script: Lazy<FileScript>

  /// Creates the migration of a file, which is not read yet.
  package init(_ name: MigrationName) {
    self.name = name
    let content = Lazy { FileContent(name) }
    self.content = content
    script = Lazy { FileScript(content.value, name) }
  }

  // MARK: Known from the name

  /// The name by which the migration is recorded, unique in its folder.
  package var identifier: String { name.identifier }
  /// The file's path as it is shown: the folder's path as it was given, then the file.
  package var path: String { name.path }

  // MARK: Read, not parsed

  /// The reason why the file cannot be read; nil when it can.
  package var readingProblem: MigrationProblem? { content.value.problem }
  /// The convention that the file follows.
  package var layout: MigrationLayout { content.value.sections.layout ?? name.layout }
  /// The text of the file up to the end of its forward part; the offsets of statements count from its beginning.
  package var text: String { content.value.text }

  /// The SHA-256 digest of ``text`` in 64 hexadecimal digits.
  ///
  /// The style of line ends, a byte order mark, and whitespace at the ends of lines and of the text do not change it.
  package var checksum: String { content.value.checksum }

  /// The identifiers of the migrations that this one stands for, in the order of the file; none for most.
  package var merges: [String] { content.value.directives.merges }
  /// The findings that the author accepts, in the order of the file.
  package var allowances: [Allowance] { content.value.directives.allowances }
  /// Whether the statements run in a transaction; otherwise `BEGIN` and `COMMIT` are theirs.
  package var runsInTransaction: Bool { content.value.runsInTransaction }

  // MARK: Parsed

  /// The statements to run, in order; empty for a file of comments.
  ///
  /// The file's `BEGIN` and `COMMIT` and its `PRAGMA foreign_keys` are not among them where the migrator stands for them.
  package var statements: [SQLStatement] { script.value.statements }

  /// The moment at which foreign keys are enforced; deferred unless the file says otherwise.
  package var foreignKeyMode: ForeignKeyMode { script.value.foreignKeyMode }
  /// Notes about how the file was understood, each with file and line.
  package var notices: [String] { script.value.notices }
  /// The reasons why the file cannot be run, in the order of its lines.
  package var problems: [MigrationProblem] { script.value.problems }

  /// Whether the file runs nothing, and does not say that this is meant.
  package var isLeftEmpty: Bool {
    statements.isEmpty && !allowances.contains { $0.rule == Allowance.emptyMigration }
  }
}

extension MigrationFile {
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
    /// Whether the findings of the whole file are accepted, not those of one statement.
    package let coversFile: Bool

    /// Creates an allowance for a rule, with its reason and its line.
    package init(rule: String, reason: String, line: Int, coversFile: Bool = false) {
      (self.rule, self.reason, self.line, self.coversFile) = (rule, reason, line, coversFile)
    }

    /// Reads "RULE reason"; nil when one of them is missing.
    package init?(_ text: String, line: Int, coversFile: Bool) {
      let parts = text.split(maxSplits: 1) { $0.isWhitespace }
      guard let rule = parts.first, let reason = parts.dropFirst().first?.trimmingBlanks, !reason.isEmpty else {
        return nil
      }
      self.init(rule: String(rule), reason: reason, line: line, coversFile: coversFile)
    }
  }
}

/// A value that is computed when it is first asked for.
private final class Lazy<Value: Sendable>: Sendable {
  private let kept = Lock<Value?>(nil)
  private let compute: @Sendable () -> Value

  init(_ compute: @escaping @Sendable () -> Value) { self.compute = compute }

  var value: Value {
    if let value = kept.withLock({ $0 }) { return value }
    // Outside the lock: two threads at once may compute the same twice.
    let value = compute()
    kept.withLock { $0 = value }
    return value
  }
}
