internal import Migrator

extension BackendContract {
  /// A table `item` with all the properties that a rebuild must retain.
  fileprivate static let shop = """
    CREATE TABLE kind(id INTEGER PRIMARY KEY); INSERT INTO kind VALUES (1), (5);
    CREATE TABLE item(
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, kind INTEGER REFERENCES kind, price INTEGER, amount INTEGER);
    INSERT INTO item VALUES (10, 'a', 1, 4, 5), (20, NULL, 1, 2, NULL), (30, NULL, NULL, NULL, NULL);
    DELETE FROM item WHERE id = 30;
    CREATE TABLE sale(item INTEGER REFERENCES item ON DELETE CASCADE); INSERT INTO sale VALUES (10);
    CREATE TABLE log(x);
    CREATE INDEX item_by_price ON item(price DESC) WHERE price > 0;
    CREATE TRIGGER item_log AFTER DELETE ON item BEGIN INSERT INTO log VALUES (OLD.id); END;
    CREATE VIEW names AS SELECT id, name FROM item
    """

  static let rebuildChecks: [BackendCheck] = [
    .onShop(162, "A changed column has its new type, default, collation and CHECK, and keeps its values.") {
      connection in
      try connection.alter([
        .changeColumn(
          name: "name",
          ColumnChange([.type("VARCHAR(9)"), .defaultValue(.value(.text("none"))), .collation("NOCASE")])),
        .changeColumn(name: "price", ColumnChange([.addCheck("price >= 0")])),
      ])
      let column = try connection.columns(in: "item")?.first { $0.name == "name" }
      try expect("the declared type", column?.declaredType, is: "VARCHAR(9)")
      try expect("the names", connection.rows("SELECT name FROM item ORDER BY id"), is: [[.text("a")], [.null]])
      try expect("the comparison", connection.count("item", "name = 'A'"), is: 1)
      try connection.run("INSERT INTO item(id, price) VALUES (50, 1)")
      try expect("the default", connection.count("item", "id = 50 AND name = 'none'"), is: 1)
      try connection.expectError(.constraint(.check), running: "INSERT INTO item(price) VALUES (-1)")
      try connection.alter([.changeColumn(name: "price", ColumnChange([.dropChecks]))])
      try connection.run("INSERT INTO item(price) VALUES (-1)")
    },
    .onShop(163, "A column that becomes NOT NULL replaces NULL with its default or the given expression, or fails.") {
      connection in
      let notNull = ColumnChange([.notNull(.init())])
      let before = try connection.rows("SELECT * FROM item ORDER BY id")
      // Engines need not report the kind of a constraint that existing rows violate.
      try expectError(.constraint(.notNull), .constraint(.other), from: "NULL without a default") {
        try connection.alter([.changeColumn(name: "name", notNull)])
      }
      try expect("the rows", connection.rows("SELECT * FROM item ORDER BY id"), is: before)
      try connection.alter([
        .changeColumn(name: "name", ColumnChange(notNull.properties, copying: "coalesce(name, 'number ' || id)")),
        .changeColumn(name: "amount", ColumnChange([.defaultValue(.value(.integer(7)))] + notNull.properties)),
      ])
      try expect(
        "the rows", connection.rows("SELECT name, amount FROM item ORDER BY id"),
        is: [[.text("a"), .integer(5)], [.text("number 20"), .integer(7)]])
      try connection.expectError(.constraint(.notNull), running: "INSERT INTO item(name) VALUES (NULL)")
      try connection.alter([.changeColumn(name: "name", ColumnChange([.notNull(nil)]))])
      try connection.run("INSERT INTO item(name) VALUES (NULL)")
    },
    .onShop(164, "An added constraint applies to new rows, and existing rows that violate it are an error.") {
      connection in
      let unique = TableAlterationDescription.addConstraint(.unique(TableKey(columns: ["kind"])))
      try expectError(.constraint(.unique), from: "duplicate values") { try connection.alter([unique]) }
      try expectError(.constraint(.check), .constraint(.other), from: "a row that violates it") {
        try connection.alter([.addConstraint(.check("price < 3"))])
      }
      try connection.alter([
        .addConstraint(.check("price < 10")), .addConstraint(.unique(TableKey(columns: ["kind", "price"]))),
        .addConstraint(.foreignKey(NewForeignKeyDescription(columns: ["amount"], table: "kind", onDelete: .setNull))),
      ])
      try connection.expectError(.constraint(.check), running: "INSERT INTO item(price) VALUES (10)")
      try connection.expectError(
        .constraint(.unique), running: "INSERT INTO item(kind, price) SELECT kind, price FROM item")
      try expect("the keys", Set(connection.foreignKeys(on: "item").map(\.originColumns)), is: [["kind"], ["amount"]])
    },
    .onShop(165, "A dropped constraint no longer applies, and the others do.") {
      connection in
      try connection.alter([
        .addConstraint(.check(NewCheckDescription("price <> 77", name: "named"))),
        .addConstraint(.check("price <> 88")), .addConstraint(.unique(TableKey(columns: ["price"]))),
      ])
      try connection.alter([
        .dropConstraint(.named("named")), .dropConstraint(.unique(["price"])), .dropConstraint(.foreignKey(["kind"])),
      ])
      try connection.run("INSERT INTO item(price) VALUES (77), (77)")
      try expect("the keys", connection.foreignKeys(on: "item").count, is: 0)
      try connection.expectError(.constraint(.check), running: "INSERT INTO item(price) VALUES (88)")
      try expectError(from: "dropping a missing constraint") {
        try connection.alter([.dropConstraint(.named("named"))])
      }
    },
    .onShop(166, "A new primary key replaces the old one, and rows keep their values.") { connection in
      try connection.run("UPDATE item SET name = 'b' WHERE name IS NULL")
      let before = try connection.rows("SELECT name, id, price FROM item ORDER BY name")
      try connection.alter([.setPrimaryKey(TableKey(columns: [.descending("name"), "id"]))])
      let columns = try connection.columns(in: "item") ?? []
      try expect("the key", columns.first { $0.name == "name" }?.primaryKeyIndex, is: 1)
      try expect("the key", columns.first { $0.name == "id" }?.primaryKeyIndex, is: 2)
      try expect("the rows", connection.rows("SELECT name, id, price FROM item ORDER BY name"), is: before)
      try connection.expectError(
        .constraint(.primaryKey), .constraint(.unique), running: "INSERT INTO item(name, id) VALUES ('b', 20)")
      try connection.alter([.setPrimaryKey(nil)])
      try expect("the key", connection.columns(in: "item")?.filter { $0.primaryKeyIndex > 0 }.count, is: 0)
    },
    .onShop(167, "Columns are in the requested order, followed by the others, each with its values.") {
      connection in
      try connection.alter([.reorderColumns(["price", "name"])])
      try expect(
        "the columns", connection.columns(in: "item")?.map(\.name), is: ["price", "name", "id", "kind", "amount"])
      try expect(
        "the first row", connection.rows("SELECT * FROM item ORDER BY id").first,
        is: [.integer(4), .text("a"), .integer(10), .integer(1), .integer(5)])
    },
    .onShop(168, "A recreated table has its new definition, and keeps the values of the columns that remain.") {
      connection in
      var table = NewTableDescription(name: "item")
      var id = NewColumnDescription(name: "id", type: .integer)
      id.keys = [.primary(autoincrement: true, onConflict: nil)]
      var name = NewColumnDescription(name: "name", type: .text)
      name.notNull = .init()
      var kind = NewColumnDescription(name: "kind", type: .integer)
      kind.references = [NewForeignKeyDescription(table: "kind")]
      var new = NewColumnDescription(name: "new", type: .integer)
      new.defaultValue = .value(.integer(3))
      table.columns = [id, kind, new, name, NewColumnDescription(name: "price", type: .integer)].map {
        .definition($0)
      }
      try connection.applyOrSkip(.recreateTable(table, copying: ["name": "ifnull(name, 'number ' || id)"]))
      try expect(
        "the rows", connection.rows("SELECT * FROM item ORDER BY id"),
        is: [
          [.integer(10), .integer(1), .integer(3), .text("a"), .integer(4)],
          [.integer(20), .integer(1), .integer(3), .text("number 20"), .integer(2)],
        ])
      try connection.run("DELETE FROM item WHERE id > 10; INSERT INTO item(name) VALUES ('next')")
      try expect("the next number", connection.integers("SELECT max(id) FROM item"), is: [31])
    },
    .onShop(169, "Indexes, triggers, views and foreign keys to a table survive changes of its columns and constraints.")
    {
      connection in
      let before = try connection.schema()
      for step in [
        TableAlterationDescription.reorderColumns(["name"]),
        .addConstraint(.unique(TableKey(columns: ["id", "name"]))),
        .changeColumn(name: "price", ColumnChange([.type(.real)])),
      ] {
        try connection.alter([step])
        for object in before.objects where object.kind != .table && object.sql != nil {
          let kept = try connection.schema().object(object.kind, named: object.name)
          try expect("\(object.kind.rawValue) \(object.name) after \(step)", kept?.sql, is: object.sql)
        }
        try expect("the keys to it", connection.foreignKeys(on: "sale").map(\.destinationTable), is: ["item"])
        try expect("the view's rows", connection.count("names"), is: 2)
      }
      try connection.run("DELETE FROM item WHERE id = 20")
      try expect("the trigger's work", connection.integers("SELECT x FROM log"), is: [20])
    },
  ]
}

extension BackendCheck {
  /// Returns a check with a connection that does not enforce foreign keys; the database contains a table `item`.
  fileprivate static func onShop(
    _ number: Int, _ sentence: String, _ body: @escaping @Sendable (any DatabaseConnection) throws -> Void
  ) -> BackendCheck {
    .onConnection(number, sentence, .withoutForeignKeys, filledBy: BackendContract.shop, body)
  }
}

extension DatabaseConnection {
  fileprivate func alter(_ steps: [TableAlterationDescription]) throws { try alter("item", steps) }
}
