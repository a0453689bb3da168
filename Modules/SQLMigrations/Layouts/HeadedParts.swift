internal import SQLSyntax

/// The parts into which the headings of a file divide it, for a file without the markers of a known tool.
///
/// Only an up heading and a down heading of one known tool divide a file: the part below is then not run. Everything else
/// that seems to undo the migration is refused: to run it would undo the migration, and to skip it could lose a part of it.
struct HeadedParts {
  private typealias Statement = (text: String, range: Range<Int>)

  /// The offset of the up heading; nil if the file has no parts, or if nothing heads the first one.
  private(set) var upOffset: Int?
  /// The heading at which the forward part ends; nil if the whole file is the forward part.
  private(set) var downHeading: ScriptComment?
  /// The first heading that is refused; nil if there is none.
  private(set) var problem: MigrationProblem?
  private let path: String
  private let text: Substring.UTF8View
  /// The comments of the forward part that begin a line.
  private var comments: [ScriptComment]
  /// The statements of the forward part, up to an error: text that cannot be split is not run.
  private lazy var statements: [Statement] =
    SQLStatementSplitter.splitToFault(String(decoding: text, as: UTF8.self)).statements.map { ($0.text, $0.utf8Range) }
  /// The changes that the statements make; nil until they are needed.
  private var knownChanges: FileChanges?
  private var changes: FileChanges {
    mutating get {
      let changes = knownChanges ?? FileChanges(statements.map { $0.text })
      knownChanges = changes
      return changes
    }
  }

  /// Reads the headings of a file.
  ///
  /// - Parameters:
  ///   - isMarked: Whether the comments of a known tool divide the file; down headings are then refused, since that tool
  ///     does not know them.
  ///   - hasDown: Whether one of these comments begins the part that undoes the migration; no other one is then expected.
  init(_ comments: [ScriptComment], of text: Substring.UTF8View, isMarked: Bool, hasDown: Bool, path: String) {
    // Liquibase's `--rollback` is followed by its statement, in the comment itself; without one, it is a heading.
    let isLiquibase = comments.first.map { $0.content.lowercased().hasPrefix("liquibase formatted sql") } ?? false
    self.comments = comments.filter { comment in
      let word = comment.firstWord
      let isRollback =
        isLiquibase && word == "rollback"
        && !SectionHeading.headsUndoing(SectionHeading.words(of: comment.content), comment.content)
      return comment.isFirstOnLine && !isRollback && !word.hasPrefix("migrator:")
    }
    (self.path, self.text) = (path, text)
    if !isMarked { divide() }
    if problem == nil { review(hasUp: isMarked || upOffset != nil, hasDown: hasDown || downHeading != nil) }
  }

  // MARK: Pairs

  /// Divides the file at an up heading and a down heading of one tool.
  private mutating func divide() {
    var headings: [(heading: SectionHeading, next: Int)] = []
    for heading in comments.compactMap(SectionHeading.init) {
      if let next = statement(below: heading.comment, divides: true) { headings.append((heading, next)) }
    }
    let ups = headings.filter { $0.heading.direction == .up }
    if let number = ups.lazy.compactMap(\.heading.number).first,
      let second = ups.first(where: { $0.heading.number.map { $0 != number } ?? false })
    {
      return refuse(second.heading.comment, MigrationProblem.Kind.severalMigrations)
    }
    if let divider = headings.first(where: { $0.heading.direction == .divider }) { return end(at: divider) }
    guard let up = ups.first,
      let down = headings.first(where: {
        $0.heading.direction == .down && $0.heading.tool == up.heading.tool && $0.next > up.next
      })
    else { return }
    if up.heading.isLoose || down.heading.isLoose,
      !Undoing.all(in: statements.map { $0.text }).contains(where: { $0.maker < down.next && $0.undoer >= down.next })
    {
      return refuse(down.heading.comment)
    }
    if let second = ups.first(where: {
      $0.heading.comment.position > down.heading.comment.position && !$0.heading.isLoose
    }) {
      return refuse(second.heading.comment, MigrationProblem.Kind.severalMigrations)
    }
    upOffset = up.heading.comment.utf8Range.lowerBound
    end(at: down)
  }

