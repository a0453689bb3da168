internal import Foundation
internal import Migrator

extension BackendContract {
  static let tableChangeChecks: [BackendCheck] = [
    .onConnection(150, "Requesting the statements of a change reads the schema and changes nothing.") { connection in
      try connection.run("CREATE TABLE a(x, y); INSERT INTO a VALUES (1, 2)")
      let before = try (connection.schema(), connection.schemaVersion(), connection.totalChangesCount)
      for change in [
        SchemaChange.createTable(authorTable), .renameTable(name: "a", newName: "b"),
        .dropTable(name: "a", ifExists: false),
        .alterTable(name: "a", alterations: [.renameColumn(name: "x", newName: "z"), .dropColumn(name: "y")]),
      ] {
        // Even a change that the engine does not support must change nothing.
        do { _ = try connection.statements(for: change) } catch let error as DatabaseError
          where error.condition == .unsupported
        {}
      }
      try expect("the schema", connection.schema(), is: before.0)
      try expect("the schema's version", connection.schemaVersion(), is: before.1)
      try expect("totalChangesCount", connection.totalChangesCount, is: before.2)
      try expect("isInsideTransaction", connection.isInsideTransaction, is: false)
    },
    .onConnection(
      151, "A created table has its columns, in order, its constraints, and its columns' indexes, named after both."
    ) { connection in
      try connection.apply(.createTable(authorTable))
      let columns = try connection.columns(in: "author") ?? []
      try expect("the names", columns.map(\.name), is: ["id", "email", "age", "note"])
      try expect("the types", columns.map(\.declaredType), is: ["INTEGER", "TEXT", "INTEGER", ""])
      try expect("the key", columns.map(\.primaryKeyIndex), is: [1, 0, 0, 0])
      try expect("isNotNull", columns.dropFirst().map(\.isNotNull), is: [true, false, false])
      let index = try connection.schema().object(.index, named: "author_on_age")
      try expect("the index's table", index?.tableName, is: "author")
      try connection.run("INSERT INTO author(email, age) VALUES ('a@b', 1)")
      try connection.expectError(.constraint(.unique), running: "INSERT INTO author(email) VALUES ('A@B')")
      try connection.expectError(.constraint(.notNull), running: "INSERT INTO author(age) VALUES (1)")
      try connection.expectError(.constraint(.check), running: "INSERT INTO author(email, age) VALUES ('c', -1)")
      try connection.run("DELETE FROM author; INSERT INTO author(email) VALUES ('d')")
      try expect("the number after an AUTOINCREMENT", connection.integers("SELECT id FROM author"), is: [2])
    },
    .onConnection(154, "Rows that are inserted without a value get the default, of any type.") { connection in
      let values: [DatabaseValue] = [
        .integer(.min), .real(0.1), .text("O'Brien \"é\" \n;--"), .text(""), .blob(Data([0, 255])), .null,
      ]
      var table = NewTableDescription(name: "a")
      table.columns = [.definition(NewColumnDescription(name: "x"))]
      for (index, value) in values.enumerated() {
        var column = NewColumnDescription(name: "c\(index)")
        column.defaultValue = .value(value)
        table.columns.append(.definition(column))
      }
      try connection.apply(.createTable(table))
      try connection.run("INSERT INTO a(x) VALUES (1)")
      try expect("the values", connection.rows("SELECT * FROM a"), is: [[.integer(1)] + values])
    },
    .onConnection(155, "Creating a table that exists fails, unless the change allows it.") { connection in
      try connection.apply(.createTable(authorTable))
      try connection.run("INSERT INTO author(email) VALUES ('a')")
      try expectError(from: "creating it again") { try connection.apply(.createTable(authorTable)) }
      var table = authorTable
      table.options = .ifNotExists
      try connection.apply(.createTable(table))
      try expect("the number of rows", connection.count("author"), is: 1)
    },
    .onConnection(156, "A table's foreign keys are created as defined, for one column and for several.") { connection in
      try connection.run("CREATE TABLE place(a, b, PRIMARY KEY(a, b)); CREATE TABLE owner(id INTEGER PRIMARY KEY)")
      var owner = NewColumnDescription(name: "ownerId", type: .integer)
      owner.references = [NewForeignKeyDescription(table: "owner", onDelete: .cascade)]
      var table = NewTableDescription(name: "house")
      table.columns = [owner, NewColumnDescription(name: "x"), NewColumnDescription(name: "y")].map {
        .definition($0)
      }
      table.foreignKeys = [
        NewForeignKeyDescription(
          columns: ["x", "y"], table: "place", destinationColumns: ["a", "b"], isDeferred: true)
      ]
      try connection.apply(.createTable(table))
      let found = Set(try connection.foreignKeys(on: "house").map { [$0.destinationTable] + $0.originColumns })
      try expect("the keys", found, is: [["owner", "ownerId"], ["place", "x", "y"]])
      try connection.run("INSERT INTO owner VALUES (1); INSERT INTO house(ownerId) VALUES (1); DELETE FROM owner")
      try expect("the number of rows after a cascade", connection.count("house"), is: 0)
      try connection.begin(.immediate)
      try connection.run("INSERT INTO house(x, y) VALUES (1, 2); INSERT INTO place VALUES (1, 2)")
      try connection.commit()
    },
    .onConnection(157, "STRICT and WITHOUT ROWID tables are created as such, or rejected as unsupported.") {
      connection in
      var key = NewColumnDescription(name: "k", type: .integer)
      key.keys = [.primary(autoincrement: false, onConflict: nil)]
      key.notNull = .init()
      var table = NewTableDescription(name: "a", options: .withoutRowID)
      table.columns = [.definition(key)]
      try connection.apply(.createTable(table))
      try expectError(.statement, from: "reading the rowid") { _ = try connection.rows("SELECT rowid FROM a") }
      table.name = "b"
      table.options = .strict
      do {
        try connection.apply(.createTable(table))
      } catch let error as DatabaseError where error.condition == .unsupported {
        try expect("the ability strictTables", connection.engine.abilities.contains(.strictTables), is: false)
        return
      }
      try connection.run("CREATE TABLE c AS SELECT 1")
      try connection.expectError(running: "INSERT INTO b VALUES ('x')")
    },
    .onConnection(158, "A temporary table is not part of the database.") { connection in
      var table = NewTableDescription(name: "a", options: .temporary)
      table.columns = [.definition(NewColumnDescription(name: "x"))]
      try connection.apply(.createTable(table))
      try connection.run("INSERT INTO a VALUES (1)")
      try expect("the tables", connection.names(), is: [])
    },
    .onConnection(159, "A renamed table keeps its rows, indexes and triggers, and the foreign keys that refer to it.") {
      connection in
      try connection.run(
        """
        CREATE TABLE parent(id INTEGER PRIMARY KEY, x); CREATE INDEX i ON parent(x); INSERT INTO parent VALUES (1, 2);
        CREATE TABLE log(x); CREATE TRIGGER t AFTER INSERT ON parent BEGIN INSERT INTO log VALUES (NEW.x); END;
        CREATE TABLE child(parentId REFERENCES parent); INSERT INTO child VALUES (1)
        """)
      try connection.apply(.renameTable(name: "parent", newName: "two words"))
      try connection.run("INSERT INTO \"two words\" VALUES (2, 3)")
      try expect("the rows", connection.integers("SELECT x FROM \"two words\" ORDER BY id"), is: [2, 3])
      try expect("the trigger's work", connection.integers("SELECT x FROM log"), is: [3])
      try expect("the index's table", connection.schema().object(.index, named: "i")?.tableName, is: "two words")
      let keys = try connection.foreignKeys(on: "child").map(\.destinationTable)
      try expect("the table that the foreign key refers to", keys, is: ["two words"])
      try expect("the violations", connection.violations(), is: [])
    },
    .onConnection(
      160, "A dropped table is removed with its indexes and triggers; a missing one is an error unless allowed."
    ) { connection in
      try connection.run(
        "CREATE TABLE a(x); CREATE INDEX i ON a(x); CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END")
      try connection.apply(.dropTable(name: "a", ifExists: false))
      try expect("the objects", connection.schema().objects, is: [])
      try connection.apply(.dropTable(name: "a", ifExists: true))
      try expectError(from: "dropping it again") { try connection.apply(.dropTable(name: "a", ifExists: false)) }
    },
    .onConnection(161, "Indexes are created as defined (unique, partial, on expressions) and dropped.") { connection in
      try connection.run("CREATE TABLE a(x, y)")
      var index = NewIndexDescription(
        name: "an index", table: "a", columns: [.column("x"), .sql("y COLLATE NOCASE DESC")], isUnique: true,
        condition: "x > 0")
      try connection.apply(.createIndex(index))
      try connection.run("INSERT INTO a VALUES (0, 'b'), (0, 'b'), (1, 'b')")
      try connection.expectError(.constraint(.unique), running: "INSERT INTO a VALUES (1, 'B')")
      try expectError(from: "creating it again") { try connection.apply(.createIndex(index)) }
      index.ifNotExists = true
      try connection.apply(.createIndex(index))
      try connection.apply(.dropIndex(name: "an index", ifExists: false))
      try expect("the indexes", connection.names(.index), is: [])
      try connection.apply(.dropIndex(name: "an index", ifExists: true))
      try expectError(from: "dropping it again") { try connection.apply(.dropIndex(name: "an index", ifExists: false)) }
    },
  ]

  private static let authorTable: NewTableDescription = {
    var id = NewColumnDescription(name: "id", type: .integer)
    id.keys = [.primary(autoincrement: true, onConflict: nil)]
    var email = NewColumnDescription(name: "email", type: .text)
    email.keys = [.unique(onConflict: nil)]
    email.notNull = .init()
    email.collation = "NOCASE"
    var age = NewColumnDescription(name: "age", type: .integer)
    age.checks = ["age >= 0"]
    age.index = .init()
    var table = NewTableDescription(name: "author")
    table.columns = [id, email, age, NewColumnDescription(name: "note")].map { .definition($0) }
    return table
  }()
}
