import Migrator

@testable import MigratorCommand

/// A simulated terminal with typed input, for tools that run in the test's process.
final class Terminal: Sendable {
  private let typed: Lock<[String]>
  private let printed = Lock("")
  private let meanwhile: @Sendable () -> Void

  /// Creates a terminal on which these lines are typed, one for each question.
  ///
  /// - Parameter meanwhile: What happens while a question is open.
  init(typing lines: [String] = [], meanwhile: @escaping @Sendable () -> Void = {}) {
    typed = Lock(lines)
    self.meanwhile = meanwhile
  }

  /// Everything that was printed, including questions and errors.
  var text: String { printed.withLock { $0 } }

  /// The lines that no question has used.
  var left: [String] { typed.withLock { $0 } }

  /// The environment of a tool on this terminal.
  func environment(variables: [String: String] = ["NO_COLOR": "1"]) -> ToolEnvironment {
    ToolEnvironment(
      variable: { variables[$0] }, isInputTerminal: true, isOutputTerminal: true, isErrorTerminal: true,
      writeOutput: { [self] text in
        printed.withLock { $0 += text }
        return 0
      },
      writeError: { [self] text in printed.withLock { $0 += text } },
      readLine: { [self] in
        meanwhile()
        return next()
      },
      readSecret: { [self] question in
        printed.withLock { $0 += question }
        return next().map { line in
          var bytes = Array(line.utf8)
          return ToolSecret(consuming: &bytes)
        }
      },
      now: { 1_700_000_000 })
  }

  private func next() -> String? { typed.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
