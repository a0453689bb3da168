import TestEngines

/// Generates definitions of every form in SQLite's grammar, from a seed.
struct StatementGenerator {
  private var random: SeededGenerator
  private var tokens: [String] = []

  /// The columns of the table that is being defined or used.
  private var columns: [String] = []

  /// The elements of a table's definition, in order: the names of columns and the kinds of constraints.
  private(set) var outline: [String] = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// The tables that must exist for the engine to accept the statements.
  static let tables = "CREATE TABLE t1(a, b, c); CREATE TABLE t2(b, d); CREATE VIEW v1 AS SELECT a, d FROM t1, t2"

  /// Returns the tokens of one statement.
  mutating func statement() -> [String] {
    tokens = []
    outline = []
    switch pick(8) {
    case 0: index()
    case 1: view()
    case 2: trigger()
    case 3: add("CREATE VIRTUAL TABLE vt USING fts5 ( a , b UNINDEXED , tokenize = 'porter' , prefix = \"2\" )")
    case 4: alter()
    default: table()
    }
    return tokens
  }

  /// Returns tokens as text, separated by spaces, line breaks and comments.
  mutating func text(_ tokens: [String]) -> String {
    var text = ""
    for (index, token) in tokens.enumerated() {
      if index > 0 { text += trivia(after: tokens[index - 1], before: token) }
      text += token
    }
    return text
  }

  /// Returns a random number below a bound.
  mutating func pick(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private mutating func trivia(after previous: String, before next: String) -> String {
    switch pick(14) {
    case 0: return "\n  "
    case 1: return " /* , ) ' \" */ "
    case 2: return " -- it's (\n"
    case 3 where [",", "(", ")"].contains(previous) || [",", "(", ")"].contains(next): return ""
    default: return " "
    }
  }

  private mutating func chance(_ percent: Int) -> Bool { pick(100) < percent }

  /// Adds tokens that are separated by spaces, with keywords in any case.
  private mutating func add(_ words: String) {
    for word in words.split(separator: " ") {
      let isKeyword = word.allSatisfy { $0.isUppercase }
      tokens.append(isKeyword && chance(20) ? word.lowercased() : String(word))
    }
  }

  private static let names = [
    "a", "b", "key", "action", "desc", "two words", "qu\"ote", "x]y", "tick`", "ü", "temp", "select", "table", "it's",
    "T", "rowid2", "match", "replace", "end", "generated", "always", "current", "window", "of", "left", "$", "check",
  ]

  private static let bareNames: Set<String> = [
    "a", "b", "key", "action", "desc", "ü", "temp", "T", "rowid2", "match", "replace", "end", "current", "of",
    "left",
  ]

  private mutating func spelled(_ name: String, allowsText: Bool = true) -> String {
    switch pick(5) {
    case 0 where !name.contains("]"): return "[\(name)]"
    case 1: return "`" + name.replacing("`", with: "``") + "`"
    case 2 where allowsText: return "'" + name.replacing("'", with: "''") + "'"
    case 3, 4: if Self.bareNames.contains(name) { return name }
    default: break
    }
    return "\"" + name.replacing("\"", with: "\"\"") + "\""
  }

  private mutating func column() -> String {
    let name = columns[pick(columns.count)]
    return "\"" + name.replacing("\"", with: "\"\"") + "\""
  }

  private mutating func list(_ count: Int, _ element: (inout StatementGenerator) -> Void) {
    add("(")
    for index in 0..<count {
      if index > 0 { add(",") }
      element(&self)
    }
    add(")")
  }
}

// Tables.
extension StatementGenerator {
  private mutating func table() {
    add("CREATE")
    if chance(20) { add(["TEMP", "TEMPORARY"][pick(2)]) }
    add("TABLE")
    if chance(20) { add("IF NOT EXISTS") }
    tokens.append(spelled("new \(pick(1000))"))
    var pool = Self.names
    columns = (0..<(1 + pick(4))).map { _ in pool.remove(at: pick(pool.count)) }
    let isStrict = chance(15)
    let hasTableKey = chance(30)
    add("(")
    for (index, name) in columns.enumerated() {
      if index > 0 { add(",") }
      tokens.append(spelled(name))
      outline.append(name)
      type(isStrict: isStrict)
      let isKey = index == 0 && !hasTableKey && chance(50)
      let count = pick(4)
      for number in 0..<count {
        columnConstraint(isKey: isKey && number == 0, mayBeGenerated: index > 0 && number == count - 1)
      }
    }
    if hasTableKey {
      add(",")
      tableConstraint("primary")
    }
    var isFirst = !hasTableKey
    for _ in 0..<pick(3) {
      if isFirst || chance(60) { add(",") }
      isFirst = false
      tableConstraint(["unique", "check", "foreign"][pick(3)])
    }
    add(")")
    if isStrict { add("STRICT") }
    if hasTableKey, chance(30) { add(isStrict ? ", WITHOUT ROWID" : "WITHOUT ROWID") }
  }

