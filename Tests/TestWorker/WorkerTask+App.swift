import Migrator
import MigratorCommand
import SQLCipherCommand
import SQLiteCommand
import TestEngines

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension WorkerTask {
  /// Runs the tool of an app in whose place this program is: each line of a file stands for a migration in Swift, or for a
  /// rename, `renames:OLD=NEW`.
  static func runApp(migrations path: String, _ arguments: [String]) throws {
    guard let file = fopen(path, "r") else { fail("no migrations") }
    var migrator = DatabaseMigrator()
    while let line = readLine(of: file) {
      let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { continue }
      if parts[0] == "renames" {
        let names = parts[1].split(separator: "=").map(String.init)
        migrator.erasure = .keepingRows(renames: [names[0]: names[1]])
        continue
      }
      migrator.registerMigration(parts[0]) { db in try db.execute(sql: parts[1]) }
    }
    fclose(file)
    let tool = MigratorTool(name: "app-database", migrator: migrator, backends: [.sqlite, .sqlCipher])
    exit(tool.run(arguments: arguments))
  }

  private static func readLine(of file: UnsafeMutablePointer<FILE>) -> String? {
    var bytes = [CChar](repeating: 0, count: 4096)
    guard fgets(&bytes, Int32(bytes.count), file) != nil else { return nil }
    return String(decoding: bytes.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
