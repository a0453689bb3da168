import Migrator
import SQLSyntax
import TestEngines
import Testing

/// Tests of tables in attached databases and temporary tables, with `inSchema`.
@Suite("Other schemas")
struct OtherSchemaTests {
  /// Changes of column `c`, or none.
  private static let changes: KeyValuePairs<String, [TableAlterationDescription]> = [
    "nothing": [.reorderColumns([])],
    "default": [.changeColumn(name: "C", ColumnChange([.defaultValue(.sql("7"))]))],
    "not null": [.changeColumn(name: "c", ColumnChange([.notNull(.init())]))],
    "check": [.addConstraint(.check("c <> 'never'"))],
    "rename": [.renameColumn(name: "c", newName: "new name")],
    "drop": [.dropColumn(name: "c")],
    "type": [.changeColumn(name: "c", ColumnChange([.type("ANY")]))],
  ]

  @Test(
    "a table in another schema changes as in the main schema, row for row",
    arguments: TestTier.pairs(TestEngine.allCases, OtherSchema.allCases))
  func shapes(engine: TestEngine, schema: OtherSchema) throws {
    var faults: [String] = []
    var refused: [String] = []
    for var shape in HairyShape.all {
      if schema == .temporary {
        // ANALYZE skips the temporary schema.
        if shape.sql.contains("sqlite_stat1") { continue }
        shape.sql = shape.sql.replacing("; ANALYZE", with: "").replacing("CREATE TEMP ", with: "CREATE ")
      }
      for (change, steps) in Self.changes {
        guard let twin = try contents(engine, shape, steps) else { continue }
        try engine.inMemoryQueue().writeWithoutTransaction { db in
          try schema.make(db)
          try db.execute(sql: schema.script(shape.sql))
          let before = try SchemaContents(db, schema).lines
          do {
            try db.inTransaction {
              try db.apply(.alterTable(name: shape.table, alterations: steps, schema: schema.name))
              return .commit
            }
            let after = try SchemaContents(db, schema).lines
            if after != twin { faults.append("\(shape.name), \(change): \(after) instead of \(twin)") }
          } catch let error as DatabaseError where error.condition == .unsupported {
            // Names in a temporary view or trigger may refer to objects of another schema.
            refused.append("\(shape.name), \(change)")
            if try SchemaContents(db, schema).lines != before { faults.append("\(shape.name), \(change): half done") }
          }
          let check = try String.fetchAll(db, sql: "PRAGMA \(schema.name.quotedIdentifier).integrity_check")
          if check != ["ok"] { faults.append("\(shape.name), \(change): \(check)") }
          if try db.schema().objects.count > 0 { faults.append("\(shape.name), \(change): the main schema changed") }
        }
      }
    }
    print("\(engine), \(schema): refused \(refused)")
    let renames = try engine.engineDescription().abilities.contains(.renameColumn)
    #expect(renames ? refused.isEmpty : refused.allSatisfy { $0.hasSuffix(", rename") || $0.hasSuffix(", drop") })
    #expect(faults.isEmpty, "\(faults.count): \(faults.joined(separator: "\n"))")
  }

  /// Returns the contents of the main schema after a change; nil if the engine does not support the shape or the
  /// change.
  private func contents(_ engine: TestEngine, _ shape: HairyShape, _ steps: [TableAlterationDescription]) throws
    -> [String]?
  {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      let version = try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? ""
      guard (Int(version.split(separator: ".")[1]) ?? 0) >= shape.needs else { return nil }
      try db.execute(sql: "PRAGMA foreign_keys = OFF; \(shape.sql)")
      try db.inTransaction {
        try db.apply(.alterTable(name: shape.table, alterations: steps))
        return .commit
      }
      return try SchemaContents(db).lines
    }
  }

  @Test(
    "descriptions of other schemas equal those of the main schema",
    arguments: TestTier.pairs(TestEngine.allCases, OtherSchema.allCases))
  func introspection(engine: TestEngine, schema: OtherSchema) throws {
    for shape in HairyShape.all {
      let described = try [nil, schema].map { schema in
        try engine.inMemoryQueue().writeWithoutTransaction { db -> SchemaSnapshot? in
          let version = try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? ""
          guard (Int(version.split(separator: ".")[1]) ?? 0) >= shape.needs else { return nil }
          try schema?.make(db)
          let sql = shape.sql.replacing("TEMP TRIGGER", with: "TRIGGER").replacing("TEMP VIEW", with: "VIEW")
          try db.execute(sql: schema?.script(sql) ?? sql)
          return try db.schema(in: schema?.name)
        }
      }
      #expect(described[0] == described[1], "\(shape.name)")
    }
  }

  @Test("methods read the named schema", arguments: TestEngine.allCases, OtherSchema.allCases)
  func questions(engine: TestEngine, schema: OtherSchema) throws {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try schema.make(db)
      try db.execute(sql: "CREATE TABLE t(x)")
      try db.execute(
        sql: schema.script(
          """
          CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE t(a COLLATE nocase, p CONSTRAINT k REFERENCES p);
          CREATE INDEX i ON t(a DESC); CREATE VIEW v AS SELECT 1 AS one; CREATE TRIGGER g AFTER DELETE ON t BEGIN SELECT 1; END
          """))
      let name = schema.name.uppercased()
      #expect(try db.columns(in: "T", in: name).map(\.collation) == ["nocase", nil])
      #expect(try db.columns(in: "v", in: name).map(\.name) == ["one"])
      #expect(try db.indexes(on: "t", in: name).map { $0.columns.map(\.isDescending) } == [[true]])
      #expect(try db.foreignKeys(on: "t", in: name).map(\.name) == ["k"])
      #expect(try db.primaryKey("p", in: name)?.isRowID == true)
      #expect(try db.tableExists("P", in: name) && db.viewExists("V", in: name))
      #expect(try db.triggerExists("G", in: name) && db.indexExists("I", in: name))
      // Without a schema, temporary objects count too, as in SQLite.
      let found = try [db.tableExists("p"), db.viewExists("v"), db.triggerExists("g"), db.indexExists("i")]
      #expect(found.allSatisfy { $0 == (schema == .temporary) })
      #expect(try db.columns(in: "t").map(\.name) == ["x"])
      #expect(try db.columns(in: "t", in: "MAIN").map(\.name) == ["x"])
    }
  }

  @Test("a schema that is not attached is a specific error", arguments: TestEngine.allCases)
  func unknownSchema(engine: TestEngine) throws {
    try engine.inMemoryQueue().write { db in
      try db.execute(sql: "CREATE TABLE t(x)")
      let attempts: [(Database) throws -> Void] = [
        { db in _ = try db.schema(in: "other") }, { db in _ = try db.tableExists("t", in: "other") },
        { db in _ = try db.columns(in: "t", in: "other") }, { db in _ = try db.indexes(on: "t", in: "other") },
        { db in try db.alter(table: "t", inSchema: "other") { t in t.add(column: "y") } },
        { db in try db.recreate(table: "t", inSchema: "other") { t in t.column("y") } },
      ]
      for attempt in attempts {
        let error = #expect(throws: DatabaseError.self) { try attempt(db) }
        #expect(error?.condition == .notFound)
      }
      #expect(try db.columns(in: "t").map(\.name) == ["x"])
    }
  }
}