  private mutating func type(isStrict: Bool) {
    if isStrict { return add(["INTEGER", "TEXT", "ANY", "BLOB"][pick(4)]) }
    switch pick(6) {
    case 0: break
    case 1: add("VARCHAR ( 10 )")
    case 2: add("DECIMAL ( + 10 , -2 )")
    case 3: add("DOUBLE PRECISION 'x,y' \"z\" [w] key")
    default: add(["INTEGER", "TEXT", "BLOB", "any", "character"][pick(5)])
    }
  }

  private mutating func constraintName() {
    if chance(20) { add("CONSTRAINT \(["c1", "\"c2\"", "'c3'", "[c4]"][pick(4)])") }
  }

  private mutating func conflict() {
    if chance(20) { add("ON CONFLICT \(["ROLLBACK", "ABORT", "FAIL", "IGNORE", "REPLACE"][pick(5)])") }
  }

  private mutating func columnConstraint(isKey: Bool, mayBeGenerated: Bool) {
    constraintName()
    if isKey {
      add("PRIMARY KEY")
      if chance(30) { add(["ASC", "DESC"][pick(2)]) }
      conflict()
      return outline.append("key")
    }
    switch pick(mayBeGenerated ? 8 : 7) {
    case 0:
      add("NOT NULL")
      conflict()
      outline.append("not null")
    case 1:
      add("UNIQUE")
      conflict()
      outline.append("unique")
    case 2:
      add("CHECK (")
      expression(2)
      add(")")
      outline.append("check")
    case 3:
      add("DEFAULT")
      defaultValue()
      outline.append("default")
    case 4:
      add("COLLATE \(["nocase", "\"binary\"", "'rtrim'"][pick(3)])")
      outline.append("collate")
    case 5:
      references()
      outline.append("references")
      if chance(30) {
        add("DEFERRABLE INITIALLY DEFERRED")
        outline.append("deferral")
      }
    case 6:
      add("NULL")
      conflict()
      outline.append("null")
    default:
      if chance(50) { add("GENERATED ALWAYS") }
      add("AS ( 1 + 2 )")
      if chance(60) { add(["STORED", "VIRTUAL"][pick(2)]) }
      outline.append("generated")
    }
  }

  private mutating func defaultValue() {
    let values = [
      "1", "- 1.5", "+ 0x1F", "'it''s'", "NULL", "CURRENT_TIMESTAMP", "word", "\"quoted\"", "x'00ff'", "TRUE",
    ]
    if chance(70) { return add(values[pick(values.count)]) }
    add("( 1 + abs ( - 2 ) || 'x' )")
  }

