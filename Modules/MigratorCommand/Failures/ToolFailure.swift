/// Why a command ended without doing what was asked for: what the user reads, and the exit code.
package struct ToolFailure: Error, Sendable {
  /// A place in a file, with the line as it stands there.
  package struct Place: Sendable, Equatable {
    /// The file's path.
    package var path: String
    /// The line, from 1; nil when the whole file is meant.
    package var line: Int?
    /// The column in characters, from 1; nil when the whole line is meant.
    package var column: Int?
    /// The line's text; nil when it is not to be shown.
    package var text: String?
    /// The statement's number within its file and the count of statements; nil when it is not about one.
    package var statement: (number: Int, count: Int)?

    /// Compares everything that is shown.
    package static func == (one: Place, other: Place) -> Bool {
      one.path == other.path && one.line == other.line && one.column == other.column && one.text == other.text
        && one.statement?.number == other.statement?.number && one.statement?.count == other.statement?.count
    }
  }

  /// The exit code.
  package var exitCode: ExitCode
  /// What happened, without a full stop.
  package var what: String
  /// The migration that it is about; nil when it is about none.
  package var migration: String?
  /// Where it happened.
  package var place: Place?
  /// Why it happened: the engine's own words, where there are some.
  package var why: [String] = []
  /// What was undone and what stays.
  package var rolledBack: String?
  /// What to do next, as sentences.
  package var remedy: String?
  /// The migrations that were applied before the failure.
  package var applied: [String] = []
  /// The failures that this one sums up, which are told before it.
  package var parts: [ToolFailure] = []

  /// A command line that cannot be understood.
  static func usage(_ what: String, why: String? = nil, remedy: String? = nil) -> ToolFailure {
    ToolFailure(exitCode: .usage, what: what, why: why.map { [$0] } ?? [], remedy: remedy)
  }

  /// Something that the tool will not do.
  static func refused(_ what: String, why: [String] = [], remedy: String) -> ToolFailure {
    ToolFailure(exitCode: .refused, what: what, why: why, remedy: remedy)
  }
}
