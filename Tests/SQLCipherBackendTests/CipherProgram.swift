import Foundation
import TestEngines

/// Third-party programs that create or read encrypted files.
enum CipherProgram: String, CaseIterable, Sendable {
  /// The shell of Debian's package `sqlcipher`: SQLCipher 3 or later.
  case shell
  /// Python with the module from the wheel `sqlcipher3`, SQLCipher 4.
  case python

  /// The newest format that the program supports.
  var newestFormat: Int { self == .shell ? Self.shellVersion : 4 }

  /// The major version of the shell, whose own format it is: 3 in Debian 12, 4 in Debian 13.
  private static let shellVersion =
    (try? shell.run("PRAGMA cipher_version", on: ":memory:")).flatMap { Int($0.prefix { $0 != "." }) } ?? 3

  /// The programs that are installed on this machine.
  static let present = allCases.filter { (try? $0.run("SELECT 1", on: ":memory:")) == "1" }

  /// Returns the pragmas that the program needs first to use a format.
  func pragmas(format: Int) -> String {
    guard newestFormat == 3 else { return "PRAGMA cipher_compatibility = \(format);" }
    return switch format {
    case 1: "PRAGMA cipher_use_hmac = OFF; PRAGMA kdf_iter = 4000;"
    case 2: "PRAGMA kdf_iter = 4000;"
    default: ""
    }
  }

  /// Runs a script on a file and returns its output, without the output of pragmas.
  @discardableResult
  func run(_ script: String, on path: String, key: String? = nil, settings: String = "") throws -> String {
    let prefix = (key.map { "PRAGMA key = \"\($0)\";" } ?? "") + settings
    let run =
      switch self {
      case .shell:
        try ProgramRun(
          ["/usr/bin/sqlcipher", "-batch", "-noheader", path],
          input: ".output /dev/null\n\(prefix)\n.output stdout\n\(script);\n", mergesErrors: true)
      case .python:
        try ProgramRun(
          ["/usr/bin/env", "python3", "-", BuiltEngines.pythonModules, path, prefix, script],
          input: Self.pythonScript, mergesErrors: true)
      }
    return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static let pythonScript = """
    import sys
    sys.path.insert(0, sys.argv[1])
    import sqlcipher3
    connection = sqlcipher3.connect(sys.argv[2], isolation_level=None)
    connection.executescript("PRAGMA cipher_log_level = NONE;" + sys.argv[3])
    for statement in sys.argv[4].split(";"):
        for row in connection.execute(statement): print("|".join(str(value) for value in row))
    """
}