  private mutating func references() {
    add("REFERENCES \(["t1", "\"t1\"", "[other]", "'t2'"][pick(4)])")
    if chance(50) { add("( b )") }
    if chance(40) { add("ON DELETE \(["CASCADE", "SET NULL", "SET DEFAULT", "RESTRICT", "NO ACTION"][pick(5)])") }
    if chance(20) { add("ON UPDATE CASCADE") }
    if chance(10) { add("MATCH full") }
  }

  private mutating func tableConstraint(_ kind: String) {
    constraintName()
    switch kind {
    case "primary":
      add("PRIMARY KEY")
      list(1) { generator in generator.indexedColumn(mayBeExpression: false) }
      conflict()
    case "unique":
      add("UNIQUE")
      list(1 + pick(2)) { generator in generator.indexedColumn(mayBeExpression: false) }
      conflict()
    case "check":
      add("CHECK (")
      expression(3)
      add(")")
    default:
      add("FOREIGN KEY")
      list(1) { generator in generator.tokens.append(generator.column()) }
      references()
      if chance(30) { add("NOT DEFERRABLE INITIALLY IMMEDIATE") }
    }
    outline.append("table \(kind)")
  }

  private mutating func indexedColumn(mayBeExpression: Bool) {
    if mayBeExpression, chance(30) {
      add("lower (")
      tokens.append(column())
      add(")")
    } else {
      tokens.append(column())
    }
    if chance(20) { add("COLLATE nocase") }
    if chance(30) { add(["ASC", "DESC"][pick(2)]) }
  }

  /// Adds an expression over the row's columns.
  private mutating func expression(_ depth: Int) {
    guard depth > 0 else {
      let literals = ["1", "'text'", "NULL", "2.5e3", "x'ab'", "0xff", "-1", "TRUE"]
      return chance(50) ? tokens.append(column()) : add(literals[pick(literals.count)])
    }
    switch pick(12) {
    case 0: around("(", depth, ")")
    case 1: around("abs (", depth, ")")
    case 2: around("CAST (", depth, "AS VARCHAR ( 10 ) )")
    case 3: around("NOT", depth, "")
    case 4: around("CASE WHEN", depth, "THEN 1 ELSE 2 END")
    case 5: around("", depth, ["ISNULL", "NOTNULL", "NOT NULL", "IS NOT NULL", "COLLATE nocase"][pick(5)])
    case 6:
      around("", depth - 1, ["IN ( 1 , 2 )", "NOT IN ( )", "BETWEEN 1 AND 2", "NOT BETWEEN 1 AND 2 AND 3"][pick(4)])
    case 7: around("", depth - 1, ["LIKE 'x' ESCAPE '!'", "NOT GLOB 'x'"][pick(2)])
    case 8: around("- +", depth - 1, "")
    default:
      let operators = [
        "+", "-", "*", "/", "%", "||", "=", "==", "<>", "!=", "<", ">=", "<<", "&", "|", "AND", "OR", "IS", "IS NOT",
      ]
      expression(depth - 1)
      add(operators[pick(operators.count)])
      expression(depth - 1)
    }
  }

  private mutating func around(_ before: String, _ depth: Int, _ after: String) {
    add(before)
    expression(depth - 1)
    add(after)
  }
}

// Other objects.
extension StatementGenerator {
  private mutating func index() {
    columns = ["a", "b", "c"]
    add(chance(30) ? "CREATE UNIQUE INDEX" : "CREATE INDEX")
    if chance(20) { add("IF NOT EXISTS") }
    tokens.append(spelled("index \(pick(1000))"))
    add("ON t1")
    list(1 + pick(3)) { generator in generator.indexedColumn(mayBeExpression: true) }
    guard chance(30) else { return }
    add("WHERE")
    expression(2)
  }

  private mutating func view() {
    columns = ["a", "b", "d"]
    add(chance(20) ? "CREATE TEMP VIEW" : "CREATE VIEW")
    tokens.append(spelled("view \(pick(1000))"))
    if chance(20) { add("( x , \"y,z\" )") }
    add("AS")
    query(2)
  }

  private mutating func query(_ depth: Int, isInTrigger: Bool = false) {
    if !isInTrigger, chance(15) {
      add(
        "WITH RECURSIVE w ( n ) AS ( SELECT 1 UNION ALL SELECT n + 1 FROM w LIMIT 3 ) , \"x\" AS ( VALUES ( 1 , 2 ) )")
    }
    add(["SELECT", "SELECT DISTINCT", "SELECT ALL"][pick(3)])
    results(depth)
    add("FROM")
    sources(depth)
    if chance(40) {
      add("WHERE")
      expression(2)
    }
    if chance(20) { add("GROUP BY a , 2 HAVING count ( * ) > 1") }
    if chance(10) {
      add("WINDOW win AS ( PARTITION BY a ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW )")
    }
    if chance(5) { return add("EXCEPT VALUES ( 1 )") }
    if chance(15) { add(["UNION SELECT 1", "INTERSECT SELECT a FROM t1"][pick(2)]) }
    if chance(20) { add("ORDER BY 1 DESC NULLS LAST") }
    if chance(15) { add(["LIMIT 1", "LIMIT 1 OFFSET 2", "LIMIT 1 , 2"][pick(3)]) }
  }