  private mutating func end(at down: (heading: SectionHeading, next: Int)) {
    downHeading = down.heading.comment
    statements.removeSubrange(down.next...)
    comments.removeAll { $0.position >= down.heading.comment.position }
  }

  // MARK: Single comments

  /// Refuses the first comment of the forward part above statements that seem to undo the migration.
  ///
  /// A heading without other words is refused for its words. Of other comments, the statements decide: they remove what the
  /// file has made, or, in a file with an up heading and no other down heading, they only remove.
  private mutating func review(hasUp: Bool, hasDown: Bool) {
    var hasUp = hasUp
    // The words beside the direction of the comments that say that something is applied.
    var applying: Set<[String]> = []
    for (index, comment) in comments.enumerated() where problem == nil {
      let words = SectionHeading.words(of: comment.content)
      let rest = SectionHeading.wordsBesideDirection(words)
      defer { if words.contains(where: SectionHeading.meansApplying) { applying.insert(rest) } }
      if SectionHeading.isUp(words) || words.contains("up") && SectionHeading(comment)?.direction == .up {
        hasUp = true
      }
      if SectionHeading.headsUndoing(words, comment.content) || hasUp && SectionHeading.isMisspelled(words) {
        review(heading: index, words, hasUp: hasUp)
      } else {
        // As `-- exports.down = (knex) =>` is the counterpart of `-- exports.up = (knex) =>`.
        review(comment, words, hasUp: hasUp, hasDown: hasDown, isCounterpart: applying.contains(rest))
      }
    }
  }

  /// Refuses a comment that is no heading, if the statements below it undo the migration.
  private mutating func review(
    _ comment: ScriptComment, _ words: [String], hasUp: Bool, hasDown: Bool, isCounterpart: Bool
  ) {
    let isOfUndoing = words.contains(where: SectionHeading.meansUndoing)
    let isTitled = isOfUndoing || SectionHeading.saysOnlyDrop(words)
    guard let next = statement(below: comment), next > 0, next < statements.count,
      hasUp || isTitled || ReversibleChange(statements[next].text).removes
    else { return }
    let saysUndoing = isOfUndoing && !SectionHeading.isDenied(words)
    let isPaired = saysUndoing && hasUp && !hasDown
    let sign: FileChanges.Sign =
      switch saysUndoing {
      case true where isCounterpart: .label
      case true: SectionHeading.sign(words, comment.content, isPaired: isPaired)
      case false: .none
      }
    // Without a word that says so, only a part at the end of a file undoes the part above.
    let mayUndo = hasUp || isTitled || changes.endByRemoving(from: next)
    if mayUndo && changes.undo(from: next, under: sign) || isPaired && changes.onlyRemove(from: next) {
      refuse(comment)
    }
  }

  /// Refuses a down heading above statements, unless it clearly describes something else than the part below it.
  private mutating func review(heading: Int, _ words: [String], hasUp: Bool) {
    guard let next = statement(below: comments[heading], divides: true), next < statements.count,
      !changes.dropOnlyTemporary(from: next)
    else { return }
    let statement = statements[next]
    if changes.isFirst(next), SectionHeading.isProse(words, path) { return }
    let drops = changes.removes(at: next)
    if !drops, SectionHeading.names(SQLSource(statement.text), words) { return }
    let between = comments[(heading + 1)...].prefix { $0.utf8Range.lowerBound < statement.range.lowerBound }
      .filter { !SectionHeading.words(of: $0.content).isEmpty }
    let isDisabled = between.contains { comment in
      comment.content.hasSuffix(";")
        && SectionHeading.statements.contains(SectionHeading.words(of: comment.content).first ?? "")
    }
    // Instructions, between one new table and the next.
    if !hasUp, !between.isEmpty || SectionHeading.hasPhrase(words), changes.makesNewTable(at: next),
      !changes.undo(from: next, under: .label)
    {
      return
    }
    // A note about the rollback: disabled statements, or text at the beginning of a file.
    if isDisabled ? next == 0 || !drops : next == 0 && !between.isEmpty && !drops { return }
    refuse(comments[heading])
  }

