internal import Migrator

extension BackendContract {
  static let openingFailureChecks: [BackendCheck] = [
    BackendCheck(
      20, "A missing file (read-only), missing folder or folder fails as fileMissing, folderMissing or isDirectory."
    ) { backend in
      try backend.requireFiles()
      let location = try backend.newLocation()
      try expectError(.fileMissing, from: "connect") { try backend.open(location, isReadOnly: true) }
      try expect("the files beside it", TestFiles.names(beside: location), is: [])
      let folder = location.containingFolder + "/missing"
      try expectError(.folderMissing, from: "connect") { try backend.open(folder + "/database.db") }
      try expect(!TestFiles.exists(folder), "the folder was created")
      try TestFiles.createFolder(location)
      try expectError(.isDirectory, from: "connect") { try backend.open(location) }
    },
    BackendCheck(
      23, "Random bytes, text, and a database with a damaged first page are rejected on opening and stay unchanged."
    ) { backend in
      try backend.requireFiles()
      let text = String(repeating: "This text is not a database.\n", count: 300)
      for bytes in [TestFiles.noise(16384), Array(text.utf8)] {
        let location = try backend.newLocation()
        try TestFiles.write(bytes, to: location)
        try expectRefusal(of: location, by: backend)
      }
      let location = try backend.newLocation()
      try backend.makeBackend(location).withConnection { connection in
        try connection.run("CREATE TABLE a(x)")
        for _ in 1...20 { try connection.run("INSERT INTO a VALUES (randomblob(1000))") }
      }
      var bytes = try TestFiles.bytes(location)
      bytes.replaceSubrange(0..<100, with: TestFiles.noise(100))
      try TestFiles.write(bytes, to: location)
      try expectRefusal(of: location, by: backend)
    },
    BackendCheck(26, "A read-only file is opened for reading, and the connection reports it.") { backend in
      try backend.requireFiles()
      let location = try backend.newLocation()
      try backend.makeBackend(location).withConnection { try $0.run("CREATE TABLE a(x)") }
      try TestFiles.setPermissions(0o444, of: location)
      try require(
        !TestFiles.isWritable(location), orSkip: "this user can write to every file: run the check as another user")
      try backend.makeBackend(location).withConnection { connection in
        try expect("isReadOnly", connection.isReadOnly, is: true)
        try expect("the number of rows", connection.count("a"), is: 0)
        try connection.expectError(.readOnly, running: "INSERT INTO a VALUES (1)")
      }
    },
    BackendCheck(27, "A wrong key fails as wrongKey, and the file stays unchanged.") { backend in
      let makeOther = try require(backend.makeBackendWithAnotherKey, orSkip: "it has no keys")
      let location = try backend.newLocation()
      try backend.makeBackend(location).withConnection { try $0.run("CREATE TABLE a(x); INSERT INTO a VALUES (1)") }
      let bytes = backend.locationsAreFiles ? try TestFiles.bytes(location) : []
      for isReadOnly in [false, true] {
        try expectError(.wrongKey, from: "connect with another key") {
          try makeOther(location).withConnection(ConnectionOptions(isReadOnly: isReadOnly)) { _ in }
        }
      }
      if backend.locationsAreFiles { try expect(TestFiles.bytes(location) == bytes, "the file was changed") }
      try backend.makeBackend(location).withConnection { try expect("the number of rows", $0.count("a"), is: 1) }
    },
    BackendCheck(28, "After a failure to open, the same location opens once the cause is gone.") { backend in
      try backend.requireFiles()
      let folder = try backend.newLocation().containingFolder + "/later"
      let database = try backend.makeBackend(folder + "/database.db")
      try expectError(from: "connect") { try database.withConnection { _ in } }
      try TestFiles.createFolder(folder)
      try database.withConnection { try $0.run("CREATE TABLE a(x)") }
    },
  ]

  static let lockWaitChecks: [BackendCheck] = [
    .onDatabase(
      30, "A connection waits for a lock until the busy timeout, without one not at all, and fails as busy."
    ) { database in
      try database.withConnection { first in
        try first.begin(.immediate)
        for (timeout, least, most) in [(0, 0, 1000), (300, 250, 5000)] {
          try database.withConnection(ConnectionOptions(busyTimeout: .milliseconds(timeout))) { second in
            let duration = try ContinuousClock().measure {
              _ = try expectError(.busy, from: "begin") { try second.begin(.immediate) }
            }
            let isInTime = duration >= .milliseconds(least) && duration < .milliseconds(most)
            try expect(isInTime, "with a timeout of \(timeout) ms, it failed after \(duration)")
          }
        }
        try first.rollback()
      }
    },
    .onTwoConnections(
      32, "A lock that is released during the busy timeout is acquired.", ConnectionOptions(busyTimeout: .seconds(10))
    ) { first, second in
      try first.begin(.immediate)
      let holder = Handover(first)
      // If this fails, the other connection times out, so the check fails as well.
      let release = BackgroundWork(after: .milliseconds(100)) { try? holder.value.rollback() }
      defer { release.wait() }
      try second.begin(.immediate)
      try second.rollback()
    },
  ]

  private static func expectRefusal(of location: String, by backend: BackendUnderTest) throws {
    let bytes = try TestFiles.bytes(location)
    for isReadOnly in [true, false] {
      try expectError(.notADatabase, .wrongKey, .corrupt, from: "connect") {
        try backend.open(location, isReadOnly: isReadOnly)
      }
      try expect(TestFiles.bytes(location) == bytes, "the file was changed")
    }
  }
}
