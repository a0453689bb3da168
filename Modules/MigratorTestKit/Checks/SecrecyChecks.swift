internal import Migrator

extension BackendContract {
  static let secrecyChecks: [BackendCheck] = [
    BackendCheck(35, "No secret appears in a label, a description, or the error of a failed opening.") { backend in
      try require(!backend.secrets.isEmpty, orSkip: "it has no secrets")
      let database = try backend.newBackend()
      var texts = [database.label, "\(database)", String(reflecting: database)]
      var dumped = ""
      dump(database, to: &dumped)
      texts.append(dumped)
      if backend.locationsAreFiles {
        let location = try backend.newLocation()
        try TestFiles.write(TestFiles.noise(8192), to: location)
        let error = try expectError(from: "connect") { try backend.open(location) }
        texts += ["\(error)", String(reflecting: error)]
      }
      for secret in backend.secrets {
        for text in texts {
          try expect(!text.contains(secret), "a secret appears in a text of \(text.utf8.count) bytes")
        }
      }
    },
    BackendCheck(36, "An encrypted database writes nothing readable to disk, during a transaction and afterwards.") {
      backend in
      try backend.requireFiles()
      let marker = "a sentence that must stay secret"
      for mode in [JournalMode.delete, .wal] {
        let location = try backend.newLocation()
        try backend.makeBackend(location).withConnection(ConnectionOptions(journalMode: mode)) { connection in
          try require(connection.engine.abilities.contains(.encryption), orSkip: "the engine does not encrypt")
          try connection.run("CREATE TABLE \"\(marker)\"(x)")
          // Inserts more than fits in the engine's page cache, so that pages are written before the commit.
          try connection.begin(.immediate)
          let text = DatabaseValue.text(String(repeating: marker, count: 200))
          for _ in 1...600 { try connection.run("INSERT INTO \"\(marker)\" VALUES (?)", [text]) }
          try expect("files that contain it", TestFiles.names(holding: marker, beside: location), is: [])
          try connection.commit()
          try expect("files that contain it", TestFiles.names(holding: marker, beside: location), is: [])
        }
        try expect("files that contain it", TestFiles.names(holding: marker, beside: location), is: [])
        try expect(
          !TestFiles.bytes(location).starts(with: Array("SQLite format 3".utf8)),
          "the file has the header of a plain database")
      }
    },
  ]
}
