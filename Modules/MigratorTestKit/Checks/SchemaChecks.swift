internal import Migrator
internal import SQLSyntax

extension BackendContract {
  static let schemaChecks: [BackendCheck] = [
    .onConnection(
      130, "The schema's objects are returned in order of creation, with kind, names and definition."
    ) { connection in
      let definitions: [(SchemaObject.Kind, String, String, String)] = [
        (.table, "Author", "Author", "CREATE TABLE Author(id INTEGER PRIMARY KEY, name TEXT)"),
        (.index, "author_on_name", "Author", "CREATE INDEX author_on_name ON Author(name)"),
        (.view, "names", "names", "CREATE VIEW names AS SELECT name FROM Author"),
        (.trigger, "t", "Author", "CREATE TRIGGER t AFTER INSERT ON Author BEGIN SELECT 1; END"),
        (.table, "a", "a", "CREATE TABLE a(x)"),
      ]
      for definition in definitions { try connection.run(definition.3) }
      let expected = definitions.map { SchemaObject(kind: $0.0, name: $0.1, tableName: $0.2, sql: $0.3) }
      try expect("the objects", connection.schema().objects, is: expected)
    },
    .onConnection(131, "An index that comes with a constraint is returned without a definition, or not at all.") {
      connection in
      try connection.run("CREATE TABLE a(x UNIQUE, y, UNIQUE(x, y)); CREATE INDEX i ON a(y)")
      let indexes = try connection.schema().objects.filter { $0.kind == .index }
      try expect("the indexes' definitions", indexes.compactMap(\.sql), is: ["CREATE INDEX i ON a(y)"])
      try expect("the indexes' tables", Set(indexes.map(\.tableName)), is: ["a"])
    },
    .onConnection(132, "Internal and temporary objects are not part of the schema.") {
      connection in
      try connection.run(
        """
        CREATE TABLE a(id INTEGER PRIMARY KEY AUTOINCREMENT, x); CREATE INDEX i ON a(x);
        INSERT INTO a(x) VALUES (1), (2); ANALYZE;
        CREATE TEMP TABLE b(x); CREATE TEMP VIEW c AS SELECT 1
        """)
      try expect("the objects", connection.schema().objects.map(\.name), is: ["a", "i"])
    },
    .onConnection(
      133, "Virtual tables are marked as virtual, and the tables that store their content as shadow tables."
    ) {
      connection in
      try connection.run("CREATE TABLE a(x)")
      try connection.createFullTextTable()
      let tables = try connection.schema().objects.filter { $0.kind == .table }
      try expect("the virtual tables", tables.filter(\.isVirtual).map(\.name), is: ["f"])
      let shadows = tables.filter(\.isShadow).map(\.name)
      try expect(!shadows.isEmpty && shadows.allSatisfy { $0.hasPrefix("f_") }, "the shadows are \(shadows)")
      try expect("the others", tables.filter { !$0.isShadow && !$0.isVirtual }.map(\.name), is: ["a"])
      try expect("the columns", connection.columns(in: "f")?.filter { !$0.isHidden }.map(\.name), is: ["body"])
    },
    .onConnection(134, "The schema includes changes of the open transaction, and no longer after a rollback.") {
      connection in
      try connection.begin(.immediate)
      try connection.run("CREATE TABLE a(x)")
      try expect("the tables", connection.names(), is: ["a"])
      try connection.rollback()
      try expect("the tables", connection.names(), is: [])
      try expect("the columns", connection.columns(in: "a"), is: nil)
    },
    .onTwoConnections(
      136, "The schema version changes with each schema change, by any connection and within its transaction."
    ) {
      first, second in
      var versions = [try first.schemaVersion()]
      for sql in ["CREATE TABLE a(x)", "ALTER TABLE a ADD COLUMN y", "CREATE INDEX i ON a(x)", "DROP INDEX i"] {
        try (versions.count.isMultiple(of: 2) ? first : second).run(sql)
        versions.append(try first.schemaVersion())
      }
      try first.begin(.immediate)
      try first.run("CREATE TABLE b(x)")
      versions.append(try first.schemaVersion())
      try first.commit()
      try expect(Set(versions).count == versions.count, "the versions are \(versions)")
    },
  ]