  private mutating func refuse(
    _ comment: ScriptComment, _ kind: (String) -> MigrationProblem.Kind = { .undoHeading($0) }
  ) {
    problem = MigrationProblem(kind(comment.shown), path: path, position: comment.position)
  }

  // MARK: Positions

  /// Returns the index of the first statement below a comment; nil if the comment is inside a statement, such as in the body
  /// of a trigger.
  ///
  /// - Parameter divides: Whether the comment divides a statement that lacks a semicolon before it.
  private mutating func statement(below comment: ScriptComment, divides: Bool = false) -> Int? {
    let offset = comment.utf8Range.lowerBound
    let start = statements.firstIndexInOrder { $0.range.lowerBound > offset }
    guard start > 0, statements[start - 1].range.upperBound > offset else { return start }
    guard divides else { return nil }
    let whole = statements[start - 1]
    let tokens = SQLSource(whole.text).tokens
    guard let next = tokens.firstIndex(where: { whole.range.lowerBound + $0.range.lowerBound > offset }),
      SectionHeading.statements.contains(tokens[next].folded),
      !tokens.prefix(3).contains(where: { $0.isWord("trigger") }),
      tokens[..<next].count(where: { $0.isOperator("(") }) == tokens[..<next].count(where: { $0.isOperator(")") })
    else { return nil }
    knownChanges = nil
    let parts = [0..<tokens[next - 1].range.upperBound, tokens[next].range.lowerBound..<whole.range.count]
    statements.replaceSubrange(
      (start - 1)..<start,
      with: parts.map { part in
        let bytes = whole.text.utf8.prefix(part.upperBound).dropFirst(part.lowerBound)
        let range = whole.range.lowerBound + part.lowerBound..<whole.range.lowerBound + part.upperBound
        return (String(decoding: bytes, as: UTF8.self), range)
      })
    return start
  }
}

/// A heading of a known tool: of the part of a file that makes a change, or of the part that undoes it.
///
/// Several tools divide a file in this way, each with its own punctuation: `-- Up`, `-- ==== UP ====`, `-- @up`, `-- !Ups`,
/// `-- Up Migration`, `-- 1 up`, `-- rambler up`. A heading is therefore recognized by its words.
struct SectionHeading {
  enum Direction {
    case up
    case down
    /// The forward part is above, the part that undoes it is below, and no heading is needed above.
    case divider
  }

  let comment: ScriptComment
  let direction: Direction
  /// The words beside the direction, which both headings of a pair have; Mojo writes the number of the migration.
  let tool: String
  var number: String? { Self.isNumber(tool) ? tool : nil }
  /// Whether other words follow the direction, as some tools allow; the statements then decide whether it is a heading.
  let isLoose: Bool

