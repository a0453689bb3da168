internal import Synchronization

/// What the statements of one connection share with it.
///
/// It breaks the cycle between a database, which keeps statements for reuse, and the statements.
final class StatementContext {
  let engine: EngineDescription
  let showsArguments: Bool

  private let connection: any DatabaseConnection

  /// Set from any thread when the access that runs now is to end.
  let cancellation = AccessCancellation()
  /// Whether statements run although the access was cancelled: what was done before that is kept.
  var isFinishing = false

  /// The error of statements that run without an open transaction; nil when they need none.
  ///
  /// Set by migrations: an engine ends a transaction by itself upon some errors, and what ran afterwards would stay.
  var errorOutsideTransaction: (any Error)?

  /// Shows a statement to the inspector of the migration that runs; nil when there is none.
  private(set) var inspect: ((_ sql: String) throws -> Void)?
  /// Another number whenever the inspector is another one.
  private(set) var inspection = 0
  /// The runs over rows that have not ended; each takes itself out when it does.
  var runs: [Unmanaged<StatementRun>] = []
  /// The number of runs of statements so far.
  private(set) var runCount = 0

  /// Called before a statement runs, each time, and told whether it is a backend's own; throws to end the access.
  ///
  /// Set by rehearsals, which write down what ran.
  var trace: ((_ statement: any DatabaseStatement, _ isTrusted: Bool) throws -> Void)?

  /// Called after a schema change was made; set by rehearsals.
  var didChangeSchema: ((_ change: SchemaChange, _ method: SchemaChangeStatements.Method) -> Void)?

  init(_ connection: any DatabaseConnection, showsArguments: Bool) {
    self.connection = connection
    engine = connection.engine
    self.showsArguments = showsArguments
  }

  /// Ends the runs that somebody has kept beyond their access, so that their rows refer to nothing of the engine's.
  func endRuns() {
    while let run = runs.last { run.takeUnretainedValue().end() }
  }

  /// Has statements inspected, those too that were prepared before; nil ends it.
  func setInspection(_ inspect: ((_ sql: String) throws -> Void)?) {
    inspection &+= 1
    self.inspect = inspect
  }

  /// Checks that a statement may run now.
  @inline(__always)
  func willRun(_ statement: any DatabaseStatement) throws {
    try checkCancellation()
    runCount &+= 1
    if let errorOutsideTransaction, !connection.isInsideTransaction { throw errorOutsideTransaction }
    if let trace { try trace(statement, false) }
  }

  /// Ends the access when its task was cancelled.
  @inline(__always)
  func checkCancellation() throws(CancellationError) {
    if cancellation.isRequested, !isFinishing { throw CancellationError() }
  }

  func error(_ condition: DatabaseError.Condition, _ message: String, remedy: String? = nil, sql: String? = nil)
    -> DatabaseError
  {
    DatabaseError(condition, engine: engine.name, message: message, remedy: remedy, sql: sql)
  }
}

/// A flag that ends an access at its next statement.
final class AccessCancellation: Sendable {
  private static let none = 0
  private static let requested = 1
  private static let noticed = 2

  private let state = Atomic(none)

  /// Whether the access is to end.
  ///
  /// The access itself asks, and ends then: from now on it is known to have noticed.
  var isRequested: Bool {
    guard state.load(ordering: .relaxed) != Self.none else { return false }
    state.store(Self.noticed, ordering: .relaxed)
    return true
  }

  /// Whether the access has asked, and is about to end: what it still does, such as a rollback, is not to be disturbed.
  var isNoticed: Bool { state.load(ordering: .relaxed) == Self.noticed }

  func request() { _ = state.compareExchange(expected: Self.none, desired: Self.requested, ordering: .relaxed) }
  func reset() { state.store(Self.none, ordering: .relaxed) }

  func check() throws(CancellationError) {
    if isRequested { throw CancellationError() }
  }
}
