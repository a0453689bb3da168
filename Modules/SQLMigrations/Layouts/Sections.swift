extension MigrationLayout {
  /// `-- migrate:up` and `-- migrate:down` in one file (https://github.com/amacneil/dbmate#migration-options).
  package static let dbmate = MigrationLayout(
    title: "dbmate",
    sections: SectionSyntax(firstWords: ["migrate:up", "migrate:down"]) { words in
      // The options of the part that goes back do not matter.
      guard words[0] == "migrate:up" else { return .down }
      let options = words.dropFirst()
      let isValid = options.allSatisfy { $0 == "transaction:false" || $0 == "transaction:true" }
      return .up(runsInTransaction: !options.contains("transaction:false"), isValid: isValid)
    },
    template: { "-- migrate:up\n\($0)\n\n-- migrate:down\n" })

  /// `-- +goose Up` and `-- +goose Down` in one file (https://pressly.github.io/goose/documentation/annotations/).
  package static let goose = MigrationLayout(
    title: "goose", sections: SectionSyntax(firstWords: ["+goose"], marker: SectionSyntax.annotation),
    template: { "-- +goose Up\n\($0)\n\n-- +goose Down\n" })

  /// `-- +migrate Up` and `-- +migrate Down` in one file (https://github.com/rubenv/sql-migrate#writing-migrations).
  package static let sqlMigrate = MigrationLayout(
    title: "sql-migrate", requiresUniqueVersions: false,
    sections: SectionSyntax(firstWords: ["+migrate"]) { words in
      switch words.dropFirst().map({ $0.lowercased() }) {
      case ["up", "notransaction"]: .up(runsInTransaction: false)
      case ["down", "notransaction"]: .down
      default: SectionSyntax.annotation(words)
      }
    },
    template: { "-- +migrate Up\n\($0)\n\n-- +migrate Down\n" })
}

/// The comments by which a tool parts a file.
struct SectionSyntax: Sendable {
  /// The meaning of such a comment.
  enum Marker {
    /// The forward part begins.
    case up(runsInTransaction: Bool = true, isValid: Bool = true)
    /// The part that goes back begins.
    case down
    /// A statement begins, which needs no mark where SQL is read as such.
    case statementBegin
    /// A statement ends, with or without a semicolon.
    case statementEnd
    /// The file asks for no transaction.
    case noTransaction
    /// Nothing that matters here.
    case ignored
  }

  /// The words that such a comment begins with.
  let firstWords: [String]
  /// Reads the words of such a comment; nil for what the tool does not know.
  let marker: @Sendable (_ words: [String]) -> Marker?

  /// The annotations of goose and sql-migrate, whose words may have any case.
  @Sendable fileprivate static func annotation(_ words: [String]) -> Marker? {
    switch words.dropFirst().map({ $0.lowercased() }) {
    case ["up"]: .up()
    case ["down"]: .down
    case ["statementbegin"]: .statementBegin
    case ["statementend"]: .statementEnd
    case ["no", "transaction"]: .noTransaction
    case ["envsub", "off"], ["envsubst", "off"]: .ignored
    default: nil
    }
  }
}

/// The parts of a file, as the comments of dbmate, goose or sql-migrate tell them.
struct Sections {
  /// The layout that the comments are of; nil for a file without any.
  private(set) var layout: MigrationLayout?
  /// The offset of the comment before which no statement may be; nil without one.
  private(set) var upOffset: Int?
  /// The offset at which the forward part ends; nil when all of the file goes forward.
  private(set) var downOffset: Int?
  /// Whether a comment asks for no transaction.
  private(set) var asksForNoTransaction = false
  /// The comments that cannot be followed.
  private(set) var problems: [MigrationProblem] = []
  /// The bytes of the comments that end a statement.
  private var statementEnds: [Range<Int>] = []

  /// Whether the content of a comment parts a file.
  static func isMarker(_ content: String) -> Bool { layout(of: content) != nil }

  private static func layout(of content: String) -> MigrationLayout? {
    let word = String(content.prefix { !$0.isWhitespace })
    return MigrationLayout.all.first { $0.sections?.firstWords.contains(word) ?? false }
  }

  /// Reads the comments of a file, shown as `path`, in their order.
  ///
  /// Only the first comment of a line counts, as its tool wants it.
  init(_ comments: [ScriptComment], path: String) {
    for comment in comments where comment.isFirstOnLine {
      guard let found = Self.layout(of: comment.content), let syntax = found.sections else { continue }
      layout = layout ?? found
      let isFollowed = layout == found && follow(syntax.marker(comment.words), comment.utf8Range)
      if !isFollowed { refuse(comment, path: path) }
    }
    if layout != nil, upOffset == nil, problems.isEmpty,
      let first = comments.first(where: { Self.isMarker($0.content) })
    {
      refuse(first, path: path)
    }
  }

  private mutating func refuse(_ comment: ScriptComment, path: String) {
    problems.append(MigrationProblem(.invalidMarker(comment.content), path: path, position: comment.position))
  }

  /// - Returns: Whether the marker is known and where it may be.
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
    case .ignored: return true
    case nil: return downOffset != nil
    }
  }

  /// The forward part of the file with a semicolon in place of each comment that ends a statement; all offsets stay.
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