  /// Reads a comment; nil if it is not a heading of a known tool.
  init?(_ comment: ScriptComment) {
    let words = Self.words(of: comment.content)
    self.comment = comment
    // tern (https://github.com/jackc/tern#migrations) and MyBatis (https://mybatis.org/migrations/new.html).
    if words == ["create", "above", "drop", "below"]
      || words == ["undo"] && ["//@", "@"].contains(comment.content.prefix { !$0.isLetter }.filter { $0 != " " })
    {
      (direction, tool, isLoose) = (.divider, "", false)
      return
    }
    // aerich (https://github.com/tortoise/aerich).
    if words == ["upgrade"] || words == ["downgrade"], comment.content.lowercased().hasSuffix("e --") {
      (direction, tool, isLoose) = (words == ["upgrade"] ? .up : .down, "aerich", false)
      return
    }
    let hasPrefix = words.first.map { ["rambler", "drift"].contains($0) || Self.isNumber($0) } ?? false
    let prefix = hasPrefix ? words[0] : ""
    let rest = words.dropFirst(hasPrefix ? 1 : 0)
    // Drift calls the parts `drift:migrate` and `drift:rollback`, too (https://github.com/luislavena/drift).
    let (ups, downs) = (["up", "ups"], ["down", "downs"])
    let (applying, undoing) = prefix == "drift" ? (ups + ["migrate"], downs + ["rollback"]) : (ups, downs)
    guard let word = rest.first, (applying + undoing).contains(word) else { return nil }
    direction = applying.contains(word) ? .up : .down
    let follower = rest.dropFirst().first
    let sign = comment.content.lowercased().drop { !$0.isLetter }.dropFirst(word.count).first
    switch (prefix, follower) {
    case (_, nil): (tool, isLoose) = (word.hasSuffix("s") ? "\(prefix)s" : prefix, false)
    case ("", "migration"): (tool, isLoose) = ("migration", false)
    case ("", _) where sign == ":": (tool, isLoose) = ("", true)
    case _ where Self.isNumber(prefix): (tool, isLoose) = (prefix, true)
    default: return nil
    }
  }
}

// The words that say that something is applied or undone.
extension SectionHeading {
  private static let up: Set = [
    "up", "ups", "do", "apply", "forward", "forwards", "upgrade", "deploy", "install", "\u{2191}", "\u{2B06}",
    "\u{25B2}",
  ]
  /// The words of undoing in all inflections, in other languages, and arrows.
  private static let undoing: Set = {
    let stems = [
      "backout", "backward", "down", "downgrad", "invers", "revers", "revert", "rollback", "teardown", "unappl",
      "undeploy", "undid", "undo", "uninstall", "unmigrat",
    ]
    let endings = ["", "e", "ed", "es", "ing", "ne", "s", "ted", "ward", "wards", "y"]
    return Set(stems.flatMap { stem in endings.map { stem + $0 } } + ["\u{2193}", "\u{2B07}", "\u{25BC}"])
      .union(undoingElsewhere)
  }()
  /// Words of other languages that mean "down", "undo" or "roll back", and nothing else.
  private static let undoingElsewhere = Set(
    """
    zurück rückgängig zurücksetzen zurückrollen zurücknehmen rücknahme rückbau rücksetzen rückwärts abwärts annuler descendre \
    arrière bas abajo bajar deshacer revertir reversión abaixo baixo desfazer reverter reversão annulla giù indietro terugdraaien \
    terug ongedaan omlaag откат откатить вниз назад відкат скасувати cofnij cofnięcie wycofaj wycofanie zpět vrátit dolů \
    tillbaka ångra nedåt tilbage tilbakestill fortryd angre kumoa visszavonás visszagörgetés poništi desfă geri hoàn αναίρεση \
    تراجع التراجع ย้อนกลับ 下 回滚 回滾 回退 撤销 撤銷 还原 還原 降级 ロールバック 元に戻す ダウン 롤백 되돌리기 다운
    """.split(separator: " ").map(String.init))
  /// The titles of files that take everything down, without spaces.
  private static let teardowns: Set = {
    let wholes = ["all", "alldata", "alltables", "database", "db", "everything", "schema", "tables"]
    let verbs = ["destroy", "down", "nuke", "revert", "rollback", "teardown", "undo", "wipe"]
    let others = ["delete", "drop", "reset"]
    return Set(verbs + (verbs + others).flatMap { verb in wholes.map { verb + $0 } })
  }()
  /// The other words that headings have, as in `-- SQL to run on downgrade`.
  private static let others: Set = Set(
    """
    migration migrations migrate migrating section part script scripts step steps sql code block statement statements query queries \
    change changes changeset begin start starts below here above goose dbmate rambler atlas tern shmig mig micrate \
    bytebase drift version database db schema exports self def function async public to run this on \
    skript machen rollen der zur änderungen modifications la le vers marche retour cambios migración hacia los alterações \
    migração para modifiche migrazione torna van migratie wijzigingen maken draaien миграции миграцию изменений изменения \
    скрипт міграції зміни zmian zmiany migracji změny migrace ändringar rulla rul muutokset promjene modificările al alma tác \
    αλλαγών عن التغييرات 脚本 腳本 操作 语句 更改 迁移 用 処理 용 스크립트 마이그레이션
    """.split(separator: " ").map(String.init))
  /// The words with which a statement begins that may follow a heading.
  fileprivate static let statements: Set = ["alter", "create", "delete", "drop", "insert", "pragma", "update"]
  /// The words of phrases above the part that undoes a migration, as in `-- Undo the above` and `-- Rollback plan`.
  private static let phrases: Set = Set(
    """
    all by command commands emergency everything execute hand how if instructions is manual manually necessary needed notes only \
    plan procedure strategy tear the these
    """.split(separator: " ").map(String.init))
  /// Words that may surround an unmistakable direction, as in `-- direction: down`.
  private static let fillers: Set = ["name", "direction", "phase", "region"]
  private static let unmistakable: Set = ["down", "undo", "rollback", "downgrade"]
  /// Words that deny the direction after them, as in `-- this cannot be undone`.
  private static let negations: Set = ["cannot", "n", "never", "no", "none", "not", "t", "without"]
  /// Whether a word of a file name or a comment means that something is undone, in any inflection.
  static func meansUndoing(_ word: String) -> Bool {
    // Several languages write the words of a heading as one, as in "Abwärtsmigration".
    undoing.contains(word)
      || !word.utf8.allSatisfy { $0 < 0x80 }
        && undoingElsewhere.contains { word.hasPrefix($0) && others.contains(String(word.dropFirst($0.count))) }
  }

