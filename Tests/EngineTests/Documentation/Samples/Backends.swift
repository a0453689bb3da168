import Migrator
import MigratorTestKit
import SQLiteBackend
import Testing

/// The samples of the guides for authors of backends; `MyBackend` stands for theirs.
enum Backends {
  typealias MyBackend = SQLite

  static func wholeContract(temporaryFolder: String) {
    // sample
    let backend = BackendUnderTest(name: "My engine", folder: temporaryFolder) { location in
      guard let location else {
        throw DatabaseError(.unsupported, engine: "My engine", message: "no database in memory")
      }
      return MyBackend(path: location)
    }
    for result in BackendContract.run(on: backend) where result.failure != nil { print(result) }
    // end of sample
  }

  static func rule(_ check: BackendCheck, _ backend: BackendUnderTest) {
    // sample
    let result = check.run(on: backend)
    #expect(result.failure == nil, "\(result)")
    // end of sample
  }
}
