internal import SQLSyntax

struct SyntaxErrorPlace {
  /// The tokens in lower case; a quotation mark stands for each string, and `#name` for each name that begins with `#`.
  private let tokens: [String]
  private let vocabulary: Set<String>
  private let source: SQLSource
  /// The indexes of the tokens that the message of the engine names.
  private let named: [Int]
  /// The indexes of the tokens that the message of the engine can mean; all if it names none.
  private let places: Set<Int>
  /// Those of the named tokens that begin a line, except the first token.
  private var lineStarts: [Int] { named.filter { $0 > 0 && source.beginsLine(source.tokens[$0]) } }

  /// - Parameter utf8Offset: The position that the engine reports; nil if it reports none.
  init(_ sql: String, message: String, utf8Offset: Int? = nil) {
    source = SQLSource(sql)
    let all = source.tokens
    let names = ["no such column: ", "no such table: "].lazy.compactMap { Message(message).rest(after: $0) }
    let near = names.first ?? message.between("near \"", "\": syntax error")
    let spelled = all.indices.filter {
      all[$0].text == near || all[$0].kind == .string && all[$0].text == near.map { "'\($0)'" }
    }
    let exact = spelled.filter { all[$0].range.lowerBound == utf8Offset }
    named = exact.isEmpty ? spelled : exact
    tokens = all.map {
      $0.kind == .string ? "'" : $0.kind == .variable && $0.text.hasPrefix("#") ? "#name" : $0.folded
    }
    vocabulary = Set(tokens)
    places = Set(named.isEmpty ? Array(all.indices) : named)
  }

  /// Returns whether the tokens match a row of ``StatementFault/foreignSyntax`` at the place of the error.
  func matches(_ pattern: String) -> Bool {
    var words = pattern.split(separator: " ")
    let isAnchored = words.first == "^"
    if isAnchored { words.removeFirst() }
    let isWhole = words.last == "$"
    if isWhole { words.removeLast() }
    let mark = words.firstIndex(of: "@")
    if let mark { words.remove(at: mark) }
    guard isWhole ? tokens.count == words.count : tokens.count >= words.count else { return false }
    // A statement can have a hundred thousand tokens.
    guard words.allSatisfy({ $0 == "*" || vocabulary.contains($0 == "(*)" ? "*" : String($0)) }) else { return false }
    return (0...(isAnchored ? 0 : tokens.count - words.count)).contains { start in
      zip(words, tokens[start...]).allSatisfy(Self.agree)
        && (mark.map { places == [start + $0] } ?? (start...(start + words.count + 1)).contains(where: places.contains))
    }
  }

  /// Whether a word of a pattern stands for a token; `*` does not stand for parentheses or the operator, for which `(*)` does.
  private static func agree(_ word: Substring, _ token: String) -> Bool {
    word == "*" ? !["(", ")", "*"].contains(token) : word == (token == "*" ? "(*)" : token)
  }

  /// The number of parentheses that are open before a token.
  private func depth(at index: Int) -> Int {
    tokens[..<index].reduce(0) { $0 + ($1 == "(" ? 1 : $1 == ")" ? -1 : 0) }
  }

  /// The advice about a semicolon that is missing before a line; nil if the error has another cause.
  var missingSemicolon: String? {
    let beginnings: Set = [
      "alter", "create", "delete", "drop", "insert", "pragma", "reindex", "replace", "select", "update", "vacuum",
      "with",
    ]
    return lineStarts.first {
      let isClause =
        tokens[0] == "alter" && ["alter", "drop"].contains(tokens[$0]) && tokens.dropFirst($0 + 1).first != "table"
      // The parser takes the FOR of FOR UPDATE for the second name of a table.
      return beginnings.contains(tokens[$0]) && !isClause && tokens[$0 - 1] != "for" && hasStatement(before: $0)
    }
    .map { "Write a semicolon before \(tokens[$0].uppercased()), at the end of the statement before it." }
  }

  /// Whether a complete statement, of the script or of a trigger, ends before a token.
  private func hasStatement(before index: Int) -> Bool {
    let start = tokens[1..<index].lastIndex { $0 == ";" || $0 == "begin" }.map { $0 + 1 } ?? 0
    return tokens[start] != "explain" && (try? SQLTree(parsing: source.text(of: start..<index))) != nil
  }

  /// The advice about a comma that is missing before a line, or that ends a list; nil if the error has another cause.
  var commaAdvice: String? {
    let ends: Set = [")", "from", "group", "limit", "order", "where"]
    if tokens.last == "," || places.contains(where: { $0 > 0 && tokens[$0 - 1] == "," && ends.contains(tokens[$0]) }) {
      return "Delete the comma at the end of the list."
    }
    let isTable = tokens.first == "create" && tokens.prefix(3).contains("table")
    let isWord = { (token: String?) in token?.first?.isLetter ?? false }
    return lineStarts.first {
      isTable && depth(at: $0) == 1 && isWord(tokens[$0]) && isWord(tokens.dropFirst($0 + 1).first)
        && ![",", "("].contains(tokens[$0 - 1])
        || tokens.contains("values") && tokens[$0] == "(" && tokens[$0 - 1] == ")"
    }
    .map {
      "Write a comma before the line that begins with \(tokens[$0]), if it is the next column, constraint or row."
    }
  }

