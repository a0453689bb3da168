internal import Foundation
internal import Migrator

extension BackendContract {
  static let replacementChecks: [BackendCheck] = [
    BackendCheck(
      197, "A file that is to be replaced alone contains the database, and no other connection can use it.",
      fileToReplace),
    BackendCheck(198, "Damage is found, and an intact database has none.") { backend in
      try backend.requireFiles()
      let location = try backend.newLocation()
      let database = try backend.makeBackend(location)
      try database.withConnection { connection in
        let reader = try require(connection.storedBytesReader, orSkip: "the engine cannot read the stored bytes")
        try connection.run("CREATE TABLE a(x); INSERT INTO a VALUES (1)")
        let noise = Data(TestFiles.noise(5000))
        for _ in 1...100 { try connection.run("INSERT INTO a VALUES (?)", [.blob(noise)]) }
        try expect("the damage", reader.damage(), is: nil)
      }
      var bytes = try TestFiles.bytes(location)
      let middle = bytes.count / 2
      for index in middle..<(middle + 20_000) { bytes[index] = 0xFF }
      try TestFiles.write(bytes, to: location)
      try database.withConnection { connection in
        var isFound = false
        do {
          isFound = try connection.storedBytesReader?.damage() != nil
        } catch let error as DatabaseError where error.condition == .corrupt {
          isFound = true
        }
        try expect(isFound, "the damage is not found")
      }
    },
  ]

  @Sendable private static func fileToReplace(_ backend: BackendUnderTest) throws {
    try backend.requireFiles()
    struct Stop: Error {}
    for mode in JournalMode.allCases {
      let location = try backend.newLocation()
      let database = try backend.makeBackend(location)
      try database.withConnection(.impatient.journal(mode)) { connection in
        let reader = try require(connection.storedBytesReader, orSkip: "the engine cannot read the stored bytes")
        try connection.run("CREATE TABLE a(x); INSERT INTO a VALUES (1)")
        if mode == .wal {
          try database.withConnection(.impatient) { other in
            try expect("the rows of another connection", other.count("a"), is: 1)
            try expectError(.busy, from: "replacing") { try reader.replacing {} }
          }
        }
        do {
          try reader.replacing {
            try expect("the files in mode \(mode)", TestFiles.names(beside: location).count, is: 1)
            try expect("the rows", connection.count("a"), is: 1)
            try expectError(.busy, from: "another connection") {
              try database.withConnection(.impatient) { _ = try $0.count("a") }
            }
            throw Stop()
          }
        } catch is Stop {}
        try expect("the mode afterwards", connection.rows("PRAGMA journal_mode"), is: [[.text(mode.rawValue)]])
        try connection.run("INSERT INTO a VALUES (2)")
        try database.withConnection { try expect("the rows", $0.count("a"), is: 2) }
      }
    }
  }
}
