internal import SQLSyntax

extension StatementFault {
  /// Functions of other databases, and what SQLite has in their place.
  static let foreignFunctions: [String: String] = [
    "now": "SQLite has no function now(): write CURRENT_TIMESTAMP, or datetime('now').",
    "getdate": "SQLite has no function getdate(): write CURRENT_TIMESTAMP.",
    "gen_random_uuid": "SQLite has no UUIDs: write lower(hex(randomblob(16))).",
    "uuid_generate_v4": "SQLite has no UUIDs: write lower(hex(randomblob(16))).",
    "newid": "SQLite has no UUIDs: write lower(hex(randomblob(16))).",
    "to_char": "SQLite has no function to_char(): write strftime(format, time).",
    "date_trunc": "SQLite has no function date_trunc(): write strftime(format, time), or date(time, 'start of month').",
    "len": "SQLite has no function len(): write length().",
    "isnull": "SQLite has no function isnull(): write ifnull() or coalesce().",
    "nextval": "SQLite has no sequences: an INTEGER PRIMARY KEY numbers the rows.",
    "curdate": "SQLite has no function curdate(): write CURRENT_DATE.",
    "sysdate": "SQLite has no function sysdate(): write CURRENT_TIMESTAMP.",
    "date_format": "SQLite has no function date_format(): write strftime(format, time).",
    "nvl": "SQLite has no function nvl(): write ifnull().",
    "rand": "SQLite has no function rand(): write random().",
    "greatest": "SQLite has no function greatest(): write max() with several arguments.",
    "least": "SQLite has no function least(): write min() with several arguments.",
    "unix_timestamp": "SQLite has no function unix_timestamp(): write CAST(strftime('%s', time) AS INTEGER).",
    "json_build_object": "SQLite has no function json_build_object(): write json_object().",
    "uuid": "SQLite has no UUIDs: write lower(hex(randomblob(16))).",
    "to_date": "SQLite has no function to_date(): write date().",
    "dateadd": "SQLite has no function dateadd(): write datetime(time, '+1 day').",
    "date_add": "SQLite has no function date_add(): write datetime(time, '+1 day').",
    "datediff": "SQLite has no function datediff(): write julianday(later) - julianday(earlier).",
    "left": "SQLite has no function left(): write substr(text, 1, count).",
  ]