  /// The advice about a parenthesis or a quote without its counterpart; nil if there is none.
  var unevenSigns: String? {
    guard source.isWellFormed else {
      // The last string or name contains the rest of the statement, with its parentheses.
      return source.tokens.last?.kind == .unterminated
        ? "A quote is not closed: add it where the string or the name ends, or double it if it belongs to the text."
        : nil
    }
    return switch depth(at: tokens.count) {
    case 0: nil
    case 1...:
      "A parenthesis is not closed: add `)` where it ends. If it contains a semicolon in place of a comma, write the comma."
    default: "A `)` has no `(` before it: delete it, or add `(`."
    }
  }

  /// The first character outside of quotes that looks like a space or is invisible, or that looks like a sign of SQL at the
  /// place of the error; nil if there is none.
  var lookalike: Unicode.Scalar? {
    source.tokens.indices.lazy.filter { [.word, .number, .illegal].contains(source.tokens[$0].kind) }.compactMap {
      index in
      let token = source.tokens[index]
      // Honest names, too, contain the parentheses of East Asia.
      let isNear = token.kind == .illegal || named.contains { abs($0 - index) < 2 }
      return token.text.unicodeScalars.first { $0.looksLikeSpace || isNear && $0.looksLikeSign }
    }
    .first
  }

  /// The first word of a statement, or the kind of object that it creates, changes or drops, if SQLite has no such word; nil
  /// if the error has another cause, or if a word is probably misspelled.
  var unknownStatement: String? {
    let kinds = ["index", "table", "temp", "temporary", "trigger", "unique", "view", "virtual"]
    let statements = [
      "alter", "analyze", "attach", "begin", "commit", "create", "delete", "detach", "drop", "end", "explain", "insert",
      "pragma", "reindex", "release", "replace", "rollback", "savepoint", "select", "update", "vacuum", "values",
      "with",
    ]
    let isOfObject = ["alter", "create", "drop"].contains(tokens.first)
    let (place, known) = isOfObject ? (1, kinds) : (0, statements)
    // A name in the place of a word that is missing, or of one that follows, is none that SQLite lacks.
    guard places.count < tokens.count, places.contains(place), tokens[place].first?.isLetter ?? false,
      tokens[place].identifierForReading == tokens[place],
      !(kinds + statements + ["recursive"]).contains(tokens[place]),
      tokens.dropFirst(place + 1).first.map({
        $0.first?.isLetter ?? false && !(isOfObject ? kinds : ["set"]).contains($0)
      }) ?? true,
      known.allSatisfy({ Suggestion.distance(from: tokens[place], to: $0) > 2 })
    else { return nil }
    return tokens[place].uppercased()
  }

  /// The keyword that stands in the place of a name; nil if the error has another cause.
  ///
  /// Only nouns, which are probably meant as names: any other keyword is more likely to be misplaced.
  var keywordForName: String? {
    let nouns: Set = [
      "add", "case", "check", "commit", "default", "from", "group", "index", "limit", "order", "primary", "references",
      "table", "to", "transaction", "unique", "values", "when", "where",
    ]
    guard places.count < tokens.count else { return nil }
    return places.sorted().first { $0 > 0 && (nouns.contains(tokens[$0]) && isName($0) || isNewName($0)) }
      .map { tokens[$0] }
  }

  /// Whether a word is the new name at the end of ALTER TABLE, where the engine refuses no word but a keyword.
  private func isNewName(_ place: Int) -> Bool {
    tokens[0] == "alter" && tokens[place - 1] == "to" && place == tokens.count - 1
      && tokens[place].first?.isLetter ?? false
  }

  /// Whether the grammar asks for a name at a place, to judge by the tokens before and after it.
  private func isName(_ place: Int) -> Bool {
    let (word, last) = (tokens[place], tokens[place - 1])
    let next = place + 1 < tokens.count ? tokens[place + 1] : ";"
    let isBeforeWord: Bool = next.first?.isLetter ?? false
    switch last {
    case "table", "into", "update", "exists", "to", "view", "index", "join", "from":
      let enders: Set = [";", "(", ".", "as", "set", "select", "values", "rename", "add", "drop", "on", "where"]
      return enders.contains(next) && word != last
    case "(", ",":
      if ["insert", "replace"].contains(tokens[0]) {
        return [",", ")"].contains(next) && !tokens[..<place].contains("values")
      }
      let isConstraint = ["check", "references", "primary", "unique", "default"].contains(word)
      return tokens.starts(with: ["create", "table"]) && depth(at: place) == 1 && isBeforeWord && !isConstraint
        && next != "by" && next != "key"
    case "column": return tokens.contains("rename") ? next == "to" : isBeforeWord || next == ";"
    case ".": return true
    case "trigger": return ["after", "before", "delete", "insert", "instead", "update"].contains(next)
    case "as": return [",", "from", ";", ")"].contains(next)
    case "set", "where", "and", "or": return ["=", "<>", "<", ">", "is", "in", "like"].contains(next)
    default: return false
    }
  }
}

extension Unicode.Scalar {
  /// Whether the character is one of East Asia that looks like a sign of SQL.
  fileprivate var looksLikeSign: Bool {
    ("\u{FF01}"..."\u{FF5E}").contains(self) && !properties.isXIDContinue || self == "\u{3001}"
  }
}
