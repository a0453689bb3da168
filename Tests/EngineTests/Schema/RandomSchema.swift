import SQLSyntax

/// A schema created from a seed, around a table `t` whose columns have names that are easily mistaken for something
/// else.
struct RandomSchema {
  private var state: UInt64
  private var columns: [String] = []
  private var others: [String] = []

  /// Statements that create the schema and some rows.
  private(set) var statements = ""

  /// A column of `t`, and a name that none of its columns has.
  private(set) var renaming = (name: "", newName: "")

  private static let names = [
    "a", "B", "name", "t", "key", "end", "desc", "text", "lower", "abs", "nocase", "check", "order", "two words",
    "quo\"te", "é", "T1", "references", "active", "x]y", "new", "old", "as", "integer", "like",
  ]

  /// Creates a schema; the same seed creates the same schema.
  init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
    var pool = Self.names
    columns = (0..<(3 + random(4))).map { _ in pool.remove(at: random(pool.count)) }
    renaming = (columns[random(columns.count)], pool.remove(at: random(pool.count)))
    if random(12) == 0 { renaming.newName = renaming.name.uppercased() }
    others = [columns[random(columns.count)], pool[random(pool.count)]]
    makeTable()
    makeIndexes()
    makeOthers()
    makeTriggers()
    for row in 1...3 {
      let values = columns.indices.map { "'\(row)\($0)'" }.joined(separator: ", ")
      statements +=
        "INSERT INTO t(rowid, \(columns.map(\.quotedIdentifier).joined(separator: ", ")))"
        + " VALUES (\(row * 10), \(values));\n"
    }
  }

  private mutating func random(_ bound: Int) -> Int {
    // Knuth's MMIX generator; its upper bits are more random.
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  /// Returns a name in one of the spellings that SQL allows.
  private mutating func spelled(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { (0x30...0x7a).contains($0) && $0 != 0x5d && $0 != 0x20 }
    switch random(5) {
    case 0 where isPlain && !["check", "order", "references", "as"].contains(name):
      return random(2) == 0 ? name : name.uppercased()
    case 1 where !name.contains("]"): return "[\(name)]"
    case 2: return "`\(name)`"
    default: return name.quotedIdentifier
    }
  }

  private mutating func column() -> String { spelled(columns[random(columns.count)]) }

  private mutating func expression() -> String {
    let name = columns[random(columns.count)]
    switch random(9) {
    case 0: return "\(spelled(name)) <> '\(name)'"
    case 1: return "t.\(name.quotedIdentifier) IS NOT NULL"
    case 2: return "lower(\(spelled(name))) <> 'x'"
    case 3: return "CAST(\(name.quotedIdentifier) AS text) <> ''"
    case 4: return "\(spelled(name)) COLLATE nocase NOT IN ('q', '\(column())')".replacingQuotes
    case 5: return "CASE WHEN \(name.quotedIdentifier) THEN 1 ELSE 2 END > abs(0)"
    case 6: return "(\(spelled(name)) || \(column())) <> 'no' /* \(name) */"
    case 7: return "\(name.quotedIdentifier) LIKE '%' -- \(name)\n"
    default: return "coalesce(\(spelled(name)), 1)"
    }
  }

  private mutating func makeTable() {
    var elements: [String] = []
    for name in columns {
      var words = [random(8) == 0 ? "'\(name)'" : spelled(name)]
      words.append(["TEXT", "VARCHAR(10, 2)", "", "\"text\""][random(4)])
      if random(4) == 0 { words.append("CHECK (\(expression()))") }
      if random(5) == 0 { words.append("DEFAULT ('\(name)')") }
      if random(6) == 0 { words.append("COLLATE nocase") }
      if random(6) == 0 { words.append("REFERENCES t(\(column()))") }
      if random(6) == 0 { words.append("REFERENCES p(\(column())) ON DELETE CASCADE") }
      if random(9) == 0 { words.append("UNIQUE") }
      elements.append(words.joined(separator: " "))
    }
    if random(3) == 0 { elements.append("CONSTRAINT \(column()) CHECK (\(expression()))") }
    if random(3) == 0 { elements.append("UNIQUE (\(column()), \(column()) COLLATE nocase DESC)") }
    if random(4) == 0 { elements.append("FOREIGN KEY (\(column())) REFERENCES T (\(column()))") }
    if random(5) == 0 { elements.append("PRIMARY KEY (\(column()))") }
    statements += "CREATE TABLE \(["t", "[t]", "\"t\""][random(3)]) (\(elements.joined(separator: ", ")));\n"
  }

  private mutating func makeIndexes() {
    if random(2) == 0 { statements += "CREATE INDEX i1 ON t(\(column()) DESC, \(column()));\n" }
    if random(3) == 0 { statements += "CREATE INDEX i2 ON t(lower(\(column())) COLLATE nocase);\n" }
    if random(3) == 0 { statements += "CREATE INDEX \"i\" ON [t](\(column())) WHERE \(column()) > 'a';\n" }
  }

  private mutating func makeOthers() {
    let names = others.map(\.quotedIdentifier)
    statements +=
      "CREATE TABLE other(\(names.joined(separator: ", ")),"
      + " FOREIGN KEY (\(names[0])) REFERENCES \"t\" (\(column())));\n"
    statements += "CREATE TABLE log(x);\nCREATE VIEW ov AS SELECT \(names[0]) AS y FROM other;\n"
    if random(3) == 0 { statements += "CREATE VIEW tv AS SELECT * FROM t;\n" }
    if random(6) == 0 { statements += "CREATE VIEW tn AS SELECT \(column()) AS y FROM t;\n" }
  }

  private mutating func makeTriggers() {
    let name = columns[random(columns.count)].quotedIdentifier
    if random(2) == 0 {
      statements +=
        "CREATE TRIGGER g1 AFTER UPDATE OF \(name) ON t WHEN NEW.\(name) <> OLD . \(name)"
        + " BEGIN INSERT INTO log VALUES (NEW.\(name)); END;\n"
    }
    if random(3) == 0 {
      let other = others[0].quotedIdentifier
      statements +=
        "CREATE TRIGGER g2 AFTER INSERT ON other BEGIN DELETE FROM t WHERE rowid < 0;"
        + " INSERT INTO log(x) VALUES (NEW.\(other)); END;\n"
    }
    if random(8) == 0 {
      statements += "CREATE TRIGGER g3 AFTER DELETE ON t BEGIN UPDATE t SET \(name) = 1 WHERE 0; END;\n"
    }
  }
}

extension String {
  /// The text without the quotes of names, for use inside a string literal.
  fileprivate var replacingQuotes: String {
    guard let start = range(of: "'q', '") else { return self }
    let literal = self[start.upperBound...].dropLast(2).filter { !"\"'`[]".contains($0) }
    return self[..<start.upperBound] + literal + "')"
  }

  private func range(of text: String) -> Range<Index>? {
    var index = startIndex
    while index < endIndex {
      if self[index...].hasPrefix(text) { return index..<self.index(index, offsetBy: text.count) }
      index = self.index(after: index)
    }
    return nil
  }
}
