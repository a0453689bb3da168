internal import SQLSyntax

extension MigrationLayout {
  /// The layout of dbmate: `-- migrate:up` and `-- migrate:down` in one file
  /// (https://github.com/amacneil/dbmate#migration-options).
  package static let dbmate = MigrationLayout(
    sections: SectionSyntax(firstWords: ["migrate:up", "migrate:down"]) { words in
      // The options in the down part are ignored.
      guard words[0] == "migrate:up" else { return .down }
      let options = words.dropFirst()
      let isValid = options.allSatisfy { $0 == "transaction:false" || $0 == "transaction:true" }
      return .up(runsInTransaction: !options.contains("transaction:false"), isValid: isValid)
    },
    template: { "-- migrate:up\n\($0)\n\n-- migrate:down\n" })

  /// The layout of goose: `-- +goose Up` and `-- +goose Down` in one file
  /// (https://pressly.github.io/goose/documentation/annotations/).
  package static let goose = MigrationLayout(
    sections: SectionSyntax(firstWords: ["+goose"], marker: SectionSyntax.annotation),
    template: { "-- +goose Up\n\($0)\n\n-- +goose Down\n" })

  /// The layout of sql-migrate: `-- +migrate Up` and `-- +migrate Down` in one file
  /// (https://github.com/rubenv/sql-migrate#writing-migrations).
  package static let sqlMigrate = MigrationLayout(
    requiresUniqueVersions: false,
    sections: SectionSyntax(firstWords: ["+migrate"]) { words in
      switch Array(words.dropFirst()) {
      case ["up", "notransaction"]: .up(runsInTransaction: false)
      case ["down", "notransaction"]: .down
      default: SectionSyntax.annotation(words)
      }
    },
    template: { "-- +migrate Up\n\($0)\n\n-- +migrate Down\n" })

  /// The layout of node-sqlite, node-pg-migrate, rambler and others: headings such as `-- Up` and `-- Down` in one file,
  /// which ``HeadedParts`` recognizes (https://github.com/kriasoft/node-sqlite#migrations).
  package static let headed = MigrationLayout(
    requiresUniqueVersions: false, template: { "-- Up\n\($0)\n\n-- Down\n" })
}

/// The comments that divide a file into sections, according to one tool.
struct SectionSyntax: Sendable {
  /// The meaning of a section comment.
  enum Marker {
    case up(runsInTransaction: Bool = true, isValid: Bool = true)
    case down
    /// The start of a statement; the tokenizer recognizes statements, so this marker is ignored.
    case statementBegin
    /// The end of a statement, with or without a semicolon.
    case statementEnd
    case noTransaction
    /// The statements below contain variables of the environment, which this migrator does not replace.
    case variables
    /// A known marker that has no effect on this migrator.
    case ignored
  }

  let firstWords: [String]
  /// Interprets the words of a comment, in the form of ``words(of:)``; returns nil for an unknown marker.
  let marker: @Sendable (_ words: [String]) -> Marker?

  /// Whether a comment with these words belongs to this syntax.
  func hasMarker(_ words: [String]) -> Bool { words.first.map(firstWords.contains) ?? false }

  /// Returns the words of a comment in the form in which markers are compared: in lower case, and without spaces inside a
  /// marker, since `-- Migrate: Down` is meant like `-- migrate:down`.
  static func words(of comment: ScriptComment) -> [String] {
    var words = comment.words.map(\.asciiLowercased)
    if words.count > 1, words[0] == "+" || words[0] == "migrate" && words[1].hasPrefix(":") {
      words.replaceSubrange(0...1, with: [words[0] + words[1]])
    }
    guard let first = words.first else { return [] }
    if first == "migrate:", words.count > 1, ["up", "down"].contains(words[1]) {
      words.replaceSubrange(0...1, with: [first + words[1]])
    } else if first == "+goose:" || first == "+migrate:" {
      words[0].removeLast()
    }
    return words
  }

  /// Interprets the annotations of goose and sql-migrate.
  @Sendable fileprivate static func annotation(_ words: [String]) -> Marker? {
    switch Array(words.dropFirst()) {
    case ["up"]: .up()
    case ["down"]: .down
    case ["statementbegin"]: .statementBegin
    case ["statementend"]: .statementEnd
    case ["no", "transaction"]: .noTransaction
    case ["envsub", "on"], ["envsubst", "on"]: .variables
    case ["envsub", "off"], ["envsubst", "off"]: .ignored
    default: nil
    }
  }
}

/// The sections of a file, according to its dbmate, goose or sql-migrate comments, or to other headings.
struct Sections {
  /// The layout to which the comments belong; nil for a file without such comments or headings.
  private(set) var layout: MigrationLayout?
  /// The offset of the up marker, before which no statement is allowed; nil if there is no such marker.
  private(set) var upOffset: Int?
  /// The offset at which the forward part ends; nil if the whole file is the forward part.
  private(set) var downOffset: Int?
  private(set) var asksForNoTransaction = false
  /// The note about a part that is not run, for a file with headings that are not those of a certain tool; nil for none.
  private(set) var notice: String?
  private(set) var problems: [MigrationProblem] = []
  private var statementEnds: [Range<Int>] = []

