import Foundation
import TestEngines

/// Third-party programs that write databases before conversions and read them afterwards.
enum OtherProgram: String, CaseIterable {
  /// Debian's shell of SQLite.
  case sqlite = "sqlite3"
  /// Debian's shell of SQLCipher.
  case sqlCipher = "sqlcipher"
  /// Python's own module.
  case python = "python3"
  /// The Python package with SQLCipher 4, which `Tools/setup` unpacks.
  case pythonSQLCipher = "python3 sqlcipher3"

  /// The statement after the key with which Debian's shell uses format 3: the newest one of SQLCipher 3, not of 4.
  static let format3 =
    (try? sqlCipher.run(":memory:", "PRAGMA cipher_version;\n"))?.hasPrefix("3.") == true
    ? "" : "PRAGMA cipher_compatibility = 3"

  /// Whether the program reads encrypted files.
  var isEncrypting: Bool { self == .sqlCipher || self == .pythonSQLCipher }

  /// Runs statements on a database, and returns the lines of the rows.
  func run(_ path: String, _ script: String) throws -> String {
    switch self {
    case .sqlite, .sqlCipher:
      return try Self.output(["/usr/bin/env", rawValue, "-batch", "-bail", path], input: script)
    case .python:
      return try Self.output(["/usr/bin/env", "python3", "-c", Self.runner, "sqlite3", path], input: script)
    case .pythonSQLCipher:
      return try Self.output(
        ["/usr/bin/env", "python3", "-c", Self.runner, "sqlcipher3", path, BuiltEngines.pythonModules], input: script)
    }
  }

  /// A script with the behavior of the shells: statements in, rows out.
  private static let runner = """
    import sys, importlib
    if len(sys.argv) > 3: sys.path.insert(0, sys.argv[3])
    module = importlib.import_module(sys.argv[1] + ".dbapi2")
    connection = module.connect(sys.argv[2], isolation_level=None)
    connection.text_factory = bytes
    text = ""
    for part in sys.stdin.read().split(";"):
        text += part + ";"
        if not module.complete_statement(text): continue
        for row in connection.execute(text):
            sys.stdout.buffer.write(b"|".join(v if isinstance(v, bytes) else str(v).encode() for v in row) + b"\\n")
        text = ""
    connection.close()
    """

  /// The error output of a program that failed.
  struct Failure: Error { let complaint: String }

  private static func output(_ arguments: [String], input: String) throws -> String {
    // Scripts are shorter than a pipe's buffer, and the programs read them to the end before they write much.
    let run = try ProgramRun(arguments, input: input)
    guard run.exitCode == 0 else { throw Failure(complaint: run.errors) }
    return run.output
  }
}
