internal import Migrator
internal import SQLSyntax

/// Understands one migration file; finds everything that is wrong with it before it gives up.
///
/// A class, since all the files of a folder are handed on several times, and each copy of a structure costs as much as it has
/// parts.
package final class MigrationFileReader: Sendable {
  private let candidate: MigrationCandidate
  private let script: String
  private let comments: [ScriptComment]
  private let markers: MigrationMarkers

  /// Reads the file of a candidate.
  package init(_ candidate: MigrationCandidate) throws(MigrationProblem) {
    self.candidate = candidate
    let script = try ScriptFile.text(at: candidate.path)
    let comments =
      Self.maySpeakToTools(script)
      ? ScriptComment.all(in: script) { content in
        MigrationDirectives.isDirective(content) || MigrationMarkers.isMarker(content)
          || content.hasPrefix(Self.sqlxNoTransaction)
      } : []
    markers = MigrationMarkers(comments, path: candidate.path)
    if let end = markers.downOffset {
      self.script = String(decoding: script.utf8.prefix(end), as: UTF8.self)
      self.comments = comments.filter { $0.utf8Range.lowerBound < end }
    } else {
      self.script = script
      self.comments = comments
    }
    checksum = MigrationFile.checksum(of: self.script)
  }

  /// The name by which the migration is recorded.
  package var identifier: String { candidate.name.identifier }

  /// The number that the file's name begins with, if it does.
  package var version: MigrationVersion? { candidate.name.version }

  /// The file's path as it is shown.
  package var path: String { candidate.path }

  /// The convention that the file follows.
  package var layout: MigrationLayout { markers.layout ?? candidate.layout }

  /// The digest of the forward part.
  package let checksum: String

  /// The migration of the file, or its problems in the order of its lines.
  package func migration() -> (file: MigrationFile?, problems: [MigrationProblem]) {
    let directives = MigrationDirectives(comments, path: candidate.path)
    var problems = candidate.settings.problems + markers.problems + directives.problems
    let statements: [SQLStatement]
    do {
      statements = try SQLStatementSplitter.split(markers.closingStatements(of: script))
    } catch {
      problems.append(MigrationProblem(.brokenSQL(error.kind), path: candidate.path, position: error.position))
      return (nil, sorted(problems))
    }
    let runsInTransaction =
      !(directives.asksForNoTransaction || markers.asksForNoTransaction || layoutsOwnNoTransaction)
    let review = TransactionReview(statements, runsInTransaction: runsInTransaction, path: candidate.path)
    problems += review.problems + misplaced(statements) + contradiction(directives, review, statements)
    guard problems.isEmpty else { return (nil, sorted(problems)) }
    let file = MigrationFile(
      identifier: identifier, path: path, layout: layout, text: script, statements: review.statements,
      checksum: checksum,
      foreignKeyMode: directives.foreignKeyMode ?? review.foreignKeyMode ?? .deferred, merges: directives.merges,
      runsInTransaction: runsInTransaction, allowances: directives.allowances,
      notices: review.notices + notices(statements))
    return (file, [])
  }

  /// Whether a text has a comment with a word that those to a tool begin with: most have none, and need not be looked into.
  private static func maySpeakToTools(_ script: String) -> Bool {
    var script = script
    return script.withUTF8 { bytes in
      var beginsComment = false
      var previous: UInt8 = 0
      for byte in bytes {
        if byte == UInt8(ascii: "-"), previous == byte { beginsComment = true }
        if byte == UInt8(ascii: "*"), previous == UInt8(ascii: "/") { beginsComment = true }
        previous = byte
      }
      guard beginsComment else { return false }
      for (offset, byte) in bytes.enumerated() {
        switch byte {
        case UInt8(ascii: "m"), UInt8(ascii: "M"), UInt8(ascii: "+"), UInt8(ascii: "n"):
          let rest = bytes[offset...].lazy.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
          if Self.firstWords.contains(where: { rest.starts(with: $0) }) { return true }
        default: continue
        }
      }
      return false
    }
  }

  private static let firstWords = ["migrat", "+goose", sqlxNoTransaction].map { Array($0.utf8) }

  /// The comment by which sqlx turns its transaction off, which counts at the very beginning of a file only.
  private static let sqlxNoTransaction = "no-transaction"

  /// True when sqlx's comment, diesel's `metadata.toml` or Flyway's `.sql.conf` asks for no transaction.
  private var layoutsOwnNoTransaction: Bool {
    let sqlx = comments.first { $0.content.hasPrefix(Self.sqlxNoTransaction) }
    let isAtBeginning = sqlx.map { $0.position == SQLTextPosition(line: 1, column: 1) } ?? false
    return candidate.settings.asksForNoTransaction || isAtBeginning
  }

  private func misplaced(_ statements: [SQLStatement]) -> [MigrationProblem] {
    guard let up = markers.upOffset, let first = statements.first, first.utf8Range.lowerBound < up else { return [] }
    return [MigrationProblem(.statementBeforeUp, path: candidate.path, position: first.position)]
  }

  private func contradiction(
    _ directives: MigrationDirectives, _ review: TransactionReview, _ statements: [SQLStatement]
  ) -> [MigrationProblem] {
    guard let asked = directives.foreignKeyMode, let found = review.foreignKeyMode, asked != found else { return [] }
    let pragma = statements.first { $0.kind.foreignKeysValue != nil }
    return [MigrationProblem(.contradictoryForeignKeys, path: candidate.path, position: pragma?.position)]
  }

  private func notices(_ statements: [SQLStatement]) -> [String] {
    var notices: [String] = []
    // https://documentation.red-gate.com/fd/migration-placeholders-275218553.html
    if candidate.layout == .versioned, statements.contains(where: { $0.text.contains("${") }) {
      notices.append("\(candidate.path): contains \"${\"; placeholders are not replaced")
    }
    return notices
  }

  private func sorted(_ problems: [MigrationProblem]) -> [MigrationProblem] {
    let start = SQLTextPosition(line: 1, column: 1)
    return problems.sorted { ($0.position ?? start) < ($1.position ?? start) }
  }
}