  /// Reads the comments of a file in order.
  ///
  /// As in the tools themselves, a comment is a marker only if it begins its line.
  ///
  /// - Parameter isWhole: Whether the file says that no part of it undoes the migration, whatever its headings say.
  init(_ comments: [ScriptComment], of text: String, isWhole: Bool, path: String) {
    for comment in comments {
      guard let end = MigrationLayout.all.lazy.compactMap(\.statementEnd).first(where: comment.content.hasPrefix) else {
        continue
      }
      // Drizzle runs what comes after the mark, on the same line, too.
      let length = comment.content == end ? comment.utf8Range.count : "--\(end)".utf8.count
      statementEnds.append(comment.utf8Range.lowerBound..<comment.utf8Range.lowerBound + length)
    }
    let markers = comments.compactMap { comment in
      let words = SectionSyntax.words(of: comment)
      return MigrationLayout.all.first { $0.sections?.hasMarker(words) ?? false }.map { (comment, words, $0) }
    }
    for (index, (comment, words, found)) in markers.enumerated() where comment.isFirstOnLine {
      layout = layout ?? found
      let marker = found.sections?.marker(words)
      var isFollowed = layout == found && follow(marker, comment.utf8Range)
      if case .variables = marker, isFollowed {
        let end = markers[(index + 1)...].first { ["down", "off"].contains($0.1.last) }?.0.utf8Range.lowerBound
        let part = text.utf8.prefix(end ?? .max).dropFirst(comment.utf8Range.upperBound)
        isFollowed = !Substring(part).contains(/\$[{A-Za-z_]/)
      }
      if !isFollowed { refuse(comment, path: path) }
    }
    if layout != nil, upOffset == nil, problems.isEmpty, let first = markers.first { refuse(first.0, path: path) }
    let forward = comments.prefix { $0.utf8Range.lowerBound < downOffset ?? .max }
    if layout == .dbmate {
      // A marker such as `-- migrate:dwon`, under which statements would run.
      for comment in forward where comment.isFirstOnLine && Self.isUnknownMarker(comment) {
        refuse(comment, path: path)
      }
    }
    guard !isWhole else { return }
    readHeadings(
      Array(forward), of: text, isMarker: { comment in markers.contains { $0.0.utf8Range == comment.utf8Range } }, path)
  }

  private static func isUnknownMarker(_ comment: ScriptComment) -> Bool {
    guard let word = SectionSyntax.words(of: comment).first else { return false }
    return word.hasPrefix("migrate:") && word != "migrate:" && !["migrate:up", "migrate:down"].contains(word)
  }

  private mutating func readHeadings(
    _ comments: [ScriptComment], of text: String, isMarker: (ScriptComment) -> Bool, _ path: String
  ) {
    let parts = HeadedParts(
      comments.filter { !isMarker($0) }, of: text.utf8.prefix(downOffset ?? text.utf8.count), isMarked: layout != nil,
      hasDown: downOffset != nil, path: path)
    problems += [parts.problem].compactMap(\.self).map { problem in
      // The template of such a layout ends with its down marker.
      guard case .undoHeading(let comment, _) = problem.kind, let layout else { return problem }
      let down = layout.template("").split(separator: "\n").last.map(String.init)
      return MigrationProblem(.undoHeading(comment, down: down), path: path, position: problem.position)
    }
    guard layout == nil, let heading = parts.downHeading else { return }
    if parts.upOffset != nil { layout = .headed }
    (upOffset, downOffset) = (parts.upOffset, heading.utf8Range.lowerBound)
    notice =
      "\(path):\(heading.position.line): the part below `\(heading.shown)` is not run: by its heading, it undoes the migration"
  }

  private mutating func refuse(_ comment: ScriptComment, path: String) {
    problems.append(MigrationProblem(.invalidMarker(comment.content), path: path, position: comment.position))
  }

  /// Applies a marker.
  /// - Returns: Whether the marker is known, and allowed at this position.
  private mutating func follow(_ marker: SectionSyntax.Marker?, _ range: Range<Int>) -> Bool {
    switch marker {
    case .up(let runsInTransaction, let isValid):
      guard upOffset == nil else { return false }
      upOffset = range.lowerBound
      if !runsInTransaction { asksForNoTransaction = true }
      return isValid
    case .down:
      guard upOffset != nil, downOffset == nil else { return false }
      downOffset = range.lowerBound
      return true
    case .statementBegin: return upOffset != nil
    case .statementEnd:
      statementEnds.append(range)
      return upOffset != nil
    case .noTransaction:
      asksForNoTransaction = true
      return true
    case .variables, .ignored: return true
    case nil: return downOffset != nil
    }
  }

  /// Returns the forward part of the file, with each comment that ends a statement replaced by a semicolon.
  ///
  /// Offsets do not change.
  func closingStatements(of script: String) -> String {
    guard !statementEnds.isEmpty else { return script }
    var bytes = Array(script.utf8)
    for range in statementEnds where range.upperBound <= bytes.count {
      bytes.replaceSubrange(range, with: repeatElement(UInt8(ascii: " "), count: range.count))
      bytes[range.lowerBound] = UInt8(ascii: ";")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
