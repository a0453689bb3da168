/// The operating system refused something.
struct SystemFailure: Error, Sendable {
  /// What was tried.
  let what: String
  /// The system's reason.
  let reason: String
  /// The system's error number.
  let number: Int32

  /// Creates a failure from an error number.
  init(_ what: String, _ number: Int32) {
    self.what = what
    self.number = number
    reason = SystemCalls.message(number)
  }

  /// Whether the name of a file is longer than the file system takes.
  var isNameTooLong: Bool { SystemCalls.isNameTooLong(number) }
}