  private mutating func results(_ depth: Int) {
    for number in 0..<(1 + pick(3)) {
      if number > 0 { add(",") }
      switch pick(7) {
      case 0: add("*")
      case 1: add("t1 . *")
      case 2: add("sum ( a ) FILTER ( WHERE b > 1 ) OVER ( PARTITION BY a ORDER BY b DESC ) AS s")
      case 3: add("t1 . a [other,name]")
      case 4 where depth > 0:
        add("(")
        query(depth - 1)
        add(")")
      default:
        expression(2)
        if chance(30) { add("AS 'named'") }
      }
    }
  }

  private mutating func sources(_ depth: Int) {
    add(["t1", "t1 AS q", "main . t1 q", "json_each ( '[1]' ) AS j", "t1 NOT INDEXED"][pick(5)])
    for _ in 0..<pick(3) {
      switch pick(6) {
      case 0: add(", t2")
      case 1: add("NATURAL LEFT JOIN t2")
      case 2: add("LEFT OUTER JOIN t2 AS r USING ( b )")
      case 3: add("CROSS JOIN ( t1 AS s JOIN t2 AS u ON s . b = u . b )")
      case 4 where depth > 0:
        add("INNER JOIN (")
        query(depth - 1)
        add(") AS sub ON 1")
      default: add("JOIN v1 ON TRUE")
      }
    }
  }

  private mutating func trigger() {
    columns = ["a", "b", "c"]
    add(chance(20) ? "CREATE TEMP TRIGGER" : "CREATE TRIGGER")
    tokens.append(spelled("trigger \(pick(1000))"))
    add(["BEFORE", "AFTER", ""][pick(3)])
    add(["INSERT", "DELETE", "UPDATE", "UPDATE OF a , \"b\""][pick(4)])
    add("ON t1")
    if chance(30) { add("FOR EACH ROW") }
    if chance(30) {
      add("WHEN")
      expression(1)
    }
    add("BEGIN")
    for _ in 0..<(1 + pick(3)) {
      let statements = [
        "INSERT OR IGNORE INTO t2 ( b , d ) VALUES ( 1 , 2 ) , ( 3 , 4 )",
        "INSERT INTO t2 SELECT 1 , 2 WHERE TRUE ON CONFLICT ( b ) DO UPDATE SET d = excluded . d WHERE d > 1",
        "UPDATE OR REPLACE t2 SET b = 1 , ( b , d ) = ( SELECT 1 , 2 ) WHERE d = 1", "DELETE FROM t2 WHERE b IN t1",
        "UPDATE t2 SET b = t1 . a FROM t1 WHERE t1 . b = t2 . b", "SELECT RAISE ( ABORT , 'no' )",
        "SELECT CASE WHEN EXISTS ( SELECT 1 FROM t2 ) THEN RAISE ( IGNORE ) END", "REPLACE INTO t2 VALUES ( 1 , 2 )",
      ]
      if chance(30) { query(1, isInTrigger: true) } else { add(statements[pick(statements.count)]) }
      add(";")
    }
    add("END")
  }

  private mutating func alter() {
    let steps = [
      "RENAME TO \"x,y\"", "RENAME COLUMN a TO z", "RENAME a TO 'z'", "ADD COLUMN z INTEGER DEFAULT 1 CHECK ( z > 0 )",
      "ADD z", "DROP COLUMN a", "DROP c", "ADD CONSTRAINT n CHECK ( a > 0 )", "ALTER COLUMN a SET NOT NULL",
      "ALTER a DROP NOT NULL",
    ]
    add("ALTER TABLE t1")
    add(steps[pick(steps.count)])
  }
}
