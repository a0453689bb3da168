internal import Migrator

extension BackendContract {
  static let openingChecks: [BackendCheck] = [
    .onConnection(1, "A new database is empty and writable.") { connection in
      try expect("isReadOnly", connection.isReadOnly, is: false)
      try expect("the schema", connection.schema().objects, is: [])
      try expect("userVersion", connection.userVersion(), is: 0)
      try expect("applicationID", connection.applicationID(), is: 0)
      try expect("isInsideTransaction", connection.isInsideTransaction, is: false)
      try connection.run("CREATE TABLE a(x)")
    },
    BackendCheck(2, "Committed changes are present when the database is reopened.") { backend in
      let location = try backend.newLocation()
      try backend.makeBackend(location).withConnection { try $0.run("CREATE TABLE a(x); INSERT INTO a VALUES (7)") }
      try backend.makeBackend(location).withConnection { connection in
        try expect("the stored value", connection.integers("SELECT x FROM a"), is: [7])
      }
    },
    .onTwoConnections(3, "The engine reports its name and its version, the same on each connection.") { first, second in
      try expect(!first.engine.name.isEmpty && !first.engine.version.isEmpty, "name or version is empty")
      try expect("the second connection's engine", second.engine, is: first.engine)
    },
    .onDatabase(4, "Connections of one backend are independent: one can be closed while another works.") { database in
      try database.withConnection { first in
        try first.run("CREATE TABLE a(x)")
        try database.withConnection { second in
          try second.begin(.deferred)
          try expect("the other connection's isInsideTransaction", first.isInsideTransaction, is: false)
        }
        try first.run("INSERT INTO a VALUES (1)")
        try expect("the number of rows", first.count("a"), is: 1)
      }
    },
    .onDatabase(5, "Closing rolls back an open transaction.") { database in
      try database.withConnection { try $0.run("CREATE TABLE a(x)") }
      try database.withConnection { connection in
        try connection.begin(.immediate)
        try connection.run("INSERT INTO a VALUES (1)")
      }
      try database.withConnection { try expect("the number of rows", $0.count("a"), is: 0) }
    },
    .onConnection(6, "Closing twice does nothing.") { connection in
      try connection.close()
      try connection.close()
    },
    .onDatabase(7, "Foreign keys are enforced from the start exactly when the options request it.") { database in
      for wanted in [true, false] {
        try database.withConnection(ConnectionOptions(enforcesForeignKeys: wanted)) { connection in
          try expect("enforcesForeignKeys", connection.enforcesForeignKeys(), is: wanted)
        }
      }
    },
    .onDatabase(8, "A read-only connection reads, reports that it is read-only, and fails as readOnly when it writes.")
    {
      database in
      try database.withConnection { try $0.run("CREATE TABLE a(x); INSERT INTO a VALUES (1)") }
      try database.withConnection(ConnectionOptions(isReadOnly: true)) { connection in
        try expect("isReadOnly", connection.isReadOnly, is: true)
        try expect("the number of rows", connection.count("a"), is: 1)
        try connection.expectError(.readOnly, running: "INSERT INTO a VALUES (2)")
        try expectError(.readOnly, from: "setUserVersion") { try connection.setUserVersion(3) }
      }
      try database.withConnection { try expect("the number of rows", $0.count("a"), is: 1) }
    },
    .onTwoConnections(
      9, "With a write-ahead log, a reader does not prevent a writer from committing.", .impatient.journal(.wal),
      readerDoesNotBlockWriter),
    .onDatabase(10, "Without a journal mode in the options, the database keeps its current one.") { database in
      // Keeps a connection open, since a database file may lose its mode when its last connection is closed.
      try database.withConnection(.impatient.journal(.wal)) { first in
        try database.withConnection(.impatient) { second in try readerDoesNotBlockWriter(first, second) }
      }
    },
    BackendCheck(11, "A location name may contain spaces, quotes, percent signs and non-ASCII letters.") {
      backend in
      let name = "a b'c\"%20?mode=memory#ü.db"
      let location = try backend.newLocation(named: name)
      try backend.makeBackend(location).withConnection { try $0.run("CREATE TABLE a(x)") }
      if backend.locationsAreFiles {
        let names = try TestFiles.names(beside: location)
        try expect(names.contains(name), "the files are \(names)")
      }
      try backend.makeBackend(location).withConnection { try expect("the tables", $0.names(), is: ["a"]) }
    },
    BackendCheck(12, "A database without a location is empty, writable, and discarded with its connection.") {
      backend in
      let database: any DatabaseBackend
      do {
        database = try backend.makeBackend(nil)
      } catch let error as DatabaseError where error.condition == .unsupported {
        throw BackendCheckSkipped("each of its databases has a location")
      }
      for _ in 1...2 {
        try database.withConnection { connection in
          try expect("the tables", connection.names(), is: [])
          try connection.run("CREATE TABLE a(x); INSERT INTO a VALUES (1)")
          try expect("the number of rows", connection.count("a"), is: 1)
        }
      }
    },
    BackendCheck(13, "Connections share one database exactly when the backend reports it.") { backend in
      var databases = [try backend.newBackend()]
      // A backend whose databases all have a location has no other kind.
      if let placeless = try? backend.makeBackend(nil) { databases.append(placeless) }
      for database in databases {
        try database.withConnection { connection in
          try connection.run("CREATE TABLE a(x)")
          try database.withConnection { other in
            try expect("the tables of another connection", other.names(), is: database.isShared ? ["a"] : [])
          }
        }
      }
    },
  ]

  @Sendable private static func readerDoesNotBlockWriter(
    _ reader: any DatabaseConnection, _ writer: any DatabaseConnection
  ) throws {
    try writer.run("CREATE TABLE a(x); INSERT INTO a VALUES (1)")
    try reader.begin(.deferred)
    try expect("the number of rows", reader.count("a"), is: 1)
    try writer.begin(.immediate)
    try writer.run("INSERT INTO a VALUES (2)")
    try writer.commit()
    try expect("the number of rows that the reader's transaction sees", reader.count("a"), is: 1)
    try reader.rollback()
    try expect("the number of rows afterwards", reader.count("a"), is: 2)
  }
}
