import TestEngines

/// SQL in which numbers represent tables and columns, so that renames require no changes.
struct ModelSQL: Hashable, ExpressibleByStringInterpolation {
  enum Piece: Hashable {
    case sql(String)
    case name(Int)
    /// The name in its definition, whose case is fixed.
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

    /// Appends the name of a table or column.
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

  /// The numbers used in it.
  var names: Set<Int> {
    Set(pieces.compactMap { if case .name(let number) = $0 { number } else { nil } })
  }
}

/// A spelling of names and whitespace: plain, or random among all that SQL allows.
struct ModelSpelling {
  private var isPlain = true
  private var random = SeededGenerator(seed: 0)

  /// Creates a spelling with names in double quotes, separated by spaces.
  init() {}

  /// Creates a random spelling.
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

/// Names that are easily mistaken for something else.
enum ModelNames {
  static let tables = ["t", "order", "two words", "quo\"te", "Äpfel", "parent", "main", "x'y", "sqlitedata", "group"]
  static let columns = [
    "a", "b", "id", "key", "select", "c d", "e\"f", "ü", "check", "new", "name", "desc", "value", "end", "t", "text",
    "references", "x]y", "old", "like", "active", "default",
  ]
  /// Names that require quotes in some places.
  static let keywords: Set<String> = [
    "order", "group", "select", "check", "references", "key", "desc", "end", "like", "new", "old", "default",
  ]
}
