"""Tables with one property each that a change to the table may lose, and questions that detect it.

The change applies to column `c`, which nothing else uses, so anything missing afterwards was lost.
"""

import re
import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """A property, a schema and rows that have it, and the questions whose answers show whether it exists."""

    name: str
    sql: str
    questions: tuple
    table: str = "t"
    enforces_foreign_keys: bool = False


def squeezed(sql):
    """Returns a definition without whitespace, quotes and case, which a tool need not preserve."""
    return re.sub(r'[\s"`\[\]]', "", sql or "").lower()


def definitions(condition):
    """Returns a question for the stored definitions of some objects."""

    def ask(connection):
        rows = connection.execute(f"SELECT name, sql FROM sqlite_master WHERE {condition} ORDER BY name")
        return [(name, squeezed(sql)) for name, sql in rows]

    return ask


def constraint_names(connection):
    """Returns the names of the constraints in the definition of table t."""
    (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 't'").fetchone()
    return sorted(re.findall(r'constraint\s+"?(\w+)', sql.lower()))


def comments(connection):
    """Returns the comments in the definition of table t."""
    (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 't'").fetchone()
    return re.findall(r"/\*.*?\*/|--[^\n]*", sql)


def indexes(connection):
    """Returns the indexes of table t, including those of its keys, and what they index."""
    found = []
    for _, name, unique, origin, partial in connection.execute("PRAGMA index_list(t)").fetchall():
        parts = connection.execute(f'PRAGMA index_xinfo("{name}")').fetchall()
        key = tuple((column, descending, collation) for _, _, column, descending, collation, is_key in parts if is_key)
        (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone() or (None,)
        condition = re.split(r"\bwhere\b", sql or "", flags=re.IGNORECASE)[1:]
        own_name = name if origin == "c" else ""
        found.append((own_name, unique, origin, partial, key, [squeezed(text) for text in condition]))
    return sorted(found, key=str)


def inspect(connection, shape):
    """Returns the answers to all questions of a shape; an error counts as an answer."""
    answers = []
    for question in shape.questions:
        try:
            if callable(question):
                answers.append(question(connection))
                continue
            answers.append([connection.execute(part).fetchall() for part in question.split(";")])
        except sqlite3.Error as error:
            answers.append(type(error).__name__)
    return answers


OTHER_COLUMNS = "FROM pragma_table_xinfo('t') WHERE name NOT IN ('c', 'renamed')"

SHAPES = [
    Shape(
        "declared types, such as `VARCHAR(10)`",
        "CREATE TABLE t(a VARCHAR(10), b DECIMAL(10,2), d TIMESTAMP, c INTEGER); INSERT INTO t VALUES (1, 2, 3, 4)",
        (f"SELECT name, replace(type, ' ', '') {OTHER_COLUMNS}", "SELECT typeof(a), typeof(b), typeof(d) FROM t"),
    ),
    Shape(
        "columns without a type",
        "CREATE TABLE t(a, b, c INTEGER); INSERT INTO t VALUES ('1', 2, 3)",
        (f"SELECT name, type {OTHER_COLUMNS}", "SELECT typeof(a), typeof(b) FROM t"),
    ),
    Shape(
        "defaults: texts, expressions, the time",
        "CREATE TABLE t(k TEXT, a INTEGER DEFAULT (1 + 2), b TEXT DEFAULT CURRENT_DATE, d TEXT DEFAULT 'it''s',"
        " c INTEGER)",
        ("INSERT INTO t(k) VALUES (1); SELECT a, typeof(a), b = CURRENT_DATE, d FROM t",),
    ),
    Shape(
        "`NOT NULL`, `UNIQUE`, plain indexes",
        "CREATE TABLE t(a INTEGER NOT NULL, b INTEGER UNIQUE, d TEXT, e TEXT, c INTEGER, UNIQUE (d, e));"
        "CREATE UNIQUE INDEX i ON t(e, a); CREATE INDEX j ON t(d); INSERT INTO t VALUES (1, 2, 3, 4, 5)",
        ("INSERT INTO t(a) VALUES (NULL)", "INSERT INTO t(a, b) VALUES (1, 2)", "INSERT INTO t(a, d, e) VALUES (2, 3, 4)",
         "INSERT INTO t(a, e) VALUES (1, 4)", indexes),
    ),
    Shape(
        "`CHECK`, of a column and of the table",
        "CREATE TABLE t(a INTEGER CHECK (a > 0), b INTEGER, c INTEGER, CHECK (a <> b)); INSERT INTO t VALUES (1, 2, 3)",
        ("INSERT INTO t(a, b) VALUES (0, 1)", "INSERT INTO t(a, b) VALUES (1, 1)"),
    ),
    Shape(
        "names of constraints",
        "CREATE TABLE t(a INTEGER CONSTRAINT positive CHECK (a > 0), b INTEGER, c INTEGER,"
        " CONSTRAINT pair UNIQUE (a, b))",
        (constraint_names,),
    ),
    Shape(
        "`ON CONFLICT` of constraints",
        "CREATE TABLE t(a INTEGER UNIQUE ON CONFLICT REPLACE, b INTEGER NOT NULL ON CONFLICT IGNORE, c INTEGER);"
        "INSERT INTO t VALUES (1, 2, 3)",
        ("INSERT INTO t(a, b) VALUES (1, 9); INSERT INTO t(a) VALUES (5); SELECT a, b FROM t",),
    ),
    Shape(
        "`COLLATE` of columns",
        "CREATE TABLE t(a TEXT COLLATE NOCASE, b TEXT COLLATE RTRIM, c INTEGER); INSERT INTO t VALUES ('A', 'b ', 1)",
        ("SELECT count(*) FROM t WHERE a = 'a' AND b = 'b'",),
    ),
    Shape(
        "generated columns",
        "CREATE TABLE t(a INTEGER, b INTEGER AS (a * 2), d TEXT AS (a || 'x') STORED, c INTEGER);"
        "INSERT INTO t(a) VALUES (1)",
        (f"SELECT name, hidden {OTHER_COLUMNS}", "INSERT INTO t(a) VALUES (5); SELECT b, d FROM t"),
    ),
    Shape(
        "keys of several columns, with order and collation",
        "CREATE TABLE t(a TEXT, b INTEGER, c INTEGER, PRIMARY KEY (b DESC, a COLLATE NOCASE));"
        "INSERT INTO t VALUES ('a', 1, 1)",
        (f"SELECT name, pk {OTHER_COLUMNS}", "INSERT INTO t(a, b) VALUES ('A', 1)", indexes),
    ),
    Shape(
        "`AUTOINCREMENT` and its counter",
        "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a INTEGER, c INTEGER);"
        "INSERT INTO t VALUES (1, 1, 1), (500, 2, 2); DELETE FROM t WHERE id = 500",
        ("INSERT INTO t(a) VALUES (3); SELECT id FROM t",),
    ),
    Shape(
        "rowids that no column shows",
        "CREATE TABLE t(a INTEGER, c INTEGER); INSERT INTO t(rowid, a) VALUES (-5, 1), (7, 2), (9000000000, 3)",
        ("SELECT rowid, a FROM t ORDER BY a",),
    ),
    Shape(
        "`WITHOUT ROWID`",
        "CREATE TABLE t(a TEXT PRIMARY KEY, b INTEGER, c INTEGER) WITHOUT ROWID; INSERT INTO t VALUES ('x', 2, 1)",
        ("SELECT wr FROM pragma_table_list('t')", "SELECT a, b FROM t"),
    ),
    Shape(
        "`STRICT`",
        "CREATE TABLE t(a INTEGER, b TEXT, c INTEGER) STRICT; INSERT INTO t VALUES (1, '2', 3)",
        ("SELECT strict FROM pragma_table_list('t')", "INSERT INTO t(a) VALUES ('x')"),
    ),
    Shape(
        "foreign keys: actions, `DEFERRABLE`, to itself",
        "CREATE TABLE p(id INTEGER PRIMARY KEY); INSERT INTO p VALUES (1);"
        "CREATE TABLE t(id INTEGER PRIMARY KEY, p INTEGER REFERENCES p ON DELETE SET NULL,"
        " up INTEGER REFERENCES t(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, c INTEGER);"
        "INSERT INTO t VALUES (1, 1, NULL, 1), (2, 1, 1, 2)",
        ('SELECT "from", "table", on_delete FROM pragma_foreign_key_list(\'t\') ORDER BY 1',
         "PRAGMA foreign_keys = ON; DELETE FROM p; SELECT p FROM t; BEGIN; INSERT INTO t(id, up) VALUES (3, 4);"
         "INSERT INTO t(id) VALUES (4); COMMIT; DELETE FROM t WHERE id = 1; SELECT id FROM t"),
    ),
    Shape(
        "rows that refer to it, `ON DELETE CASCADE`, foreign keys being enforced",
        "CREATE TABLE t(id INTEGER PRIMARY KEY, c INTEGER); INSERT INTO t VALUES (1, 1), (2, 2);"
        "CREATE TABLE child(t INTEGER REFERENCES t ON DELETE CASCADE); INSERT INTO child VALUES (1), (2)",
        ("SELECT * FROM child", 'SELECT "table", "from", on_delete FROM pragma_foreign_key_list(\'child\')'),
        enforces_foreign_keys=True,
    ),
    Shape(
        "indexes: `DESC`, with a collation",
        "CREATE TABLE t(a INTEGER, b TEXT, c INTEGER); CREATE INDEX i ON t(a DESC, b COLLATE NOCASE)",
        (indexes,),
    ),
    Shape(
        "indexes: partial, of expressions",
        "CREATE TABLE t(a TEXT, b INTEGER, c INTEGER); CREATE UNIQUE INDEX i ON t(a) WHERE b > 0;"
        "CREATE INDEX j ON t(lower(a), b)",
        (indexes, definitions("tbl_name = 't' AND type = 'index'")),
    ),
    Shape(
        "triggers of the table",
        "CREATE TABLE t(a INTEGER, c INTEGER); CREATE TABLE log(x);"
        "CREATE TRIGGER g AFTER INSERT ON t WHEN NEW.a > 1 BEGIN INSERT INTO log VALUES (NEW.a); END",
        ("INSERT INTO t(a) VALUES (1), (2); SELECT * FROM log",),
    ),
    Shape(
        "triggers of other tables, and views, that use it",
        "CREATE TABLE t(a INTEGER, c INTEGER); INSERT INTO t VALUES (1, 2); CREATE TABLE o(x);"
        "CREATE VIEW v AS SELECT a FROM t; CREATE TRIGGER g AFTER INSERT ON o BEGIN UPDATE t SET a = NEW.x; END",
        ("SELECT * FROM v", "INSERT INTO o VALUES (5); SELECT a FROM t"),
    ),
    Shape(
        "full-text search over it (FTS5, with a trigger)",
        "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT, c INTEGER); INSERT INTO t VALUES (3, 'one', 1), (9, 'two', 2);"
        "CREATE VIRTUAL TABLE f USING fts5(body, content='t', content_rowid='id'); INSERT INTO f(f) VALUES ('rebuild');"
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO f(rowid, body) VALUES (NEW.id, NEW.body); END",
        ("SELECT rowid, body FROM f WHERE f MATCH 'two'",
         "INSERT INTO t(id, body) VALUES (20, 'three'); SELECT rowid, body FROM f WHERE f MATCH 'three'"),
    ),
    Shape(
        "comments between columns",
        "CREATE TABLE t(a INTEGER, -- what it is for\n /* bytes */ b INTEGER, c INTEGER)",
        (comments,),
    ),
    Shape(
        "comments within a column",
        "CREATE TABLE t(a INTEGER, b /* bytes */ INTEGER, c INTEGER)",
        (comments,),
    ),
    Shape(
        "names that need quotes",
        'CREATE TABLE "my ""odd"" table"("x y" INTEGER, "order" TEXT, c INTEGER);'
        'INSERT INTO "my ""odd"" table" VALUES (1, \'two\', 3); CREATE INDEX "an index" ON "my ""odd"" table"("order")',
        ('SELECT "x y", "order" FROM "my ""odd"" table"', "SELECT name FROM sqlite_master WHERE name = 'an index'"),
        table='my "odd" table',
    ),
]
