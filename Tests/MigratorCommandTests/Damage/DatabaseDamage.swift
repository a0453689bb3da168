import Migrator
import TestEngines

/// Random damage to a database, from a seed.
struct DatabaseDamage {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Returns a random number below a bound.
  mutating func pick(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &random) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[pick(elements.count)] }

  // MARK: Bytes

  /// Damages bytes of the files.
  mutating func damage(_ files: inout DatabaseFiles, pageSize: Int) {
    switch pick(10) {
    case 0...2 where !files.log.isEmpty: damage(&files.log, pageSize: pageSize, isDatabase: false)
    case 0...2 where !files.journal.isEmpty: damage(&files.journal, pageSize: pageSize, isDatabase: false)
    default: damage(&files.main, pageSize: pageSize, isDatabase: true)
    }
  }

  private mutating func damage(_ bytes: inout [UInt8], pageSize: Int, isDatabase: Bool) {
    guard !bytes.isEmpty else { return }
    let page = pick(bytes.count / pageSize) * pageSize
    let start = page == 0 && isDatabase ? 100 : page
    switch pick(12) {
    // The header of the file, with its sizes, counters and formats (https://www.sqlite.org/fileformat2.html, 1.3).
    case 0: set(&bytes, at: pick(100))
    // The header of a page with its type and number of cells, and the addresses of the first cells.
    case 1, 2: set(&bytes, at: start + pick(24))
    case 3: bytes[pick(bytes.count)] ^= 1 << UInt8(pick(8))
    case 4: for _ in 0...pick(20) { set(&bytes, at: page + pick(pageSize)) }
    case 5: bytes = Array(bytes.prefix(pick(2) == 0 ? page : pick(bytes.count)))
    case 6:
      let other = pick(bytes.count / pageSize) * pageSize
      for index in 0..<min(pageSize, bytes.count - max(page, other)) { bytes[page + index] = bytes[other + index] }
    case 7: for index in page..<min(bytes.count, page + pageSize) { bytes[index] = 0 }
    case 8: bytes += (0...pick(3 * pageSize)).map { _ in UInt8(pick(256)) }
    default: write(Array(pick(Self.texts).utf8), near: pick(Self.marks), &bytes)
    }
  }

  private mutating func set(_ bytes: inout [UInt8], at index: Int) {
    guard index < bytes.count else { return }
    bytes[index] = pick(2) == 0 ? pick([0, 1, 2, 5, 10, 13, 0x7F, 0x80, 0xFF]) : UInt8(pick(256))
  }

  /// Texts that occur in an unencrypted file: in definitions, in the ledger, in rows.
  private static let marks = ["CREATE", "TABLE", "VIEW", "author", "2026-", "_objects", "AS SELECT", "name ", "words"]

  private mutating func write(_ text: [UInt8], near mark: String, _ bytes: inout [UInt8]) {
    let mark = Array(mark.utf8)
    let places = bytes.indices.filter { bytes[$0] == mark[0] && bytes[$0...].starts(with: mark) }
    let place = (places.isEmpty ? pick(bytes.count) : pick(places)) + pick(30)
    for (index, byte) in text.prefix(40).enumerated() where place + index < bytes.count { bytes[place + index] = byte }
  }

  // MARK: Statements

  /// Texts that harm a terminal, a parser or a program in C.
  private static let texts = [
    "\u{1B}[31m", "\u{9B}2J", "\u{202E}", "\u{2066}", "\u{0}", "\r", "\u{7F}", "\u{85}", "\u{8}", "\n", "\u{FEFF}",
    "\u{2028}", "'", "\"", "`", "[", "]", "/*", "--", ";", "(", ")", ",", ".", "%s%n", "\u{1}", "\u{FFFF}", "🙂\u{301}",
    " CREATE ", " VIEW ", " TRIGGER ", " VIRTUAL ", " AS SELECT * FROM shelf ", " BEGIN ", " END ", " CHECK ", " NULL ",
    " REFERENCES author ", " AS (1) ", " WITHOUT ROWID ", " STRICT ", "9e999", "-9223372036854775808", "\"\"",
    " DEFAULT (randomblob(9)) ", " TEMP ", " PRIMARY KEY ", " AUTOINCREMENT ", "sqlite_", "main.",
  ]

  /// Values of every type, as SQL.
  private static let values = [
    "NULL", "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "9e999", "-9e999", "1e-320", "0.5", "''",
    "zeroblob(1000)", "x'ff'", "CAST(x'ff00fe' AS TEXT)", "CAST(x'eda080' AS TEXT)", "'a' || char(0) || 'b'",
    "char(27) || '[31mred'", "char(155) || '2J'", "char(8238) || 'abc'", "char(8294)", "char(13)", "char(127, 8, 7)",
    "replace(hex(zeroblob(30000)), '00', 'é')", "'2026-99-99T99:99:99Z'", "'1_start'", "'4_pending'", "' '",
    "'1_start' || char(10) || 'x'", "'../../x'", "'v' || char(65279)", "char(57344, 1114111)", "'null'", "'[]'", "'{'",
    "'table'", "'view'", "'index'", "'trigger'", "'author'", "'migrator_history'", "'sqlite_x'", "'shelf'", "2", "3",
    "5",
  ]

  /// Objects that `CREATE` would reject, or that name each other.
  private static let rows: [(type: String, name: String, table: String, rootPage: Int, sql: String?)] = [
    ("view", "a", "a", 0, "CREATE VIEW a AS SELECT * FROM a"),
    ("view", "b", "b", 0, "CREATE VIEW b AS SELECT * FROM c JOIN shelf; CREATE VIEW c AS SELECT 1"),
    ("view", "c", "c", 0, "CREATE VIEW c AS \(endless)"),
    ("view", "migrator_history", "migrator_history", 0, "CREATE VIEW migrator_history AS SELECT * FROM c"),
    ("table", "v", "v", 0, "CREATE VIRTUAL TABLE v USING fts4(content=v)"),
    ("table", "w", "w", 0, "CREATE VIRTUAL TABLE w USING nothing(a, b)"),
    ("table", "words_content", "words_content", 2, "CREATE TABLE words_content (a)"),
    ("table", "", "", 3, "CREATE TABLE \"\" (\"\" PRIMARY KEY)"),
    ("table", "author", "author", 4, "CREATE TABLE author (x, y AS (z))"),
    ("table", "big", "big", 5, "CREATE TABLE big AS SELECT 1"),
    ("index", "i", "book", 2, "CREATE INDEX i ON book (nothing, author)"),
    ("index", "sqlite_autoindex_book_1", "book", 3, nil),
    ("trigger", "r", "author", 0, "CREATE TRIGGER r INSERT ON author BEGIN SELECT 1; END"),
    ("trigger", "r", "nothing", 0, "CREATE TRIGGER r INSERT ON nothing BEGIN INSERT INTO r VALUES (new.x); END"),
    (
      "trigger", "m", "migrator_history", 0,
      "CREATE TRIGGER m AFTER INSERT ON migrator_history BEGIN DELETE FROM migrator_history; END"
    ),
    ("trigger", "d", "book", 0, "CREATE TRIGGER d UPDATE ON book BEGIN UPDATE book SET title = new.title || 'x'; END"),
  ]

  private static let statements = [
    "PRAGMA user_version = -1", "PRAGMA application_id = 7", "DELETE FROM author", "DROP TABLE migrator_history",
    "ALTER TABLE migrator_history ADD COLUMN more DEFAULT 5", "ALTER TABLE migrator_history RENAME TO migrator_past",
    "CREATE UNIQUE INDEX once ON migrator_history (duration)",
    "CREATE TABLE migrator_development (note, rowsToPutBack)",
    "CREATE TABLE goose_db_version (id, version_id, is_applied, tstamp)",
  ]

  private static let endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * FROM n"

  /// Runs statements that damage the contents; those that fail change nothing.
  ///
  /// - Parameter definitions: Whether to damage definitions, too.
  mutating func damage(_ db: Database, definitions: Bool) throws {
    for pragma in ["synchronous = OFF", "foreign_keys = OFF", "ignore_check_constraints = 1", "writable_schema = 1"] {
      try db.execute(sql: "PRAGMA \(pragma)")
    }
    for _ in 0...pick(3) {
      let (sql, arguments) = try definitions ? statement(db) : editedRow(db)
      try? db.execute(sql: sql, arguments: arguments)
    }
  }

  private mutating func statement(_ db: Database) throws -> (String, StatementArguments) {
    switch pick(12) {
    case 0...2: return try editedSQL(db)
    case 3:
      let column = pick(["type", "name", "tbl_name", "rootpage", "sql"])
      return ("UPDATE sqlite_master SET \(column) = \(pick(Self.values)) WHERE rowid = \(1 + pick(12))", [])
    case 4:
      let row = pick(Self.rows)
      return (
        "INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", [row.type, row.name, row.table, row.rootPage, row.sql]
      )
    case 5: return ("DELETE FROM sqlite_master WHERE rowid = \(1 + pick(12))", [])
    case 6: return (pick(Self.statements), [])
    default: return try editedRow(db)
    }
  }

  private mutating func editedSQL(_ db: Database) throws -> (String, StatementArguments) {
    let number = 1 + pick(12)
    let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE rowid = \(number)")
    return ("UPDATE sqlite_master SET sql = ? WHERE rowid = \(number)", [damaged(sql ?? "CREATE TABLE x (y)")])
  }

  /// Removes, copies, repeats or inserts parts of SQL text.
  mutating func damaged(_ sql: String) -> String {
    var scalars = Array(sql.unicodeScalars)
    for _ in 0...pick(4) {
      let place = pick(scalars.count)
      let end = min(scalars.count, place + pick(12))
      switch pick(5) {
      case 0: scalars.removeSubrange(place..<end)
      case 1: scalars.insert(contentsOf: scalars[place..<end], at: pick(scalars.count))
      case 2: for _ in 0..<pick(400) { scalars.insert(contentsOf: scalars[place..<end], at: place) }
      default: scalars.insert(contentsOf: Array(pick(Self.texts).unicodeScalars), at: min(place, scalars.count))
      }
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars.prefix(100_000))
    return String(text)
  }

  /// Changes a value or adds a row, mostly in the ledger.
  private mutating func editedRow(_ db: Database) throws -> (String, StatementArguments) {
    let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name > ''")
    let isLedger = pick(3) > 0 && tables.contains("migrator_history")
    let table = isLedger ? "migrator_history" : tables.isEmpty ? "author" : pick(tables)
    let name = "\"\(table.replacing("\"", with: "\"\""))\""
    let columns = try Row.fetchAll(db, sql: "PRAGMA table_info(\(name))").map { try $0["name"] as String }
    guard !columns.isEmpty else { return ("SELECT 1", []) }
    if pick(3) == 0 {
      return ("INSERT INTO \(name) VALUES (\(columns.map { _ in pick(Self.values) }.joined(separator: ", ")))", [])
    }
    let column = pick(columns).replacing("\"", with: "\"\"")
    return ("UPDATE \(name) SET \"\(column)\" = \(pick(Self.values)) WHERE rowid > \(pick(3))", [])
  }
}
