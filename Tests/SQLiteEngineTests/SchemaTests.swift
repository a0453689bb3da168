import Migrator
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

@Suite("Reading the schema")
struct SchemaTests {
  @Test("Objects are returned in order of creation, without internal ones", arguments: TestEngine.allCases)
  func objects(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    try connection.execute(
      """
      CREATE TABLE sqliteX(id INTEGER PRIMARY KEY AUTOINCREMENT, a UNIQUE);
      CREATE INDEX i ON sqliteX(a);
      CREATE VIEW v AS SELECT 1;
      CREATE TRIGGER g AFTER INSERT ON sqliteX BEGIN SELECT 1; END;
      CREATE TEMP TABLE hidden(a);
      ANALYZE;
      """)
    let schema = try connection.schema()
    #expect(schema.objects.map(\.name) == ["sqliteX", "i", "v", "g"])
    #expect(schema.objects.map(\.kind) == [.table, .index, .view, .trigger])
    #expect(schema.objects.map(\.tableName) == ["sqliteX", "sqliteX", "v", "sqliteX"])
    #expect(schema.objects[1].sql == "CREATE INDEX i ON sqliteX(a)")
    let version = try connection.schemaVersion()
    try connection.execute("CREATE TABLE more(a)")
    #expect(try connection.schemaVersion() != version)
  }

  @Test("Virtual tables and their shadow tables are marked", arguments: TestEngine.allCases)
  func shadows(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    try connection.execute(
      """
      CREATE VIRTUAL TABLE "full text" USING fts3(a);
      CREATE VIRTUAL TABLE area USING rtree(id, a, b);
      CREATE VIRTUAL TABLE old USING 'fts4'(a);
      CREATE TABLE area_notes(a); CREATE TABLE "using"(a);
      """)
    if connection.hasModule("fts5") { try connection.execute("CREATE VIRTUAL TABLE five USING fts5(a)") }
    let objects = try connection.schema().objects.filter { $0.kind == .table }
    let virtualTables = Set(objects.filter(\.isVirtual).map(\.name))
    #expect(virtualTables.subtracting(["five"]) == ["full text", "area", "old"])
    #expect(Set(objects.filter { !$0.isVirtual && !$0.isShadow }.map(\.name)) == ["area_notes", "using"])
    #expect(objects.filter(\.isShadow).count == objects.count - virtualTables.count - 2)
  }

  @Test(
    "A table is a shadow table if the module uses its name with these arguments",
    arguments: TestEngine.allCases,
    [
      "fts3(a, content=src)", "fts3(content, a)", "fts4(a)", "fts4(a, content=src)", "fts4(a, CONTENT= 'src')",
      "fts4(content=\"\", a)", "fts4(a,/* why */content=)", "fts4(content, a)", "fts4(a, tokenize=porter content=x)",
      "fts4(a, matchinfo='fts3')", "fts5(a)", "fts5(a, content='src')", "fts5(a, Content = \"src\")",
      "fts5(a, content='')", "fts5(a,\n/* why */content=)", "fts5(a, co=src)", "fts5(content, a)",
      "fts5(a, columnsize=0)", "fts5(a, content_rowid=a)",
      "fts5(a, col='0', c=src)", "fts5(a, columnsize=1)", "fts5(a, content='', contentless_delete=1)",
      "fts5(a, content='', contentless_unindexed=1)", "fts5(a, b UNINDEXED, content='', contentless_unindexed=1)",
      "fts5(a, b UNINDEXED, content='', contentless_unindexed=0)", "rtree(id, a, b)",
    ])
  func shadowArguments(engine: TestEngine, module: String) throws {
    let connection = try engine.connectInMemory()
    try connection.execute("CREATE TABLE src(content, a, b)")
    do {
      try connection.execute("CREATE VIRTUAL TABLE docs USING \(module)")
    } catch {
      // The engine lacks this module, or is too old for it.
      return
    }
    let made = Set(try connection.schema().objects.filter { $0.kind == .table && !$0.isVirtual }.map(\.name))
    // The engine creates the shadow tables that it needs, so the other names are available to the application.
    for suffix in ["content", "docsize", "stat", "data", "node"] where !made.contains("docs_\(suffix)") {
      guard !(module.hasPrefix("fts3") && suffix == "stat") else { continue }
      try connection.execute("CREATE TABLE docs_\(suffix)(own)")
    }
    for table in try connection.schema().objects where table.kind == .table && !table.isVirtual {
      let isFirst = made.contains(table.name) && table.name != "src"
      #expect(table.isShadow == isFirst, "\(table.name) beside \(module)")
    }
  }

  @Test("A temporary table hides no violations of the table with its name", arguments: TestEngine.allCases)
  func violations(engine: TestEngine) throws {
    let connection = try engine.connectInMemory()
    try connection.setEnforcesForeignKeys(false)
    try connection.execute(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p); INSERT INTO c(rowid, p) VALUES (8, 2);
      CREATE TEMP TABLE c(p REFERENCES p);
      """)
    for table in ["c", nil] {
      let next = try connection.foreignKeyViolations(in: table)
      #expect(try next()?.originRowID == 8)
      for _ in 1...2 { #expect(try next() == nil) }
    }
  }
}