  static let columnChecks: [BackendCheck] = [
    .onConnection(140, "Columns are returned in order, with type, NOT NULL, default and position in the primary key.") {
      connection in
      try connection.run(
        "CREATE TABLE a(x VARCHAR(10) NOT NULL DEFAULT 'b', Y, z REAL DEFAULT (1 + 2), PRIMARY KEY(z, x))")
      try expect(
        "the columns", connection.columns(in: "a"),
        is: [
          ColumnDescription(
            name: "x", declaredType: "VARCHAR(10)", isNotNull: true, defaultValueSQL: "'b'", primaryKeyIndex: 2,
            isGenerated: false),
          ColumnDescription(
            name: "Y", declaredType: "", isNotNull: false, defaultValueSQL: nil, primaryKeyIndex: 0, isGenerated: false),
          ColumnDescription(
            name: "z", declaredType: "REAL", isNotNull: false, defaultValueSQL: "1 + 2", primaryKeyIndex: 1,
            isGenerated: false),
        ])
    },
    .onConnection(141, "A view has columns; for an object that does not exist the result is nil, not an empty list.") {
      connection in
      try connection.run("CREATE TABLE a(x, y); CREATE VIEW v AS SELECT y AS b, x FROM a; CREATE INDEX i ON a(x)")
      try expect("the view's columns", connection.columns(in: "v")?.map(\.name), is: ["b", "x"])
      try expect("the columns of nothing", connection.columns(in: "nowhere"), is: nil)
    },
    .onConnection(142, "Tables are found regardless of the case of the name, and by unusual names.") { connection in
      try connection.run("CREATE TABLE Author(x)")
      try expect("the columns", connection.columns(in: "aUTHOR")?.map(\.name), is: ["x"])
      for name in unusualNames {
        try connection.run("CREATE TABLE \(name.quotedIdentifier)(\(name.quotedIdentifier) TEXT)")
        try expect("the columns of \(name)", connection.columns(in: name)?.map(\.name), is: [name])
      }
    },
    .onConnection(143, "Generated columns are included and marked as generated.") { connection in
      try require(
        connection.engine.abilities.contains(.generatedColumns), orSkip: "the engine has no generated columns")
      try connection.run("CREATE TABLE a(x, y AS (x + 1), z AS (x + 2) STORED)")
      try expect("the columns", connection.columns(in: "a")?.map(\.name), is: ["x", "y", "z"])
      try expect("isGenerated", connection.columns(in: "a")?.map(\.isGenerated), is: [false, true, true])
    },
    BackendCheck(144, "The engine supports exactly the abilities that it reports.") {
      backend in
      let samples: [(EngineAbilities, String, String)] = [
        (.renameColumn, "renameColumn", "ALTER TABLE a RENAME COLUMN x TO z"),
        (.dropColumn, "dropColumn", "ALTER TABLE a DROP COLUMN y"),
        (.upsert, "upsert", "INSERT INTO a VALUES (1, 2) ON CONFLICT DO NOTHING"),
        (.returning, "returning", "INSERT INTO a VALUES (1, 2) RETURNING x"),
        (.strictTables, "strictTables", "CREATE TABLE b(x INTEGER) STRICT"),
        (.generatedColumns, "generatedColumns", "CREATE TABLE b(x, y AS (x + 1))"),
        (.windowFunctions, "windowFunctions", "SELECT row_number() OVER (ORDER BY x) FROM a"),
        (.fts4, "fts4", "CREATE VIRTUAL TABLE f USING fts4(x)"),
        (.fts5, "fts5", "CREATE VIRTUAL TABLE f USING fts5(x)"),
      ]
      for (ability, name, sql) in samples {
        try backend.newBackend().withConnection { connection in
          try connection.run("CREATE TABLE a(x, y)")
          var isUnderstood = true
          do { try connection.run(sql) } catch is DatabaseError { isUnderstood = false }
          try expect("the ability \(name)", connection.engine.abilities.contains(ability), is: isUnderstood)
        }
      }
    },
    .onTwoConnections(
      145, "Schema changes by another connection are visible immediately, after any earlier query.",
      ConnectionOptions(busyTimeout: .zero, enforcesForeignKeys: false)
    ) { first, second in
      // Each query is the first one after its change, since reading a result may refresh the connection's schema.
      try expect("the tables", first.names(), is: [])
      try expect("the columns", first.columns(in: "a"), is: nil)
      try second.run("CREATE TABLE a(x)")
      try expect("the columns", first.columns(in: "a")?.map(\.name), is: ["x"])
      try second.run("ALTER TABLE a ADD COLUMN y")
      try expect("the columns", first.columns(in: "a")?.map(\.name), is: ["x", "y"])
      try second.run("CREATE TABLE b(x REFERENCES nowhere); INSERT INTO b VALUES (1)")
      try expect("the columns of the keys", first.foreignKeys(on: "b").map(\.originColumns), is: [["x"]])
      try second.run("CREATE TABLE c(x REFERENCES nowhere); INSERT INTO c VALUES (1)")
      try expect("the number of violations", first.violations(in: "c").count, is: 1)
      try second.run("CREATE TABLE d(x REFERENCES nowhere); INSERT INTO d VALUES (1)")
      try expect("the number of violations in all tables", first.violations().count, is: 3)
      try second.run("CREATE TABLE e(x)")
      try first.begin(.immediate)
      try expect("the columns inside a transaction", first.columns(in: "e")?.map(\.name), is: ["x"])
      try first.rollback()
      try second.run("DROP TABLE a")
      try expect("the columns", first.columns(in: "a"), is: nil)
      try second.run("DROP TABLE e")
      try expect("the tables", first.names(), is: ["b", "c", "d"])
    },
    .onConnection(146, "Indexes are returned with origin, uniqueness, and order and collation of their columns.") {
      connection in
      try connection.run(
        """
        CREATE TABLE a(x TEXT COLLATE NOCASE, Y, z, PRIMARY KEY(z, x), UNIQUE(y));
        CREATE UNIQUE INDEX "an index" ON a(Y DESC, lower(z), x COLLATE RTRIM) WHERE z > 0
        """)
      let indexes = Dictionary(grouping: try connection.indexes(on: "A"), by: \.origin)
      let created = indexes[.createIndex] ?? []
      try expect("the created index", created.map(\.name), is: ["an index"])
      try expect("isUnique and isPartial", created.map { [$0.isUnique, $0.isPartial] }, is: [[true, true]])
      try expect(
        "its columns", created.first?.columns,
        is: [
          IndexDescription.Column(name: "Y", isDescending: true), IndexDescription.Column(name: nil),
          IndexDescription.Column(name: "x", collation: "RTRIM"),
        ])
      try expect("the primary key", indexes[.primaryKey]?.map { $0.columns.map(\.name) }, is: [["z", "x"]])
      try expect("its collations", indexes[.primaryKey]?.first?.columns.map(\.collation), is: ["BINARY", "NOCASE"])
      try expect("the unique key", indexes[.uniqueKey]?.map { $0.columns.map(\.name) }, is: [["Y"]])
      try expect("the indexes of nothing", connection.indexes(on: "nowhere"), is: [])
    },
    .onConnection(147, "Foreign keys are returned with their actions.") { connection in
      try connection.run(
        "CREATE TABLE a(x REFERENCES b ON DELETE SET NULL, y REFERENCES c(z) ON UPDATE CASCADE ON DELETE RESTRICT)")
      let keys = try connection.foreignKeys(on: "a").sorted { $0.destinationTable < $1.destinationTable }
      try expect("the deletions", keys.map(\.onDelete), is: [.setNull, .restrict])
      try expect("the updates", keys.map(\.onUpdate), is: [.noAction, .cascade])
    },
  ]
}
