extension StatementGenerator {
  mutating func table() {
    add("CREATE")
    let isTemporary = chance(20)
    if isTemporary { add(["TEMP", "TEMPORARY"][pick(2)]) }
    add("TABLE")
    if chance(20) { add("IF NOT EXISTS") }
    newName("new", isTemporary: isTemporary)
    if chance(8) {
      columns = ["a", "b", "d"]
      add("AS")
      return query(1)
    }
    var pool = Self.names
    columns = (0..<(1 + pick(4))).map { _ in pool.remove(at: pick(pool.count)) }
    let isStrict = chance(15)
    let hasTableKey = chance(30)
    add("(")
    for (index, name) in columns.enumerated() {
      if index > 0 { add(",") }
      tokens.append(spelled(name))
      outline.append(name)
      let isKey = index == 0 && !hasTableKey && chance(50)
      if isKey, chance(40) {
        add("INTEGER")
        autoIncrementedKey()
        continue
      }
      type(isStrict: isStrict)
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
    if isStrict { add("STRICT", since: 37) }
    if hasTableKey, chance(30) { add(isStrict ? ", WITHOUT ROWID" : "WITHOUT ROWID") }
  }

  private mutating func autoIncrementedKey() {
    constraintName()
    add("PRIMARY KEY")
    if chance(30) { add("ASC") }
    conflict()
    if chance(70) { add("AUTOINCREMENT") }
    outline.append("key")
  }

  mutating func type(isStrict: Bool) {
    if isStrict { return add(["INTEGER", "TEXT", "ANY", "BLOB"][pick(4)]) }
    switch pick(6) {
    case 0: break
    case 1: add("VARCHAR ( 10 )")
    case 2: add("DECIMAL ( + 10 , -2 )")
    case 3: add("DOUBLE PRECISION 'x,y' \"z\" [w] key")
    default: add(["INTEGER", "TEXT", "BLOB", "any", "character"][pick(5)])
    }
  }

  mutating func constraintName() {
    if chance(20) { add("CONSTRAINT \(["c1", "\"c2\"", "'c3'", "[c4]"][pick(4)])") }
  }

  mutating func conflict() {
    if chance(20) { add("ON CONFLICT \(["ROLLBACK", "ABORT", "FAIL", "IGNORE", "REPLACE"][pick(5)])") }
  }

  mutating func columnConstraint(isKey: Bool, mayBeGenerated: Bool) {
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
      references(columnCount: 1)
      outline.append("references")
      if chance(40) {
        deferral()
        outline.append("deferral")
      }
    case 6:
      add("NULL")
      conflict()
      outline.append("null")
    default:
      if chance(50) { add("GENERATED ALWAYS") }
      add("AS ( 1 + 2 )", since: 31)
      if chance(60) { add(["STORED", "VIRTUAL"][pick(2)]) }
      outline.append("generated")
    }
  }

  mutating func defaultValue() {
    let values = [
      "1", "- 1.5", "+ 0x1F", "'it''s'", "NULL", "CURRENT_TIMESTAMP", "word", "\"quoted\"", "x'00ff'", "TRUE",
    ]
    if chance(70) { return add(values[pick(values.count)]) }
    add("( 1 + abs ( - 2 ) || 'x' )")
  }

  private mutating func references(columnCount: Int) {
    add("REFERENCES \(["t1", "\"t1\"", "[other]", "'t2'", "`t2`", "\"\""][pick(6)])")
    if chance(50) {
      let parents = ["b", "\"d\"", "[b]"]
      list(columnCount) { $0.add(parents[$0.pick(3)]) }
    }
    let actions = ["CASCADE", "SET NULL", "SET DEFAULT", "RESTRICT", "NO ACTION"]
    for _ in 0..<pick(4) {
      switch pick(5) {
      case 0, 1: add("ON DELETE \(actions[pick(5)])")
      case 2, 3: add("ON UPDATE \(actions[pick(5)])")
      default: add("MATCH \(["full", "SIMPLE", "partial", "[other]"][pick(4)])")
      }
    }
  }

  private mutating func deferral() {
    add(["DEFERRABLE", "NOT DEFERRABLE"][pick(2)])
    if chance(60) { add(["INITIALLY DEFERRED", "INITIALLY IMMEDIATE"][pick(2)]) }
  }

  mutating func tableConstraint(_ kind: String) {
    constraintName()
    switch kind {
    case "primary":
      add("PRIMARY KEY")
      var pool = columns
      list(1 + pick(columns.count)) { generator in
        generator.indexedColumn(pool.remove(at: generator.pick(pool.count)))
      }
      conflict()
    case "unique":
      add("UNIQUE")
      list(1 + pick(2)) { generator in
        generator.indexedColumn(generator.columns[generator.pick(generator.columns.count)])
      }
      conflict()
    case "check":
      add("CHECK (")
      expression(3)
      add(")")
    default:
      add("FOREIGN KEY")
      let count = 1 + pick(3)
      list(count) { generator in generator.tokens.append(generator.column()) }
      references(columnCount: count)
      if chance(40) { deferral() }
    }
    outline.append("table \(kind)")
  }

  /// Adds a column of a key or an index; an expression if the name is nil.
  mutating func indexedColumn(_ name: String?) {
    if let name {
      tokens.append("\"" + name.replacing("\"", with: "\"\"") + "\"")
    } else {
      add("lower (")
      tokens.append(column())
      add(")")
    }
    if chance(20) { add("COLLATE nocase") }
    if chance(30) { add(["ASC", "DESC"][pick(2)]) }
  }

  /// Adds an expression over the row's columns.
  mutating func expression(_ depth: Int) {
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

  mutating func around(_ before: String, _ depth: Int, _ after: String) {
    add(before)
    expression(depth - 1)
    add(after)
  }
}
