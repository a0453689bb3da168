internal import Foundation
internal import Migrator

extension BackendContract {
  static let scratchChecks: [BackendCheck] = [
    .onDatabase(
      210, "A scratch database is empty, writable, of the same engine, and independent of all other databases."
    ) { database in
      try database.withConnection { connection in
        try connection.run("CREATE TABLE a(x)")
        try database.scratch().withConnection { scratch in
          try expect("the objects", scratch.schema().objects, is: [])
          try expect("the engine", scratch.engine, is: connection.engine)
          try expect("isReadOnly", scratch.isReadOnly, is: false)
          try scratch.run("CREATE TABLE b(x); INSERT INTO b VALUES (1)")
          try expect("the number of rows", scratch.count("b"), is: 1)
          try scratch.setUserVersion(9)
          try expect("the database's tables", connection.names(), is: ["a"])
          try expect("the database's userVersion", connection.userVersion(), is: 0)
          try connection.run("CREATE TABLE c(x)")
          try expect("the scratch database's tables", scratch.names(), is: ["b"])
          try database.scratch().withConnection { try expect("another's tables", $0.names(), is: []) }
        }
      }
    },
    BackendCheck(
      212, "A scratch database is discarded when its connection is closed, and leaves no file beside its database."
    ) {
      backend in
      let location = try backend.newLocation()
      let database = try backend.makeBackend(location)
      let scratch = try database.scratch()
      for _ in 1...2 {
        try scratch.withConnection { connection in
          try expect("the tables", connection.names(), is: [])
          try connection.run("CREATE TABLE a(x)")
        }
      }
      if backend.locationsAreFiles { try expect("the files", TestFiles.names(beside: location), is: []) }
    },
    .onDatabase(214, "A scratch database has transactions, foreign keys and schema changes like any other.") {
      database in
      try database.scratch().withConnection { connection in
        try expect("enforcesForeignKeys", connection.enforcesForeignKeys(), is: true)
        try connection.setEnforcesForeignKeys(false)
        try connection.begin(.immediate)
        try connection.run("CREATE TABLE a(x REFERENCES nowhere); INSERT INTO a VALUES (1)")
        try expect("the number of violations", connection.violations().count, is: 1)
        try connection.apply(.renameTable(name: "a", newName: "b"))
        try connection.rollback()
        try expect("the tables", connection.names(), is: [])
      }
    },
    BackendCheck(215, "The scratch database of an encrypted database writes nothing readable beside it.") { backend in
      try backend.requireFiles()
      let location = try backend.newLocation()
      let marker = "another sentence that must stay secret"
      try backend.makeBackend(location).scratch().withConnection { connection in
        try require(connection.engine.abilities.contains(.encryption), orSkip: "the engine does not encrypt")
        try connection.run("CREATE TABLE a(x)")
        try connection.begin(.immediate)
        for _ in 1...300 {
          try connection.run("INSERT INTO a VALUES (?)", [.text(String(repeating: marker, count: 300))])
        }
        try expect("files that contain it", TestFiles.names(holding: marker, beside: location), is: [])
        try connection.commit()
        try expect("files that contain it", TestFiles.names(holding: marker, beside: location), is: [])
      }
    },
    BackendCheck(
      216, "The stored bytes, written to a file, are the committed database, in each journal mode."
    ) {
      backend in
      try backend.requireFiles()
      let noise = Data(TestFiles.noise(5000))
      for mode in JournalMode.allCases {
        let copy = try backend.newLocation()
        let source = try backend.newBackend()
        try source.withConnection(ConnectionOptions(journalMode: mode)) { connection in
          let reader = try require(connection.storedBytesReader, orSkip: "the engine cannot read the stored bytes")
          try connection.run("CREATE TABLE a(x); INSERT INTO a VALUES (1)")
          for _ in 1...100 { try connection.run("INSERT INTO a VALUES (?)", [.blob(noise)]) }
          try connection.begin(.immediate)
          _ = try connection.schemaVersion()
          var bytes: [UInt8] = []
          try reader.read { bytes += $0 }
          try connection.rollback()
          try TestFiles.write(bytes, to: copy)
        }
        try backend.makeBackend(copy).withConnection { connection in
          try expect("the rows in mode \(mode)", connection.count("a"), is: 101)
          try expect("the integrity", connection.rows("PRAGMA integrity_check"), is: [[.text("ok")]])
        }
      }
    },
  ]
}
