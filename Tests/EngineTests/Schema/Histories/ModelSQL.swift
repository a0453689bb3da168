import TestEngines

/// SQL in which tables and columns stand by numbers, so that what another name does to it needs no thought.
struct ModelSQL: Hashable, ExpressibleByStringInterpolation {
  enum Piece: Hashable {
    case sql(String)
    case name(Int)
    /// The name where it is given, whose letters stay as they are.
    case definition(Int)
  }

  var pieces: [Piece] = []

  init(_ sql: String = "") { pieces = [.sql(sql)] }

  init(stringLiteral value: String) { self.init(value) }

  init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

  struct StringInterpolation: StringInterpolationProtocol {
    var pieces: [Piece] = []

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { pieces.append(.sql(literal)) }

    mutating func appendInterpolation(_ sql: ModelSQL) { pieces += sql.pieces }

    mutating func appendInterpolation(raw sql: String) { pieces.append(.sql(sql)) }

    /// The name of a table or column.
    mutating func appendInterpolation(name number: Int) { pieces.append(.name(number)) }

    mutating func appendInterpolation(defining number: Int) { pieces.append(.definition(number)) }

    mutating func appendInterpolation(names numbers: [Int]) {
      appendInterpolation(numbers.map { ModelSQL(stringInterpolation: StringInterpolation(name: $0)) })
    }

    mutating func appendInterpolation(_ parts: [ModelSQL], by separator: String = ", ") {
      for (place, part) in parts.enumerated() {
        if place > 0 { pieces.append(.sql(separator)) }
        pieces += part.pieces
      }
    }

    private init(name: Int) { pieces = [.name(name)] }
  }

  /// The numbers that stand in it.
  var names: Set<Int> {
    Set(pieces.compactMap { if case .name(let number) = $0 { number } else { nil } })
  }
}

/// How names and blanks are written: plainly, or in any way that SQL has.
struct ModelSpelling {
  private var isPlain = true
  private var random = SeededGenerator(seed: 0)

  /// Names in double quotes, with blanks between.
  init() {}

  /// Any spelling.
  init(_ random: SeededGenerator) {
    isPlain = false
    self.random = random
  }

  mutating func name(_ name: String, isDefinition: Bool = false) -> String {
    let quoted = "\"" + name.replacing("\"", with: "\"\"") + "\""
    guard !isPlain else { return quoted }
    let needsQuotes = !name.utf8.allSatisfy { (0x61...0x7a).contains($0) } || ModelNames.keywords.contains(name)
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: return needsQuotes ? quoted : name
    case 2: return needsQuotes ? quoted : isDefinition ? name : name.uppercased()
    case 3: return name.contains("]") ? quoted : "[\(name)]"
    case 4: return "`" + name.replacing("`", with: "``") + "`"
    default: return quoted
    }
  }

  mutating func blank() -> String {
    guard !isPlain else { return " " }
    return [" ", " ", "\n  ", " /* a comment, */ ", " -- why (\n"].randomElement(using: &random) ?? " "
  }
}

/// Names that are easily taken for something else.
enum ModelNames {
  static let tables = ["t", "order", "two words", "quo\"te", "Äpfel", "parent", "main", "x'y", "sqlitedata", "group"]
  static let columns = [
    "a", "b", "id", "key", "select", "c d", "e\"f", "ü", "check", "new", "name", "desc", "value", "end", "t", "text",
    "references", "x]y", "old", "like", "active", "default",
  ]
  /// What cannot stand without quotes everywhere.
  static let keywords: Set<String> = [
    "order", "group", "select", "check", "references", "key", "desc", "end", "like", "new", "old", "default",
  ]
}