  /// Syntax of other databases, and what SQLite has in its place.
  ///
  /// Each is a row of tokens, of which `^` stands for the beginning of the statement and `*` for any token. It is the cause
  /// only if SQLite's message names one of these tokens, or one of the two after them.
  static let foreignSyntax: [(patterns: [String], advice: String)] = [
    (["auto_increment"], "SQLite has no AUTO_INCREMENT: an INTEGER PRIMARY KEY numbers the rows."),
    (["identity (", "as identity"], "SQLite has no IDENTITY: an INTEGER PRIMARY KEY numbers the rows."),
    (["engine ="], "SQLite has no storage engines: delete ENGINE and what follows it."),
    ([") comment"], "SQLite has no comments on tables: write a comment with `--`."),
    (["tablespace"], "SQLite has no tablespaces: delete TABLESPACE and its name."),
    (
      ["clustered"],
      "SQLite stores a table in the order of its INTEGER PRIMARY KEY, or by its key with WITHOUT ROWID: delete CLUSTERED."
    ),
    (["nonclustered"], "SQLite's indexes are apart from the table: delete NONCLUSTERED."),
    (
      [", index * ("],
      "SQLite has no INDEX here: write CREATE INDEX name ON table (column) after this statement; a column of that name needs double quotes."
    ),
    ([", unique index *", "unique key"], "Write CREATE UNIQUE INDEX name ON table (column) after this statement."),
    ([", key * ("], "Write CREATE INDEX name ON table (column) after this statement."),
    ([", fulltext"], "Create a virtual table with the module fts5 after this statement."),
    (
      ["like * including"],
      "SQLite has no LIKE here: write the columns, as the definition of the table in sqlite_schema gives them."
    ),
    (["add column if"], "SQLite has no IF NOT EXISTS for columns: delete these words, since a migration runs once."),
    (["drop column if"], "SQLite has no IF EXISTS for columns: delete these words, since a migration runs once."),
    (["alter table if"], "SQLite has no IF EXISTS for ALTER TABLE: delete these words, since a migration runs once."),
    (
      [
        "alter column * set", "alter column", "modify column", "^ alter table * modify", "^ alter table * change",
        "^ alter table * alter",
      ], "SQLite cannot change a column: " + rebuild + "."
    ),
    (
      ["add constraint", "add check"],
      "SQLite cannot add a constraint: create a unique index for UNIQUE; otherwise " + rebuild + "."
    ),
    (
      ["drop constraint", "^ alter table * drop foreign key", "^ alter table * drop primary key"],
      "SQLite cannot drop a constraint: " + rebuild + "."
    ),
    (["add foreign key"], "SQLite cannot add a foreign key to a table: " + rebuild + "."),
    (["add primary key"], "SQLite cannot add a primary key to a table: " + rebuild + "."),
    (["add index"], "Write CREATE INDEX name ON table (column)."),
    (["add unique"], "Write CREATE UNIQUE INDEX name ON table (column)."),
    (["rename index"], "SQLite cannot rename an index: drop it, and create it with the new name."),
    (
      ["owner to", "enable row level security", "^ create user", "^ create role", "^ grant", "^ revoke"],
      "SQLite has no users: delete the statement."
    ),
    (
      ["^ alter table * add (", "^ alter table * add column ("],
      "Write one ALTER TABLE for each column, without parentheses."
    ),
    (["^ alter table * add * * ,", "^ alter table * add column * * ,"], "Write one ALTER TABLE for each column."),
    (["^ alter index"], "SQLite cannot change an index: drop it, and create it again."),
    (["^ alter view"], "SQLite cannot change a view: drop it, and create it again."),
    (["^ alter trigger"], "SQLite cannot change a trigger: drop it, and create it again."),
    (["^ alter sequence", "^ create sequence"], "SQLite has no sequences: an INTEGER PRIMARY KEY numbers the rows."),
    (["^ alter database", "^ create database", "^ use"], "A file is the database: delete the statement."),
    (["^ alter table * drop index"], "Write DROP INDEX name."),
    (["^ rename table"], "Write ALTER TABLE name RENAME TO new."),
    (
      ["^ start transaction"],
      "SQLite has no START TRANSACTION: delete it and its COMMIT, since the migration runs in a transaction; in a file "
        + "without one, write BEGIN."
    ),
    (["^ truncate"], "SQLite has no TRUNCATE: write DELETE FROM, without a condition."),
    (["^ create or replace"], "SQLite has no OR REPLACE: drop the object first, with DROP ... IF EXISTS."),
    (["^ create materialized"], "SQLite has no materialized views: create a table, and fill it."),
    (["^ create function"], "SQLite has no functions in SQL: register the function in the program."),
    (
      ["^ create procedure", "^ do $", "^ call", "^ exec", "^ execute", "^ declare"],
      "SQLite has no procedures: write the statements themselves."
    ),
    (["^ create extension"], "SQLite has no extensions in SQL: delete the statement."),
    (["^ create type", "^ create domain"], "SQLite has no types to create: use TEXT with a CHECK constraint."),
    (["^ create schema"], "SQLite has no schemas in a file: delete the statement."),
    (["^ comment on"], "SQLite has no COMMENT ON: write a comment with `--`."),
    (["^ go"], "GO is a command of a shell: delete the line, and end each statement with a semicolon."),
    (["^ set"], "SQLite has no SET: delete the statement, or write a PRAGMA if SQLite has one for it."),
    (["^ delimiter"], "SQLite needs no DELIMITER: delete the line, and end each statement with a semicolon."),
    (["^ print"], "SQLite prints nothing: delete the statement."),
    (["^ copy"], "SQLite has no COPY: write INSERT statements."),
    (["^ lock", "^ unlock"], "The migration's transaction locks the database: delete the statement."),
    (["^ show"], "SQLite lists its objects in sqlite_schema: delete the statement."),
    (["^ insert ignore"], "Write INSERT OR IGNORE INTO."),
    (["^ insert into * set"], "Write INSERT INTO table (column) VALUES (value)."),
    (
      ["on duplicate key"],
      "Write ON CONFLICT (column) DO UPDATE SET, as upserts are written in SQLite; after a SELECT without WHERE, "
        + "write WHERE true first."
    ),
    (
      [
        "^ update * join", "^ update * inner join", "^ update * left join", "^ update * * inner join",
        "^ update * * left join", "^ update * * join", "^ update * as * join",
      ], "Write UPDATE table SET column = (SELECT ...), or since SQLite 3.33 UPDATE table SET ... FROM other WHERE ..."
    ),
    (
      ["^ delete * from"],
      "SQLite deletes from one table: write DELETE FROM table WHERE, with a subquery for the others."
    ),
    (["for update"], "A transaction of SQLite locks the whole file: delete FOR UPDATE."),
    (["ilike"], "SQLite has no ILIKE: LIKE ignores the case of ASCII letters."),
    (["e '"], "SQLite has no escapes in strings: write the character itself, or char(10) for a line break."),
    (["interval '"], "SQLite has no INTERVAL: write datetime(time, '+1 day')."),
    (["default charset"], "SQLite stores UTF-8: delete DEFAULT CHARSET and what follows it."),
    (["character set"], "SQLite stores UTF-8: delete CHARACTER SET and what follows it."),
    (["on update current_timestamp"], "SQLite has no ON UPDATE for columns: create a trigger that sets the time."),
    (["default current_timestamp ("], "Write CURRENT_TIMESTAMP without parentheses."),
    (["default now (", "default getdate ("], "Write DEFAULT CURRENT_TIMESTAMP."),
    (
      ["default uuid (", "default gen_random_uuid (", "default uuid_generate_v4 (", "default newid ("],
      "Write DEFAULT (lower(hex(randomblob(16))))."
    ),
    (["values ( default"], "Leave the column out of the list: it then has its default."),
    (["default * ("], "A default that is computed stands in parentheses: DEFAULT (expression)."),
    (["enum ("], "SQLite has no ENUM: write TEXT CHECK (column IN ('a', 'b'))."),
    (["on * using"], "SQLite's indexes are trees: delete USING and the method."),
    (["index concurrently"], "Delete CONCURRENTLY: SQLite locks the database while it creates an index."),
    (["with data"], "Delete WITH DATA: SQLite always fills the table."),
    (["with no data"], "SQLite always fills the table: write WHERE false in place of WITH NO DATA."),
    (["for each statement"], "SQLite's triggers run for each row: write FOR EACH ROW."),
    (["execute function", "execute procedure"], "Write the statements of the trigger between BEGIN and END."),
    (
      ["^ drop table * cascade", "^ drop table if exists * cascade"],
      "Delete CASCADE: SQLite drops the indexes and triggers of the table with it; drop a view that reads it in a statement before."
    ),
    (
      ["drop column * cascade"],
      "Delete CASCADE, and drop the indexes, views and triggers that use the column in statements before."
    ),
    (["^ drop * * ,", "^ drop * if exists * ,"], "Write one DROP for each object."),
    (["^ drop * * on", "^ drop * if exists * on"], "Delete ON and the table: SQLite finds the object by its name."),
    (["^ reindex table", "^ reindex index"], "Write REINDEX, and the name."),
    (["^ delete from * using"], "Write DELETE FROM table WHERE, with a subquery for the others."),
    (["fetch first"], "Write LIMIT in place of FETCH FIRST."),
    (["fetch next"], "Write LIMIT in place of FETCH NEXT."),
    (["n '"], "Delete the N before the string: all text is Unicode."),
    (["row_format ="], "SQLite has no row formats: delete ROW_FORMAT and what follows it."),
    (["^ select top"], "Write LIMIT at the end of the query in place of TOP."),
  ]
}

