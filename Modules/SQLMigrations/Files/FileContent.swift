internal import Migrator
internal import SQLSyntax

/// The text of a migration's file and what its comments say, read without parsing the SQL.
struct FileContent: Sendable {
  /// The text up to the end of the forward part; empty when the file cannot be read.
  private(set) var text = ""
  /// The digest of ``text``.
  let checksum: String
  /// The parts of the file.
  let sections: Sections
  /// The directives in the forward part.
  let directives: MigrationDirectives
  /// Whether neither the name, a comment nor a file beside it turns the transaction off.
  private(set) var runsInTransaction: Bool
  /// The reason why the file cannot be read.
  private(set) var problem: MigrationProblem?
  /// The reason why the file beside it cannot be read.
  private(set) var settingProblem: MigrationProblem?

  /// Reads a file.
  init(_ name: MigrationName) {
    do {
      text = try ScriptFile.text(at: name.path)
    } catch {
      problem = error
    }
    var comments = ScriptComment.all(in: text) { content in
      MigrationDirectives.isDirective(content) || Sections.isMarker(content)
        || content.hasPrefix(Self.sqlxNoTransaction)
    }
    sections = Sections(comments, path: name.path)
    if let end = sections.downOffset {
      text = String(decoding: text.utf8.prefix(end), as: UTF8.self)
      comments.removeAll { $0.utf8Range.lowerBound >= end }
    }
    checksum = Self.checksum(of: text)
    directives = MigrationDirectives(comments, path: name.path)
    runsInTransaction =
      !(directives.asksForNoTransaction || sections.asksForNoTransaction || Self.isTurnedOffBySqlx(comments))
    do {
      if try name.setting?.isOff() ?? false { runsInTransaction = false }
    } catch {
      settingProblem = error
    }
  }

  /// The comment by which sqlx turns its transaction off, which counts at the very beginning of a file only.
  private static let sqlxNoTransaction = "no-transaction"

  private static func isTurnedOffBySqlx(_ comments: [ScriptComment]) -> Bool {
    let first = comments.first { $0.content.hasPrefix(sqlxNoTransaction) }
    return first?.position == SQLTextPosition(line: 1, column: 1)
  }

  /// The digest of a text, in 64 hexadecimal digits.
  ///
  /// Editors and git change line ends, and whitespace at the ends of lines and of the file, without changing what a migration
  /// does; the digest does not see them, nor a byte order mark.
  private static func checksum(of text: String) -> String {
    let (space, tab, feed, carriageReturn) = (UInt8(0x20), UInt8(0x09), UInt8(0x0A), UInt8(0x0D))
    var significant: [UInt8] = []
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
