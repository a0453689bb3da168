extension Database {
  /// Runs `body` with an inspector that sees each statement before it runs, inside the open transaction.
  func inspecting(_ inspector: any StatementInspector, _ body: () throws -> Void) throws {
    // Statements that were prepared earlier would not pass the inspector.
    statementCache.removeAll()
    self.inspector = inspector
    // Weak, since the context outlives a database only in statements that must not be used any more.
    context.willRun = { [weak self] in
      guard self?.connection.isInsideTransaction ?? false else { throw MigrationError.transactionEnded }
    }
    defer {
      self.inspector = nil
      context.willRun = nil
    }
    try body()
  }

  /// Ends the access when its task was cancelled.
  func checkCancellation() throws { try context.cancellation.check() }
}
