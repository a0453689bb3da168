extension Database {
  /// Runs `body` with an inspector that sees each statement before it runs, inside the open transaction.
  func inspecting(_ inspector: any StatementInspector, _ body: () throws -> Void) throws {
    // What a statement touches is looked at when it is prepared.
    statementCache.removeAll()
    self.inspector = inspector
    context.setInspection { [unowned self] sql in try inspect(sql, isTrusted: false) }
    context.errorOutsideTransaction = inspector.errorOutsideTransaction
    defer {
      self.inspector = nil
      context.setInspection(nil)
      context.errorOutsideTransaction = nil
    }
    try body()
  }

  /// Prepares a statement under the inspector's eyes.
  func prepare(_ script: String, utf8Offset: Int) throws -> Preparation {
    guard let inspector else { return try connection.prepare(script, utf8Offset: utf8Offset) }
    inspector.willPrepare()
    do {
      return try connection.prepare(script, utf8Offset: utf8Offset)
    } catch {
      // What failed first is what the caller must know; what is not looked at now counts against the migration.
      try? untraced { try inspector.didFailToPrepare(script) }
      throw error
    }
  }

  /// Shows a statement to the inspector, whose own statements are not traced.
  func inspect(_ sql: String, isTrusted: Bool) throws {
    guard let inspector else { return }
    try untraced { try inspector.willRun(sql, isTrusted: isTrusted) }
  }

  private func untraced(_ body: () throws -> Void) rethrows {
    let trace = context.trace
    context.trace = nil
    defer { context.trace = trace }
    try body()
  }

  /// Whether the task of this access was cancelled.
  var isCancelled: Bool { context.cancellation.isRequested }

  /// Ends the access when its task was cancelled.
  func checkCancellation() throws { try context.checkCancellation() }

  /// Runs `body`, which keeps what was done, or tells others of it, also when the task of this access was cancelled.
  func finishing(_ body: () throws -> Void) rethrows {
    let wasFinishing = context.isFinishing
    context.isFinishing = true
    defer { context.isFinishing = wasFinishing }
    try body()
  }
}
