internal import Migrator
internal import SQLSyntax

extension BackendContract {
  static let erasingChecks: [BackendCheck] = [
    .onDatabase(
      200, "Erasing removes every object and counter, if there are any, and keeps the user version and application ID."
    ) { database in
      try database.withConnection { connection in
        try connection.erase()
        try expect("the objects of the empty database", connection.schema().objects, is: [])
        try connection.fill()
        try connection.setUserVersion(5)
        try connection.setApplicationID(6)
        try connection.erase()
        try expect("the objects", connection.schema().objects, is: [])
        try expect("userVersion", connection.userVersion(), is: 5)
        try expect("applicationID", connection.applicationID(), is: 6)
      }
      try database.withConnection { connection in
        try expect("the objects after opening again", connection.schema().objects, is: [])
        try connection.fill()
        try connection.erase()
        try connection.run(
          "CREATE TABLE parent(id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO parent(x) VALUES (1)")
        try expect("the first number of AUTOINCREMENT", connection.integers("SELECT id FROM parent"), is: [1])
      }
    },
    .onConnection(201, "Erasing that is rolled back removes nothing.", .withoutForeignKeys) { connection in
      try connection.fill()
      let before = try connection.schema()
      try connection.begin(.immediate)
      try connection.eraseEverything()
      try connection.rollback()
      let after = try connection.schema()
      try expect("the objects", after.objects.map(\.name), is: before.objects.map(\.name))
      try expect("the schema", after, is: before)
      try expect("the number of rows", connection.count("parent"), is: 2)
      try connection.run("INSERT INTO parent(x) VALUES (3)")
    },
    .onConnection(204, "Erasing removes virtual tables with their shadow tables.") { connection in
      try connection.createFullTextTable()
      try connection.run("INSERT INTO f VALUES ('a b')")
      try connection.erase()
      try expect("the objects", connection.schema().objects, is: [])
    },
    .onConnection(205, "Views and triggers that refer to missing objects do not prevent erasing.") {
      connection in
      try connection.run(
        """
        CREATE TABLE a(x); CREATE VIEW v AS SELECT * FROM nowhere;
        CREATE TRIGGER t AFTER DELETE ON a BEGIN DELETE FROM nowhere; END; INSERT INTO a VALUES (1)
        """)
      try connection.erase()
      try expect("the objects", connection.schema().objects, is: [])
    },
    .onConnection(
      207, "Erasing stays within its transaction, and removes the engine's statistics.", .withoutForeignKeys
    ) { connection in
      try connection.fill()
      try connection.run("ANALYZE")
      try connection.begin(.immediate)
      try connection.eraseEverything()
      try expect("isInsideTransaction", connection.isInsideTransaction, is: true)
      try connection.run("CREATE TABLE a(x)")
      try connection.commit()
      try expect("the tables", connection.names(), is: ["a"])
      try expect("enforcesForeignKeys", connection.enforcesForeignKeys(), is: false)
    },
    .onTwoConnections(208, "Another connection sees the erased database, and can use it.") {
      first, second in
      try first.fill()
      try expect("the number of rows", second.count("parent"), is: 2)
      try first.erase()
      try expect("the objects", second.schema().objects, is: [])
      try second.fill()
    },
  ]
}

extension DatabaseConnection {
  /// Creates objects of all kinds that depend on each other.
  fileprivate func fill() throws {
    try run(
      """
      CREATE TABLE parent(id INTEGER PRIMARY KEY AUTOINCREMENT, x UNIQUE, childId REFERENCES child);
      CREATE TABLE child(id INTEGER PRIMARY KEY, parentId NOT NULL REFERENCES parent ON DELETE RESTRICT);
      CREATE INDEX child_on_parentId ON child(parentId);
      INSERT INTO parent(id, x) VALUES (100, 1), (101, 2); INSERT INTO child VALUES (1, 100); UPDATE parent SET childId = 1;
      CREATE TABLE key(k PRIMARY KEY) WITHOUT ROWID; INSERT INTO key VALUES (1);
      CREATE VIEW v AS SELECT * FROM parent JOIN child; CREATE VIEW w AS SELECT * FROM v;
      CREATE TRIGGER t BEFORE DELETE ON parent BEGIN SELECT RAISE(ABORT, 'kept'); END;
      CREATE TRIGGER u INSTEAD OF INSERT ON w BEGIN INSERT INTO parent(x) VALUES (1); END;
      """)
    for name in BackendContract.unusualNames { try run("CREATE TABLE \(name.quotedIdentifier)(x)") }
  }

  /// Erases the database in the same way as the core.
  fileprivate func erase() throws {
    let enforced = try enforcesForeignKeys()
    try setEnforcesForeignKeys(false)
    try begin(.immediate)
    try eraseEverything()
    try commit()
    try setEnforcesForeignKeys(enforced)
  }
}
