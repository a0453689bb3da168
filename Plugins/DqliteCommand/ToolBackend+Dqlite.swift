internal import DqliteBackend
internal import Migrator
public import MigratorCommand

extension ToolBackend {
  /// The backend for databases of a dqlite cluster, whose address is `dqlite:HOST:PORT,HOST:PORT/NAME`.
  public static let dqlite = ToolBackend(name: "dqlite", isServed: true) { location throws(DatabaseError) in
    let parts = location.path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw DatabaseError(
        .misuse, engine: "dqlite", message: "\"\(location.path)\" does not name a database of a cluster",
        remedy: "Write dqlite:HOST:PORT,HOST:PORT/NAME, such as dqlite:10.0.0.1:9001/app.")
    }
    return Dqlite(addresses: parts[0].split(separator: ",").map(String.init), database: String(parts[1]))
  }
}
