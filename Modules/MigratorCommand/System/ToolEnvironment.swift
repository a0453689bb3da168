/// The world outside the tool: what it reads, where it writes, what time it is.
///
/// A value, so that tests run commands within their own process and see all that a user would see.
package struct ToolEnvironment: Sendable {
  /// The value of an environment variable; nil when it is not set.
  package var variable: @Sendable (_ name: String) -> String?
  /// Whether answers can be typed.
  package var isInputTerminal: Bool
  /// Whether the report goes to a terminal.
  package var isOutputTerminal: Bool
  /// Whether errors and questions go to a terminal.
  package var isErrorTerminal: Bool
  /// The columns of the terminal; 80 where there is none.
  package var width: Int
  /// Whether the terminal shows more than ASCII, as the variables of the locale say.
  var showsUnicode: Bool {
    // The first one that is set counts: https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html, 8.2.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty } ?? ""
    let folded = locale.lowercased()
    return folded.contains("utf-8") || folded.contains("utf8")
  }

  /// Prints to standard output; gives zero, or the system's error number.
  package var writeOutput: @Sendable (String) -> Int32
  /// Prints to standard error.
  package var writeError: @Sendable (String) -> Void
  /// Reads a line from standard input without its newline; nil at the end.
  package var readLine: @Sendable () -> String?
  /// Asks a question on the terminal, and reads a line without showing what is typed; nil at the end.
  package var readSecret: @Sendable (_ question: String) -> ToolSecret?
  /// Keeps the memory of a process that has read a key out of any core; does nothing where the process is somebody else's.
  var forbidCoreDump: @Sendable () -> Void = {}
  /// The seconds since 1970, UTC.
  package var now: @Sendable () -> Int

  /// Creates an environment with these variables and no others.
  package init(
    variables: [String: String], isInputTerminal: Bool, isOutputTerminal: Bool, isErrorTerminal: Bool, width: Int = 80,
    writeOutput: @escaping @Sendable (String) -> Int32, writeError: @escaping @Sendable (String) -> Void,
    readLine: @escaping @Sendable () -> String?, readSecret: @escaping @Sendable (_ question: String) -> ToolSecret?,
    now: @escaping @Sendable () -> Int
  ) {
    variable = { variables[$0] }
    self.isInputTerminal = isInputTerminal
    self.isOutputTerminal = isOutputTerminal
    self.isErrorTerminal = isErrorTerminal
    self.width = width
    self.writeOutput = writeOutput
    self.writeError = writeError
    self.readLine = readLine
    self.readSecret = readSecret
    self.now = now
  }
}
