internal import Foundation
internal import Migrator
internal import SQLCipherBackend
internal import SQLiteBackend
internal import SQLiteEngine

/// The options of the command line.
struct Options: Sendable {
  /// Whether to use a fiftieth of the rows, for a run of less than a minute.
  private(set) var isQuick = false
  /// The number of processes for each series.
  private(set) var rounds = 9
  /// The workloads to run, such as W3; all when empty.
  private(set) var only: Set<String> = []
  private(set) var printsJSONOnly = false
  /// The SQLite that both programs load.
  private(set) var library = ""
  /// The libraries for W8 and W9.
  private(set) var encryptingLibraries: [EncryptingLibrary] = []

  static let help = """
    usage: Tools/bench [--quick] [--rounds N] [--only W3,W6] [--library PATH] [--json]

      --quick         a fiftieth of the rows, seven rounds: less than a minute
      --rounds N      processes for each series, 15 times as many for W10; default 9, fewer than 7 are unreliable
      --only NAMES    workloads to run: W1 (with W7 and W11), W2, W3, W4, W5, W6, W8, W9, W10, W12, W13, W14
      --library PATH  the SQLite to measure; default: the system's
      --json          print JSON without the table
    """

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    var given: String?
    while let argument = rest.popFirst() {
      switch argument {
      case "--quick": (isQuick, rounds) = (true, 7)
      case "--json": printsJSONOnly = true
      case "--rounds":
        guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else { throw Usage() }
        rounds = number
      case "--only":
        guard let names = rest.popFirst() else { throw Usage() }
        only = Set(names.split(separator: ",").map(String.init))
      case "--library":
        guard let path = rest.popFirst() else { throw Usage() }
        given = path
      default: throw Usage()
      }
    }
    library = try EngineLibrary.load(.sqlite, from: EngineSource(libraryPath: given)).path
    encryptingLibraries = EncryptingLibrary.found()
  }

  /// Returns the number of rows, or a fiftieth of it with `--quick`.
  func scaled(_ count: Int) -> Int { isQuick ? count / 50 : count }

  func wants(_ workload: Workload) -> Bool {
    only.isEmpty || workload.name.split(separator: ", ").contains { only.contains(String($0)) }
  }

  /// The command line is not valid.
  struct Usage: Error {}
}

/// A SQLCipher library on this machine.
struct EncryptingLibrary: Sendable {
  var name: String
  var path: String

  /// Returns the system's library, and the one that `Tools/setup` puts into the build folder.
  static func found() -> [EncryptingLibrary] {
    let built = ProcessInfo.processInfo.environment["BENCHMARK_SQLCIPHER4"]
    return ([nil] + (built.map { [$0] } ?? [])).compactMap { path in
      // A missing library is not measured.
      guard let library = try? EngineLibrary.load(.sqlCipher, from: EngineSource(libraryPath: path)) else { return nil }
      let version = library.cipherVersion.map { String($0.prefix { $0 != " " }) } ?? ""
      return EncryptingLibrary(name: "SQLCipher \(version)", path: path ?? library.path)
    }
  }
}
