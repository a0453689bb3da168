internal import Migrator
package import SQLSyntax

/// One migration as its file describes it: what to run, and how.
///
/// Only the forward part of a file counts; what undoes the migration is not read.
package struct MigrationFile: Hashable, Sendable {
  /// When foreign keys are enforced while a migration runs.
  package enum ForeignKeyMode: String, Hashable, Sendable {
    /// Enforcement is off while the migration runs; violations are looked for before it commits.
    case deferred
    /// Enforcement is on while the migration runs.
    case immediate
  }

  /// A finding that the file's author accepts, from `-- migrator: allow RULE reason` or `allow-file RULE reason`.
  package struct Allowance: Hashable, Sendable {
    /// The rule that finds a file without a statement.
    package static let emptyMigration = "empty-migration"

    /// The name of the rule.
    package let rule: String
    /// Why the finding is accepted; never empty.
    package let reason: String
    /// The line of the comment in the file, from 1.
    package let line: Int

    /// Whether the findings of the whole file are accepted, not those of one statement.
    package let coversFile: Bool

    /// Makes an allowance for a rule, with its reason and its line.
    package init(rule: String, reason: String, line: Int, coversFile: Bool = false) {
      self.rule = rule
      self.reason = reason
      self.line = line
      self.coversFile = coversFile
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

  /// The name by which the migration is recorded, unique in its folder.
  package let identifier: String

  /// The file's path as it is shown: the folder's path as it was given, then the file.
  package let path: String

  /// The convention that the file follows.
  package let layout: MigrationLayout

  /// The text of the file up to the end of its forward part; the offsets of statements count from its beginning.
  package let text: String

  /// What to run, in order; empty for a file of comments.
  ///
  /// The file's `BEGIN` and `COMMIT` and its `PRAGMA foreign_keys` are not among them where the migrator stands for them.
  package let statements: [SQLStatement]

  /// The SHA-256 digest of `text` in 64 hexadecimal digits.
  ///
  /// The style of line ends, a byte order mark, and blanks at the ends of lines and of the text do not change it.
  package let checksum: String

  /// When foreign keys are enforced; deferred unless the file says otherwise.
  package let foreignKeyMode: ForeignKeyMode

  /// The identifiers of the migrations that this one stands for, in the order of the file; none for most.
  package let merges: [String]

  /// False when the statements must run outside a transaction, `BEGIN` and `COMMIT` being theirs.
  package let runsInTransaction: Bool

  /// The findings that the author accepts, in the order of the file.
  package let allowances: [Allowance]

  /// Whether the file runs nothing, and does not say that this is meant.
  package var isLeftEmpty: Bool {
    statements.isEmpty && !allowances.contains { $0.rule == Allowance.emptyMigration }
  }

  /// What the reader should know about how the file was understood, each with file and line.
  package let notices: [String]
}

extension MigrationFile {
  /// The digest of a text, in 64 hexadecimal digits.
  ///
  /// Editors and git change line ends, and blanks at the ends of lines and of the file, without changing what a migration
  /// does; the digest does not see them, nor a byte order mark.
  static func checksum(of text: String) -> String {
    var significant: [UInt8] = []
    let bytes = text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? text.utf8.dropFirst(3) : text.utf8[...]
    var previous: UInt8 = 0
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\n") where previous == UInt8(ascii: "\r"): break
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        significant.removeLast { $0.isBlank }
        significant.append(UInt8(ascii: "\n"))
      default: significant.append(byte)
      }
      previous = byte
    }
    significant.removeLast { $0.isBlank || $0 == UInt8(ascii: "\n") }
    return SHA256.hexadecimal(of: significant)
  }
}

extension [UInt8] {
  fileprivate mutating func removeLast(where isRemoved: (UInt8) -> Bool) {
    while let last, isRemoved(last) { removeLast() }
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
