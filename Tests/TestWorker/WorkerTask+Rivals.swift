import Migrator
import TestEngines

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension WorkerTask {
  /// Waits for a line on the standard input, then migrates alongside other programs, and prints what it committed, or
  /// that it refused to erase the database.
  static func migrate(_ engine: TestEngine, _ path: String, beside rival: RivalMigrator) throws {
    print("ready")
    fflush(nil)
    _ = readLine()
    let dbQueue = try DatabaseQueue(engine.backend(path: path))
    do {
      try rival.migrator.run(dbQueue) { event in
        if case .committed(let identifier, _, _, _) = event { print("committed \(identifier)") }
        if case .erased = event { print("erased") }
      }
    } catch MigrationError.erasureRefused {
      print("refused")
    }
    try dbQueue.close()
  }
}