  /// Whether a word of a file name is a misspelled one of undoing; "town" and "dawn" are not.
  static func misspellsUndoing(_ word: String) -> Bool {
    word.sorted() == "down".sorted()
      || ["undo", "revert", "rollback"].contains { Suggestion.distance(from: word, to: $0) == 1 }
  }

  /// Whether a file name says that everything is taken down, and has no other word; letters, as in `z_drop_all`, do not count.
  static func meansTeardown(_ words: [String]) -> Bool {
    teardowns.contains(words.lazy.filter { !isNumber($0) && $0.count > 1 }.joined())
  }

  /// Whether a word of a file name means that something is applied.
  static func meansApplying(_ word: String) -> Bool { up.contains(word) }

  /// Whether a comment is the heading of a part that makes a change, whatever the tool.
  fileprivate static func isUp(_ words: [String]) -> Bool { isHeading(words, with: up.contains) }

  /// Whether a comment denies, directly beside the word, that something is undone, as in `-- Rollback: none`.
  fileprivate static func isDenied(_ words: [String]) -> Bool {
    let words = words.filter { !["be", "is", "need", "to", "way"].contains($0) }
    let denials = [["can", "t"], ["cannot"], ["n", "a"], ["none"], ["not"]]
    return words.indices.contains { index in
      meansUndoing(words[index])
        && (index > 0 && negations.contains(words[index - 1])
          || denials.contains { words[(index + 1)...].starts(with: $0) })
    }
  }

