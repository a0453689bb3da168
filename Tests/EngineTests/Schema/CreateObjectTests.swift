import Migrator
import TestEngines
import Testing

@Suite("Creating views, triggers and virtual tables")
struct CreateObjectTests {
  @Test("views return their query's rows with the given column names", arguments: TestEngine.allCases)
  func views(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql:
          "CREATE TABLE player(id INTEGER PRIMARY KEY, name, score); INSERT INTO player VALUES (1, 'O''Brien', 5), (2, 'b', 50)"
      )
      try db.create(view: "hero's \"view\"", columns: ["key", "select"], as: "SELECT id, name FROM player -- all")
      #expect(try db.columns(in: "hero's \"view\"").map(\.name) == ["key", "select"])
      #expect(try String.fetchAll(db, sql: "SELECT \"select\" FROM \"hero's \"\"view\"\"\"") == ["O'Brien", "b"])
      try db.create(
        view: "literal", asLiteral: "SELECT * FROM player WHERE name = \("O'Brien") AND score < \(10) AND '?' = '?'")
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM literal") == [1])
      try db.create(view: "literal", options: .ifNotExists, as: "SELECT 1")
      #expect(throws: DatabaseError.self) { try db.create(view: "literal", as: "SELECT 1") }
      try db.create(view: "passing", options: .temporary, as: "SELECT 1 AS one")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_temp_master WHERE type = 'view'") == 1)
      #expect(try db.viewExists("literal"))
      try db.drop(view: "literal")
      try db.drop(view: "literal", ifExists: true)
      #expect(throws: DatabaseError.self) { try db.drop(view: "literal") }
      #expect(try !db.viewExists("literal"))
    }
  }

  @Test("triggers run at the specified time", arguments: TestEngine.allCases)
  func triggers(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql:
          "CREATE TABLE \"order\"(id INTEGER PRIMARY KEY, \"group\", x); CREATE TABLE log(x); CREATE VIEW v AS SELECT * FROM \"order\""
      )
      let log = { (text: String) in "INSERT INTO log VALUES ('\(text)')" }
      try db.create(trigger: "a", .before, .insert, on: "order", statements: log("before") + " -- first")
      try db.create(
        trigger: "b", .after, .insert, on: "order", when: "NEW.id > 1 -- some",
        statements: log("after") + "; " + log("twice") + ";")
      try db.create(trigger: "c;\"", .after, .update(of: ["group"]), on: "order", statements: log("group"))
      try db.create(trigger: "d", .after, .update(), on: "order", statements: log("update"))
      try db.create(trigger: "e", .after, .delete, on: "order", statements: log("delete"))
      try db.create(trigger: "f", .insteadOf, .insert, on: "v", statements: log("view"))
      try db.create(trigger: "f", options: .ifNotExists, .insteadOf, .insert, on: "v", statements: log("again"))
      try db.create(trigger: "g", options: .temporary, .after, .delete, on: "order", statements: log("passing"))
      try db.execute(
        sql: """
          INSERT INTO "order" VALUES (1, 1, 1); INSERT INTO "order" VALUES (2, 2, 2);
          UPDATE "order" SET "group" = 3 WHERE id = 1; UPDATE "order" SET x = 3 WHERE id = 1;
          DELETE FROM "order" WHERE id = 2; INSERT INTO v VALUES (1, 2, 3)
          """)
      let counts = try Row.fetchAll(db, sql: "SELECT x, count(*) FROM log GROUP BY x ORDER BY x").map {
        "\(try $0[0] as String) \(try $0[1] as Int)"
      }
      #expect(counts == ["after 1", "before 2", "delete 1", "group 1", "passing 1", "twice 1", "update 2", "view 1"])
      #expect(try db.triggerExists("c;\""))
      try db.drop(trigger: "c;\"")
      #expect(throws: DatabaseError.self) { try db.drop(trigger: "c;\"") }
      try db.drop(trigger: "c;\"", ifExists: true)
      for broken in ["", " -- nothing", "INSERT INTO log VALUES ('open)"] {
        let error = #expect(throws: DatabaseError.self) {
          try db.create(trigger: "z", .after, .insert, on: "order", statements: broken)
        }
        #expect(error?.condition == .statement)
      }
    }
  }

  @Test("virtual tables get their arguments; a missing module is refused", arguments: TestEngine.allCases)
  func virtualTables(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      for _ in 1...2 {
        try db.create(virtualTable: "area", options: .ifNotExists, using: "rtree") { t in
          for name in ["id", "minX", "maxX"] { t.argument(name) }
        }
      }
      try db.execute(sql: "INSERT INTO area VALUES (1, 0.5, 2)")
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM area WHERE minX < 1") == [1])
      #expect(try db.schema().objects.filter(\.isVirtual).map(\.name) == ["area"])
      try db.drop(table: "area")
      #expect(try db.schema().objects.isEmpty)
      let error = #expect(throws: DatabaseError.self) { try db.create(virtualTable: "x", using: "no_such_module") }
      #expect([.unsupported, .statement].contains(error?.condition))
    }
  }

  @Test("a synchronized full-text table finds the contents of the content table", arguments: TestEngine.allCases)
  func synchronizedSearch(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "the \"books\"") { t in
        t.autoIncrementedPrimaryKey("key")
        t.column("title's", .text)
        t.column("body", .text)
      }
      let table = "\"the \"\"books\"\"\""
      try db.execute(sql: "INSERT INTO \(table) VALUES (10, 'Moby Dick', 'whales'), (20, 'Emma', 'running')")
      let define = { (t: FullTextTableDefinition) in
        t.tokenizer = .porter
        t.prefixes = [2, 3]
        t.synchronize(withTable: "the \"books\"")
        t.column("title's")
        t.column("body")
      }
      var names = ["four"]
      try db.create(virtualTable: "four", using: FTS4(), body: define)
      let five = { try db.create(virtualTable: "five", using: FTS5(), body: define) }
      if db.engine.abilities.contains(.fts5) {
        names.append("five")
        try five()
      } else {
        let error = #expect(throws: DatabaseError.self) { try five() }
        #expect(error?.condition == .unsupported)
        #expect(error?.remedy?.contains("FTS4") == true)
        #expect(try !db.tableExists("five"))
      }
      try db.execute(
        sql: """
          INSERT INTO \(table) VALUES (30, 'Walden', 'runs'); UPDATE \(table) SET body = 'whale' WHERE key = 20;
          UPDATE \(table) SET key = 11 WHERE key = 10; DELETE FROM \(table) WHERE key = 30;
          INSERT INTO \(table) VALUES (40, 'Ulysses', 'runner running')
          """)
      for name in names {
        let find = { (word: String) in
          try Int.fetchAll(db, sql: "SELECT rowid FROM \(name) WHERE \(name) MATCH '\(word)' ORDER BY rowid")
        }
        #expect(try find("whale") == [11, 20])
        #expect(try find("run") == [40])
        #expect(try find("wald*") == [])
        #expect(try find("emm*") == [20])
        try db.execute(sql: "INSERT INTO \(name)(\(name)) VALUES ('integrity-check')")
      }
      try db.drop(table: "four")
      try db.dropFTS4SynchronizationTriggers(forTable: "four")
      if names.count > 1 {
        try db.dropFTS5SynchronizationTriggers(forTable: "five")
        try db.drop(table: "five")
      }
      #expect(try db.schema().objects.map(\.kind) == [.table])
      try db.execute(sql: "DELETE FROM \(table)")
    }
  }

  @Test("a content table without stable rowids is refused", arguments: TestEngine.allCases)
  func unstableContent(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE a(x); CREATE TABLE b(id INTEGER PRIMARY KEY DESC, x); CREATE TABLE c(id TEXT PRIMARY KEY, x);
          CREATE TABLE d(id INTEGER PRIMARY KEY, x) WITHOUT ROWID
          """)
      for (table, condition) in [
        ("a", DatabaseError.Condition.unsupported), ("b", .unsupported), ("c", .unsupported), ("d", .unsupported),
        ("none", .statement),
      ] {
        let error = #expect(throws: DatabaseError.self) {
          try db.create(virtualTable: "f", using: FTS4()) { t in
            t.column("x")
            t.synchronize(withTable: table)
          }
        }
        #expect(error?.condition == condition, "\(table)")
      }
      try db.create(virtualTable: "f", using: FTS4()) { t in
        t.column("x")
        t.column("y", indexed: false)
        t.tokenizer = .simple
        t.setting("matchinfo", "fts3")
      }
      try db.execute(sql: "INSERT INTO f VALUES ('one', 'two')")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM f WHERE f MATCH 'two'") == 0)
    }
  }

  @Test("an attached database is named separately; a dot in a name is part of it", arguments: TestEngine.allCases)
  func attachedDatabases(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.writeWithoutTransaction { db in try db.execute(sql: "ATTACH ':memory:' AS \"aux 1\"") }
    try dbQueue.write { db in
      try db.create(table: "aux.t") { t in t.column("a") }
      #expect(try db.schema().objects.map(\.name) == ["aux.t"])
      try db.drop(table: "aux.t")
      try db.create(table: "author", inSchema: "aux 1") { t in t.autoIncrementedPrimaryKey("code") }
      try db.create(table: "book", inSchema: "aux 1") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author")
        t.column("title").indexed()
      }
      try db.create(index: "by_title", on: "book", inSchema: "aux 1", expressions: [.sql("lower(title)")])
      try db.create(view: "titles", inSchema: "aux 1", as: "SELECT title FROM author, book")
      try db.create(trigger: "t", inSchema: "aux 1", .after, .delete, on: "book", statements: "SELECT 1")
      try db.create(virtualTable: "search", inSchema: "aux 1", using: FTS4()) { t in
        t.column("title")
        t.synchronize(withTable: "book")
      }
      #expect(try db.schema().objects.isEmpty)
      let names = {
        try String.fetchSet(
          db, sql: "SELECT name FROM \"aux 1\".sqlite_master WHERE name NOT LIKE '%search!_%' ESCAPE '!'")
      }
      #expect(
        try names() == [
          "author", "book", "sqlite_sequence", "book_on_authorCode", "book_on_title", "by_title", "titles", "t",
          "search",
        ])
      try db.execute(sql: "INSERT INTO \"aux 1\".book(title) VALUES ('Walden')")
      #expect(try Int.fetchOne(db, sql: "SELECT docid FROM \"aux 1\".search WHERE search MATCH 'walden'") == 1)
      try db.dropFTS4SynchronizationTriggers(forTable: "search", inSchema: "aux 1")
      try db.drop(table: "search", inSchema: "aux 1")
      try db.drop(trigger: "t", inSchema: "aux 1")
      try db.drop(indexOn: "book", inSchema: "aux 1", columns: ["title"])
      try db.drop(index: "by_title", inSchema: "aux 1")
      let rename = { try db.rename(table: "author", inSchema: "aux 1", to: "writer") }
      if db.engine.abilities.contains(.renameColumn) {
        try rename()
        #expect(
          try Row.fetchOne(db, sql: "PRAGMA \"aux 1\".foreign_key_list(book)")?["table"] == "writer")
      } else {
        #expect(throws: DatabaseError.self) { try rename() }
        try db.drop(view: "titles", inSchema: "aux 1")
        #expect(throws: DatabaseError.self) { try rename() }
        try db.drop(table: "book", inSchema: "aux 1")
        try rename()
      }
      #expect(try names().contains("writer"))
      try db.drop(view: "titles", inSchema: "aux 1", ifExists: true)
      for name in ["book", "writer"] { try db.drop(table: name, inSchema: "aux 1", ifExists: true) }
      #expect(try names() == ["sqlite_sequence"])
    }
  }
}
