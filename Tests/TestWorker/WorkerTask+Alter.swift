import Migrator
import TestEngines

extension WorkerTask {
  /// Changes column `c` of a table in a migration, like an app; prints `refused` when the library rejects the change.
  static func alter(_ engine: TestEngine, _ path: String, table: String, change: String) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("change") { db in
      try db.alter(table: table) { t in
        switch change {
        case "rename": t.rename(column: "c", to: "renamed")
        case "type": t.change(column: "c") { c in c.type(.text) }
        case "drop": t.drop(column: "c")
        default: fail("unknown change")
        }
      }
    }
    let dbQueue = try DatabaseQueue(engine.backend(path: path))
    do {
      try migrator.migrate(dbQueue)
    } catch MigrationError.failed(let failure) {
      let isRefused = (failure.underlying as? DatabaseError)?.condition == .unsupported
      fail("\(isRefused ? "refused" : "error"): \(failure)")
    }
    try dbQueue.close()
  }
}
