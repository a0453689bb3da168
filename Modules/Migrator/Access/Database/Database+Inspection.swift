extension Database {
  /// Runs `body` with an inspector that sees each statement before it runs, inside the open transaction.
  func inspecting(_ inspector: any StatementInspector, _ body: () throws -> Void) throws {
    // Statements that were prepared earlier would not pass the inspector.
    statementCache.removeAll()
    self.inspector = inspector
    context.requiresTransaction = true
    defer {
      self.inspector = nil
      context.requiresTransaction = false
    }
    try body()
  }

  /// Shows a statement to the inspector, whose own statements are not traced.
  func inspect(_ sql: String, isTrusted: Bool) throws {
    guard let inspector else { return }
    let trace = context.trace
    context.trace = nil
    defer { context.trace = trace }
    try inspector.willRun(sql, isTrusted: isTrusted)
  }

  /// Whether the task of this access was cancelled.
  var isCancelled: Bool { context.cancellation.isRequested }

  /// Ends the access when its task was cancelled.
  func checkCancellation() throws { try context.cancellation.check() }
}