  /// Returns the way in which a comment says that something is undone.
  ///
  /// - Parameter isPaired: Whether the comment is in a file with an up heading and no other down heading.
  fileprivate static func sign(_ words: [String], _ content: String, isPaired: Bool) -> FileChanges.Sign {
    // `-- To undo`, `-- for downgrade only`, `-- in case of rollback`
    let isCase = words.starts(with: ["in", "case", "of"])
    let phrase = isCase ? words.dropFirst(3) : words.drop { ["for", "to"].contains($0) }
    let begins = phrase.first.map(meansUndoing) ?? false
    // `-- Rollback: re-create it`, `-- To undo: ...`, `-- Rollback (SQLite < 3.35)`, `-- Down - the old names`
    let label = /\W*([Tt]o\s+)?\w+([ -](back|out))?(\s*[:(]|\s+[-\u{2013}\u{2014}]\s)/
    if begins, isPaired || content.prefixMatch(of: label) != nil { return .label }
    // `-- mode=down`, `-- dbmigrate:down`
    if words.count == 2, meansUndoing(words[1]), isPaired || content.contains(/[:=]\s*\w+$/) { return .label }
    // "Down" alone is a word of prose, as in `-- down to three columns`.
    guard words.contains(where: { $0 != "down" && meansUndoing($0) }) else { return .none }
    return begins ? .start : .word
  }

  /// Whether the words of a comment are those of its statement, or of names in it: `-- rollback` above ROLLBACK TO,
  /// `-- Undo steps` above CREATE TABLE undo_step.
  fileprivate static func names(_ statement: SQLSource, _ words: [String]) -> Bool {
    let undoing = words.filter(meansUndoing)
    guard !undoing.isEmpty else { return false }
    let singular = { (word: String) in word.hasSuffix("s") ? String(word.dropLast()) : word }
    let parts = statement.tokens.lazy.filter { $0.kind == .word || $0.kind == .quotedIdentifier }
      .flatMap { Self.words(of: $0.text) }.map(singular)
    return undoing.allSatisfy(statement.names) || Set(parts).isSuperset(of: words.map(singular))
  }

  /// Whether a comment consists of "drop", beside words such as "statements".
  fileprivate static func saysOnlyDrop(_ words: [String]) -> Bool { isHeading(words) { $0 == "drop" } }

  /// Whether a comment is the heading of a part that undoes the migration, whatever the tool.
  fileprivate static func headsUndoing(_ words: [String], _ content: String) -> Bool {
    // The first line of a script in Sqitch's folder `revert`, `-- Revert flipr:users from sqlite`
    // (https://sqitch.org/docs/manual/sqitchtutorial-sqlite/).
    let parts = content.split(separator: " ")
    let isSqitch = words.first == "revert" && parts.count == 4 && parts[2] == "from"
    // `-- Down migration for users`, `-- 2_users.down.sql`, `-- 2_users (down)`
    let isTitle =
      words.count > 3 && meansUndoing(words[0]) && ["migration", "script"].contains(words[1])
      && ["for", "of"].contains(words[2])
      || isNumber(words.first ?? "")
        && ["down", "undo", "rollback", "revert"].contains { word in
          [".\(word).sql", "(\(word))"].contains(where: content.lowercased().hasSuffix)
        }
    // `-- Don't run: rollback`
    let ignored = words.contains("run") ? phrases.union(negations).union(["do", "don"]) : phrases
    // `---- create above, drop underneath ----`
    let isTern = words.starts(with: ["create", "above", "drop"]) && words.count < 5
    // An arrow alone may point to the next line.
    return isSqitch || isTitle || isTern
      || isHeading(words.filter { !ignored.contains($0) }, with: meansUndoing)
        && words[0].first?.isSymbol == false
      || isHeading(words.filter { !fillers.contains($0) }, with: unmistakable.contains)
  }

  /// Whether a heading may be prose if no statement is above it: `-- Undo the changes`, or one that refers to something by
  /// its number, as `-- Reverts #123` does.
  fileprivate static func isProse(_ words: [String], _ path: String) -> Bool {
    let name = path.split(separator: "/").last.map { Self.words(of: String($0)) } ?? []
    let own = name.map { $0.drop { $0 == "0" } }
    let numbers = words.drop { !meansUndoing($0) || $0 == "down" }.filter(isNumber).map { $0.drop { $0 == "0" } }
    return hasPhrase(words) || numbers.contains { !own.contains($0) }
  }

  /// Whether a heading says more than that something is undone, as `-- Revert manually if needed` does.
  fileprivate static func hasPhrase(_ words: [String]) -> Bool { !phrases.isDisjoint(with: words) }

  /// Whether a comment has words of one meaning, and no other words than a heading has.
  private static func isHeading(_ words: [String], with meaning: (String) -> Bool) -> Bool {
    words.contains(where: meaning) && words.allSatisfy { meaning($0) || others.contains($0) || isNumber($0) }
  }

  /// Whether a comment is a misspelled heading such as `-- Dwon`.
  fileprivate static func isMisspelled(_ words: [String]) -> Bool {
    guard words.count == 1, !up.contains(words[0]) else { return false }
    return ["down", "undo", "revert", "rollback"].contains { Suggestion.distance(from: words[0], to: $0) == 1 }
  }

  static func isNumber(_ word: String) -> Bool {
    let digits = word.first == "v" ? word.dropFirst() : word[...]
    return !digits.isEmpty && digits.allSatisfy(\.isNumber)
  }

  /// Returns the words of a comment or a file name in lower case.
  ///
  /// Punctuation separates them. A capital letter after a small one begins a word only if one of the words is then a
  /// direction, as in `usersDown`: `dOwN` is one word. "Roll back" is one word, and so is an arrow.
  static func words(of text: String) -> [String] {
    var words: [String] = []
    var (word, run) = (String.UnicodeScalarView(), [String]())
    var followsSmall = false
    func endRun() {
      if !word.isEmpty { run.append(String(word).lowercased()) }
      word.removeAll(keepingCapacity: true)
      if run.count > 1 {
        let whole = run.joined(), parts = joined(run)
        let isOne = isDirection(whole) || !parts.contains(where: isDirection)
        words += isOne ? [whole] : parts
      } else {
        words += run
      }
      run.removeAll(keepingCapacity: true)
    }
    // Characters would take three times as long, and all comments are read.
    for scalar in text.unicodeScalars {
      // Letters of the full width of Chinese characters are those of ASCII, and soft hyphens are in the middle of words.
      let isWide = (0xFF01...0xFF5E).contains(scalar.value)
      let scalar = isWide ? Unicode.Scalar(UInt8(scalar.value - 0xFEE0)) : scalar
      let (value, isASCII) = (scalar.value, scalar.isASCII)
      if !isASCII, scalar.properties.isDefaultIgnorableCodePoint { continue }
      let isCapital = isASCII ? (0x41...0x5A).contains(value) : scalar.properties.isUppercase
      let isSmall = isASCII ? (0x61...0x7A).contains(value) : scalar.properties.isLowercase
      let isPart = isCapital || isSmall || (isASCII ? (0x30...0x39).contains(value) : scalar.properties.isIDContinue)
      if isCapital, followsSmall {
        run.append(String(word).lowercased())
        word.removeAll(keepingCapacity: true)
      }
      if isPart {
        word.append(scalar)
      } else {
        endRun()
        if !isASCII, isDirection(String(scalar)) { words.append(String(scalar)) }
      }
      followsSmall = isSmall
    }
    endRun()
    return joined(words)
  }

  private static func isDirection(_ word: String) -> Bool { meansUndoing(word) || meansApplying(word) }

  /// Returns the words that the headings of two parts of a file share, in a fixed order: the other one of
  /// `-- upgrade 7 -> 8` is `-- downgrade 8 -> 7`.
  fileprivate static func wordsBesideDirection(_ words: [String]) -> [String] {
    words.filter { !isDirection($0) }.sorted()
  }

  /// Returns words in which a verb and its particle are one word.
  private static func joined(_ words: [String]) -> [String] {
    words.reduce(into: []) { joined, word in
      let verb = joined.last ?? ""
      if word == "back", ["roll", "rolls", "rolled", "rolling"].contains(verb) {
        joined[joined.count - 1] = "rollback"
      } else if word == "out", ["back", "backs", "backed", "backing"].contains(verb) {
        joined[joined.count - 1] = "backout"
      } else if verb == "un", meansUndoing(verb + word) {
        joined[joined.count - 1] = verb + word
      } else {
        joined.append(word)
      }
    }
  }
}
