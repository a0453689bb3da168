internal import Migrator

/// The comments by which dbmate, goose and sql-migrate part a file into what goes forward and what goes back.
///
///     -- migrate:up transaction:false        -- +goose NO TRANSACTION
///     ...                                    -- +goose Up
///     -- migrate:down                        -- +goose Down
///
/// sql-migrate writes `+migrate` where goose writes `+goose`, and `Up notransaction`. `StatementBegin` keeps a trigger in one piece, which is done here by reading the SQL; its `StatementEnd` ends a
/// statement with or without a semicolon.
struct MigrationMarkers: Equatable {
  /// The layout that the markers are of; nil for a file without any.
  private(set) var layout: MigrationLayout?

  /// The offset of the up marker, before which no statement may stand.
  private(set) var upOffset: Int?

  /// The offset of the down marker, where the forward part ends; nil when all of the file goes forward.
  private(set) var downOffset: Int?

  /// True when a marker asks for no transaction.
  private(set) var asksForNoTransaction = false

  /// The bytes of the markers that end a statement.
  private var statementEnds: [Range<Int>] = []

  /// Markers that cannot be followed.
  private(set) var problems: [MigrationProblem] = []

  /// True for the content of a comment that is a marker.
  static func isMarker(_ content: String) -> Bool {
    let word = content.prefix { !$0.isWhitespace }
    return word == "migrate:up" || word == "migrate:down" || tools[word] != nil
  }

  /// The tools whose markers all begin with one word (https://github.com/rubenv/sql-migrate#writing-migrations).
  private static let tools: [Substring: MigrationLayout] = ["+goose": .goose, "+migrate": .sqlMigrate]

  private static func tool(_ content: String) -> MigrationLayout {
    tools[content.prefix { !$0.isWhitespace }] ?? .dbmate
  }

  /// Reads the markers of a file, shown as `path`, from its comments in their order.
  ///
  /// A marker must be the first on its line, as its tool wants it.
  init(_ comments: [ScriptComment], path: String) {
    for comment in comments where comment.isFirstOnLine && Self.isMarker(comment.content) {
      let tool = Self.tool(comment.content)
      let isFollowed = isOfOneTool(tool) && (tool == .dbmate ? readDbmate(comment) : readGoose(comment))
      if !isFollowed { refuse(comment, path: path) }
    }
    if layout != nil, upOffset == nil, problems.isEmpty,
      let first = comments.first(where: { Self.isMarker($0.content) })
    {
      refuse(first, path: path)
    }
  }

  /// The forward part of the file with a semicolon in place of each marker that ends a statement; all offsets stay.
  func closingStatements(of script: String) -> String {
    guard !statementEnds.isEmpty else { return script }
    var bytes = Array(script.utf8)
    for range in statementEnds where range.upperBound <= bytes.count {
      bytes.replaceSubrange(range, with: repeatElement(UInt8(ascii: " "), count: range.count))
      bytes[range.lowerBound] = UInt8(ascii: ";")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func refuse(_ comment: ScriptComment, path: String) {
    problems.append(MigrationProblem(.invalidMarker(comment.content), path: path, position: comment.position))
  }

  private mutating func isOfOneTool(_ tool: MigrationLayout) -> Bool {
    if layout == nil { layout = tool }
    return layout == tool
  }

  /// Reads `migrate:up`, with options such as `transaction:false`, and `migrate:down`, whose options do not matter.
  ///
  /// https://github.com/amacneil/dbmate#migration-options
  private mutating func readDbmate(_ comment: ScriptComment) -> Bool {
    guard let marker = comment.words.first else { return false }
    if marker == "migrate:down" { return end(at: comment) }
    guard marker == "migrate:up", begin(at: comment) else { return false }
    let options = comment.words.dropFirst()
    if options.contains("transaction:false") { asksForNoTransaction = true }
    return options.allSatisfy { $0 == "transaction:false" || $0 == "transaction:true" }
  }

  /// The annotations of goose, whose words may have any case (https://pressly.github.io/goose/documentation/annotations/).
  private mutating func readGoose(_ comment: ScriptComment) -> Bool {
    switch comment.words.dropFirst().map({ $0.lowercased() }) {
    case ["up"]: return begin(at: comment)
    case ["up", "notransaction"] where layout == .sqlMigrate:
      asksForNoTransaction = true
      return begin(at: comment)
    case ["down"]: return end(at: comment)
    case ["down", "notransaction"] where layout == .sqlMigrate: return end(at: comment)
    case ["statementbegin"]: return upOffset != nil
    case ["statementend"]:
      statementEnds.append(comment.utf8Range)
      return upOffset != nil
    case ["no", "transaction"]:
      asksForNoTransaction = true
      return true
    case ["envsub", "off"], ["envsubst", "off"]: return true
    default: return downOffset != nil
    }
  }

  private mutating func begin(at comment: ScriptComment) -> Bool {
    guard upOffset == nil else { return false }
    upOffset = comment.utf8Range.lowerBound
    return true
  }

  private mutating func end(at comment: ScriptComment) -> Bool {
    guard upOffset != nil, downOffset == nil else { return false }
    downOffset = comment.utf8Range.lowerBound
    return true
  }
}
