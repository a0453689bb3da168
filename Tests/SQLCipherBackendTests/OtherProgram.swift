import Foundation
import TestEngines

/// Third-party programs that write databases, and read those that this library has written.
enum OtherProgram: String, CaseIterable, Sendable {
  /// Debian's shell of SQLite.
  case sqlite = "sqlite3"
  /// Debian's shell of SQLCipher.
  case sqlCipher = "sqlcipher"
  /// Python's own module.
  case python = "python3"
  /// The Python package with SQLCipher 4, which `Tools/setup` unpacks.
  case pythonSQLCipher = "python3 sqlcipher3"

  /// The programs that use encrypted files.
  static let encrypting: [OtherProgram] = [.sqlCipher, .pythonSQLCipher]

  /// The newest format that the program supports.
  var newestFormat: Int { self == .sqlCipher ? Self.shellVersion : 4 }

  /// The major version of the shell, whose own format it is: 3 in Debian 12, 4 in Debian 13.
  private static let shellVersion =
    (try? sqlCipher.run(":memory:", "PRAGMA cipher_version")).flatMap { Int($0.prefix { $0 != "." }) } ?? 3

  /// Returns the pragmas that the program needs after the key to use a format.
  func pragmas(format: Int) -> String {
    guard newestFormat == 3 else { return "PRAGMA cipher_compatibility = \(format);" }
    return switch format {
    case 1: "PRAGMA cipher_use_hmac = OFF; PRAGMA kdf_iter = 4000;"
    case 2: "PRAGMA kdf_iter = 4000;"
    default: ""
    }
  }

  /// Runs statements on a database, and returns the lines of the rows, without what the program prints about the key.
  ///
  /// - Parameter settings: The pragmas after the key.
  @discardableResult
  func run(_ path: String, _ script: String, key: String? = nil, settings: String = "") throws -> String {
    let opening = (key.map { "PRAGMA key = \"\($0)\";" } ?? "") + settings
    let run =
      switch self {
      case .sqlite, .sqlCipher:
        try ProgramRun(
          ["/usr/bin/env", rawValue, "-batch", "-bail", path],
          input: ".output /dev/null\n\(opening)\n.output stdout\n\(script);\n")
      case .python, .pythonSQLCipher:
        // Scripts are shorter than a pipe's buffer, and the program reads them to the end before it writes much.
        try ProgramRun(
          [
            "/usr/bin/env", "python3", "-c", Self.runner, self == .python ? "sqlite3" : "sqlcipher3", path, opening,
            BuiltEngines.pythonModules,
          ], input: script)
      }
    guard run.exitCode == 0 else { throw Failure(complaint: run.errors) }
    return run.output.trimmingCharacters(in: .newlines)
  }

  /// The error output of a program that failed.
  struct Failure: Error { let complaint: String }

  /// A script with the behavior of the shells: statements in, rows out.
  private static let runner = """
    import sys, importlib
    sys.path.insert(0, sys.argv[4])
    module = importlib.import_module(sys.argv[1] + ".dbapi2")
    connection = module.connect(sys.argv[2], isolation_level=None)
    connection.text_factory = bytes
    connection.executescript(sys.argv[3])
    text = ""
    for part in sys.stdin.read().split(";"):
        text += part + ";"
        if not module.complete_statement(text): continue
        for row in connection.execute(text):
            sys.stdout.buffer.write(b"|".join(v if isinstance(v, bytes) else str(v).encode() for v in row) + b"\\n")
        text = ""
    connection.close()
    """
}
