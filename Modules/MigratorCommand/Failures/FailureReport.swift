/// A failure as JSON.
struct FailureReport: Encodable, Sendable {
  /// The failure itself.
  struct Failure: Encodable, Sendable {
    /// The exit code.
    var exitCode: Int32
    /// What happened.
    var what: String
    /// The migration; nil when it is not about one.
    var migration: String?
    /// The file, nil when it is not about one.
    var file: String?
    /// The line, from 1.
    var line: Int?
    /// The column, from 1.
    var column: Int?
    /// The statement's number within its file, from 1.
    var statement: Int?
    /// Why it happened.
    var why: [String]
    /// What was undone and what stays.
    var rolledBack: String?
    /// What to do next.
    var next: String?
    /// The migrations that were applied before the failure, and stay.
    var applied: [String]
    /// The failures that this one sums up.
    var parts: [Failure]

    /// Creates the form of a failure.
    init(_ failure: ToolFailure) {
      exitCode = failure.exitCode.rawValue
      what = failure.what
      migration = failure.migration
      file = failure.place?.path
      line = failure.place?.line
      column = failure.place?.column
      statement = failure.place?.statement?.number
      why = failure.why
      rolledBack = failure.rolledBack
      next = failure.remedy
      applied = failure.applied
      parts = failure.parts.map(Failure.init)
    }
  }

  /// The version of this format.
  var format = 1
  /// The command, nil when none was understood.
  var command: String?
  /// The failure.
  var error: Failure

  /// Creates the report of a failure.
  init(_ failure: ToolFailure, command: String?) {
    self.command = command
    error = Failure(failure)
  }
}
