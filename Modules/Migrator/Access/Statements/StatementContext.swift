internal import Synchronization

/// What the statements of one connection share with it.
///
/// It breaks the cycle between a database, which keeps statements for reuse, and the statements.
final class StatementContext {
  let engine: EngineDescription
  let showsArguments: Bool

  /// Set from any thread when the access that runs now is to end.
  let cancellation = AccessCancellation()

  /// Called before a statement runs, each time; throws to refuse it.
  ///
  /// Set by migrations.
  var willRun: (() throws -> Void)?

  init(engine: EngineDescription, showsArguments: Bool) {
    self.engine = engine
    self.showsArguments = showsArguments
  }

  func error(_ condition: DatabaseError.Condition, _ message: String, remedy: String? = nil, sql: String? = nil)
    -> DatabaseError
  {
    DatabaseError(condition, engine: engine.name, message: message, remedy: remedy, sql: sql)
  }
}

/// A flag that ends an access at its next statement.
final class AccessCancellation: Sendable {
  private let flag = Atomic(false)

  var isRequested: Bool { flag.load(ordering: .relaxed) }
  func request() { flag.store(true, ordering: .relaxed) }
  func reset() { flag.store(false, ordering: .relaxed) }

  func check() throws(CancellationError) {
    if isRequested { throw CancellationError() }
  }
}