/// The place of a syntax error in a statement.
struct SyntaxErrorPlace {
  /// The tokens in lower case; a quotation mark stands for each string.
  private let tokens: [String]
  /// The indexes of the tokens that the message of the engine can mean; all if it names none.
  private let places: Set<Int>

  init(_ sql: String, message: String) {
    let all = SQLSource(sql).tokens
    let near = message.between("near \"", "\": syntax error")
    let named = all.indices.filter { all[$0].text == near }
    (tokens, places) = (
      all.map { $0.kind == .string ? "'" : $0.folded }, Set(named.isEmpty ? Array(all.indices) : named)
    )
  }

  /// Returns whether the tokens match a row of ``StatementFault/foreignSyntax`` at the place of the error, or up to two tokens before it.
  func matches(_ pattern: String) -> Bool {
    var words = pattern.split(separator: " ")
    let isAnchored = words.first == "^"
    if isAnchored { words.removeFirst() }
    guard tokens.count >= words.count else { return false }
    return (0...(isAnchored ? 0 : tokens.count - words.count)).contains { start in
      zip(words, tokens[start...]).allSatisfy(Self.agree)
        && places.contains { (start...(start + words.count + 1)).contains($0) }
    }
  }

  /// Whether a word of a pattern stands for a token; `*` does not stand for parentheses or the operator.
  private static func agree(_ word: Substring, _ token: String) -> Bool {
    word == "*" ? !["(", ")", "*"].contains(token) : word == token
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
    return places.sorted().first { $0 > 0 && nouns.contains(tokens[$0]) && isName($0) }.map { tokens[$0] }
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
      return tokens.starts(with: ["create", "table"]) && isBeforeWord && !isConstraint && next != "by" && next != "key"
    case "column": return isBeforeWord || next == ";"
    case ".": return true
    case "set", "where", "and", "or": return ["=", "<>", "<", ">", "is", "in", "like"].contains(next)
    default: return false
    }
  }
}
