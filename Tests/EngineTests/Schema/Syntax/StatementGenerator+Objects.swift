extension StatementGenerator {
  mutating func index() {
    columns = ["a", "b", "c"]
    add(chance(30) ? "CREATE UNIQUE INDEX" : "CREATE INDEX")
    if chance(20) { add("IF NOT EXISTS") }
    newName("index", isTemporary: false)
    add("ON t1")
    list(1 + pick(3)) { generator in
      generator.indexedColumn(generator.chance(30) ? nil : generator.columns[generator.pick(3)])
    }
    guard chance(30) else { return }
    add("WHERE")
    expression(2)
  }

  mutating func view() {
    columns = ["a", "b", "d"]
    let isTemporary = chance(20)
    add(isTemporary ? ["CREATE TEMP VIEW", "CREATE TEMPORARY VIEW"][pick(2)] : "CREATE VIEW")
    if chance(20) { add("IF NOT EXISTS") }
    newName("view", isTemporary: isTemporary)
    if chance(20) { add("( x , \"y,z\" )") }
    add("AS")
    query(2)
  }

  mutating func query(_ depth: Int, isInTrigger: Bool = false) {
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
      add("WINDOW win AS ( PARTITION BY a ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW )", since: 25)
    }
    if chance(5) { return add("EXCEPT VALUES ( 1 )") }
    if chance(15) { add(["UNION SELECT 1", "INTERSECT SELECT a FROM t1"][pick(2)]) }
    if chance(20) { add("ORDER BY 1 DESC NULLS LAST", since: 30) }
    if chance(15) { add(["LIMIT 1", "LIMIT 1 OFFSET 2", "LIMIT 1 , 2"][pick(3)]) }
  }

  mutating func results(_ depth: Int) {
    for number in 0..<(1 + pick(3)) {
      if number > 0 { add(",") }
      switch pick(7) {
      case 0: add("*")
      case 1: add("t1 . *")
      case 2: add("sum ( a ) FILTER ( WHERE b > 1 ) OVER ( PARTITION BY a ORDER BY b DESC ) AS s", since: 30)
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

  mutating func sources(_ depth: Int) {
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

  mutating func trigger() {
    columns = ["a", "b", "c"]
    let isTemporary = chance(20)
    add(isTemporary ? ["CREATE TEMP TRIGGER", "CREATE TEMPORARY TRIGGER"][pick(2)] : "CREATE TRIGGER")
    if chance(20) { add("IF NOT EXISTS") }
    newName("trigger", isTemporary: isTemporary)
    let isInstead = chance(25)
    add(isInstead ? "INSTEAD OF" : ["BEFORE", "AFTER", ""][pick(3)])
    let (first, second) = isInstead ? ("a", "d") : ("a", "b")
    add(["INSERT", "DELETE", "UPDATE", "UPDATE OF \(first) , \"\(second)\"", "UPDATE OF [\(second)]"][pick(5)])
    add(isInstead ? ["ON v1", "ON \"v1\""][pick(2)] : ["ON t1", "ON [t1]", "ON 't1'"][pick(3)])
    if chance(30) { add("FOR EACH ROW") }
    if chance(30) {
      add("WHEN")
      expression(1)
    }
    add("BEGIN")
    for _ in 0..<(1 + pick(3)) {
      if chance(30) { query(1, isInTrigger: true) } else { triggerStatement() }
      add(";")
    }
    add("END")
  }

  private mutating func triggerStatement() {
    let statements = [
      ("INSERT OR IGNORE INTO t2 ( b , d ) VALUES ( 1 , 2 ) , ( 3 , 4 )", 0),
      ("INSERT INTO t2 SELECT 1 , 2 WHERE TRUE ON CONFLICT ( b ) DO UPDATE SET d = excluded . d WHERE d > 1", 24),
      ("UPDATE OR REPLACE t2 SET b = 1 , ( b , d ) = ( SELECT 1 , 2 ) WHERE d = 1", 15),
      ("DELETE FROM t2 WHERE b IN t1", 0),
      ("UPDATE t2 SET b = t1 . a FROM t1 WHERE t1 . b = t2 . b", 33),
      ("SELECT RAISE ( ABORT , 'no' )", 0),
      ("SELECT CASE WHEN EXISTS ( SELECT 1 FROM t2 ) THEN RAISE ( IGNORE ) END", 0),
      ("REPLACE INTO t2 VALUES ( 1 , 2 )", 0),
    ]
    let (statement, version) = statements[pick(statements.count)]
    add(statement, since: version)
  }

  mutating func virtualTable() {
    add("CREATE VIRTUAL TABLE")
    if chance(20) { add("IF NOT EXISTS") }
    newName("virtual", isTemporary: false)
    let modules = [
      "fts3 ( a )", "fts4", "fts4 ( )", "fts4 ( a , b )", "\"fts4\" ( \"a.b\" , [c] , 'd' , `e` )",
      "fts4 ( a TEXT NOT NULL , b VARCHAR ( 10 ) , prefix = \"2,4\" , order = desc )",
      "fts4 ( content = \"\" , a , b )", "fts4 ( content = t1 , a , notindexed = a , languageid = lid )",
      "fts4 ( a , tokenize = unicode61 \"tokenchars=.-\" \"remove_diacritics=0\" )", "fts4 ( tokenize = porter )",
      "fts5 ( a , b UNINDEXED , tokenize = 'porter' , prefix = \"2\" )", "fts5 ( a , content = '' , columnsize = 0 )",
      "fts5 ( a , b , content = t1 , content_rowid = 'rowid' , detail = none )",
      "fts5 ( \"x,y\" , [z] , tokenize = \"unicode61\" , tokenize = 'trigram' )",
      "rtree ( id , x0 , x1 )", "rtree ( id , \"min(x\" , [max)x] , y0 , y1 , + extra TEXT )",
      "rtree_i32 ( id , a , b )", "fts4aux ( t1 )", "fts4aux ( main , t1 )", "[missing]",
      "'missing' ( ( nested , ( deeper ) ) , 'x,)' , \"(\" , 1 + - 2.5 , * )", "missing ( , , a , )",
      "missing ( SELECT , FROM = WHERE )",
    ]
    add("USING")
    add(modules[pick(modules.count)])
  }

  mutating func alter() {
    let steps = [
      ("RENAME TO \"x,y\"", 0), ("RENAME COLUMN a TO z", 25), ("RENAME a TO 'z'", 25),
      ("ADD COLUMN z INTEGER DEFAULT 1 CHECK ( z > 0 )", 0), ("ADD z", 0), ("DROP COLUMN a", 35), ("DROP c", 35),
      ("ADD CONSTRAINT n CHECK ( a > 0 )", 53), ("ALTER COLUMN a SET NOT NULL", 53), ("ALTER a DROP NOT NULL", 53),
    ]
    add("ALTER TABLE")
    add(["t1", "main . t1", "\"t1\""][pick(3)])
    let (step, version) = steps[pick(steps.count)]
    add(step, since: version)
  }
}
