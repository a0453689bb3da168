#if !canImport(Darwin)
  internal import Synchronization
#endif

/// A prepared statement, for use inside the access that created it.
public final class Statement {
  let prepared: any DatabaseStatement
  let context: StatementContext
  /// The names of the result's columns, in order; empty if the statement returns no rows.
  public private(set) var columnNames: [String]
  /// Whether a cursor is iterating over the statement's rows, in which case the statement must not be run again.
  var isInUse = false

  private let parameterCount: Int
  /// The value of `StatementContext.inspection` when this statement was last examined.
  private var inspection: Int
  /// The bound values; empty unless the configuration makes values public in errors.
  private var boundValues: [DatabaseValue] = []

  init(_ prepared: any DatabaseStatement, context: StatementContext) {
    self.prepared = prepared
    self.context = context
    parameterCount = prepared.parameterCount
    inspection = context.inspection
    columnNames = prepared.columnNames
  }

  /// The statement's text.
  public var sql: String { prepared.sql }
  /// Whether running the statement leaves the database unchanged.
  public var isReadOnly: Bool { prepared.isReadOnly }

  /// Runs the statement to its end and ignores the rows that it returns.
  ///
  /// - Throws: ``DatabaseError``, in which case the statement's changes are undone, unless the statement specifies
  ///   otherwise (`OR FAIL`).
  public func execute(arguments: StatementArguments = []) throws {
    try begin()
    try bindAll(arguments)
    try finish()
  }

  /// Runs the statement to its end with values in the order of its parameters: `execute(values: 1, "Arthur", 2.5)`.
  ///
  /// - Parameter values: The values for all parameters; pass ``DatabaseValue/null`` for NULL.
  /// - Throws: ``DatabaseError``, as ``execute(arguments:)`` does.
  @inlinable
  @inline(__always)
  public func execute<each Value: DatabaseValueConvertible>(values: repeat each Value) throws {
    // Without an intermediate array, a million rows take two thirds of the time, and inlined where the types are known,
    // 6 % less (workload W3 of Tools/bench).
    try begin()
    var count = 0
    repeat try bind((each values).databaseValue, counting: &count)
    try finish(binding: count)
  }

  @usableFromInline
  func begin() throws {
    guard !isInUse else {
      throw context.error(
        .misuse, "the statement is already running", remedy: "Finish its cursor before you run it again.", sql: sql)
    }
    if inspection != context.inspection {
      // The inspector of another migration examined the statement, or none did.
      try context.inspect?(sql)
      inspection = context.inspection
    }
    try context.willRun(prepared)
    if context.showsArguments { boundValues.removeAll(keepingCapacity: true) }
  }

  /// Runs the statement to its end; throws if `count`, the number of bound values, is not the number of parameters.
  @usableFromInline
  func finish(binding count: Int) throws {
    guard count == parameterCount else { throw count < parameterCount ? missingValue(at: count) : wrongCount(count) }
    try finish()
  }

  func finish() throws {
    defer {
      prepared.reset()
      context.limit?.statementEnds()
    }
    while try step(into: UnsafeMutableBufferPointer(start: nil, count: 0)) {}
  }

  /// Runs the statement up to its next row; errors contain the bound values if the configuration makes them public.
  @inline(__always)
  func step(into row: UnsafeMutableBufferPointer<ColumnValue>) throws -> Bool {
    do throws(DatabaseError) {
      return try prepared.step(into: row)
    } catch {
      throw complete(error)
    }
  }

  /// Reads the column names again at the first row of a run, and returns whether they have changed.
  ///
  /// If the schema has changed, the engine prepares the statement again at the first step, and `SELECT *` may return
  /// other columns (https://www.sqlite.org/c3ref/column_name.html).
  func noticeNewColumns() -> Bool {
    let names = prepared.columnNames
    guard names != columnNames else { return false }
    columnNames = names
    return true
  }

  @inline(never)
  private func complete(_ error: DatabaseError) -> any Error {
    if error.condition == .interrupted, context.cancellation.isRequested { return CancellationError() }
    if error.condition == .interrupted, let limit = context.limit, limit.isExceeded {
      return limit.error(context.engine, sql: sql)
    }
    var error = error
    if context.showsArguments { error.arguments = boundValues }
    return error
  }
}

extension Statement {
  func bindAll(_ arguments: StatementArguments) throws {
    var used = 0
    try bind(arguments, used: &used)
    let count = arguments.positional.count
    guard used == count else { throw wrongCount(count) }
  }

  /// Binds values to all parameters; `used` counts the positional values that the statements of a script have used.
  func bind(_ arguments: StatementArguments, used: inout Int) throws {
    for index in 0..<parameterCount {
      if !arguments.named.isEmpty, let name = prepared.parameterName(at: index), let named = arguments.named[name] {
        try bind(named, at: index)
      } else if used < arguments.positional.count {
        try bind(arguments.positional[used], at: index)
        used += 1
      } else {
        throw missingValue(at: index)
      }
    }
  }

  /// Binds the next value and counts it; values beyond the last parameter are only counted.
  @usableFromInline
  func bind(_ value: DatabaseValue, counting count: inout Int) throws {
    if count < parameterCount { try bind(value, at: count) }
    count += 1
  }

  private func missingValue(at index: Int) -> DatabaseError {
    let name = prepared.parameterName(at: index).map { "\"\($0)\"" } ?? "number \(index + 1)"
    return context.error(
      .misuse, "no value was given for parameter \(name)", remedy: "Pass a value, or nil for NULL.", sql: sql)
  }

  private func wrongCount(_ count: Int) -> DatabaseError {
    context.error(
      .misuse, "\(count) values were given for \(parameterCount) parameters",
      remedy: "Pass as many values as the statement has parameters.", sql: sql)
  }

  @inline(__always)
  private func bind(_ value: DatabaseValue, at index: Int) throws {
    try prepared.bind(value, at: index)
    if context.showsArguments { boundValues.append(value) }
  }
}

/// The state that a ``Database`` shares with its statements, so that cached statements need not retain the `Database`.
final class StatementContext {
  let engine: EngineDescription
  let showsArguments: Bool

  private let connection: any DatabaseConnection

  /// The cancellation of the running access, which any thread may request.
  let cancellation = AccessCancellation()

  /// The error to throw if a statement runs without an open transaction; nil to let it run.
  ///
  /// Migrations set this error, because some failures make the engine end the transaction on its own: later statements
  /// would then take effect outside a transaction.
  var errorOutsideTransaction: (any Error)?

  /// The function that passes a statement to the inspector of the running migration; nil if there is none.
  private(set) var inspect: ((_ sql: String) throws -> Void)?
  /// A number that changes whenever the inspector changes.
  private(set) var inspection = 0
  /// The cursors that have not ended; each removes itself from this list when it ends.
  var cursors: [Unmanaged<RowCursor>] = []
  private(set) var runCount = 0
  var limit: StatementLimit?
  /// The statements that were not run; nil unless the database is confined.
  var skippedStatements: [String]?
  /// A function set by rehearsals, called before each run of a statement; `isTrusted` is true if a backend issued the
  /// statement.
  private(set) var trace: Trace?
  typealias Trace = (_ statement: any DatabaseStatement, _ isTrusted: Bool) throws -> Void

  /// The tables to which schema changes have added foreign keys; a run of migrations empties the set.
  private(set) var referringTables: Set<String> = []

  init(_ connection: any DatabaseConnection, showsArguments: Bool) {
    self.connection = connection
    engine = connection.engine
    self.showsArguments = showsArguments
  }

  /// Ends the cursors that the application still retains after an access, so that their rows no longer refer to the
  /// engine's memory.
  func endCursors() {
    while let cursor = cursors.last { cursor.takeUnretainedValue().end() }
  }

  /// Sets the function that examines statements, including those prepared earlier; nil removes it.
  func setInspection(_ inspect: ((_ sql: String) throws -> Void)?) {
    inspection &+= 1
    self.inspect = inspect
  }

  func tracing<Value>(with trace: Trace?, _ body: () throws -> Value) rethrows -> Value {
    let outer = self.trace
    self.trace = trace
    defer { self.trace = outer }
    return try body()
  }

  func noteReference(from table: String) { referringTables.insert(table) }
  func forgetReferences() { referringTables.removeAll() }

  @inline(__always)
  func willRun(_ statement: any DatabaseStatement) throws {
    try checkCancellation()
    runCount &+= 1
    // Does not retain the error before it is thrown (2 % of W3).
    if errorOutsideTransaction != nil { try requireTransaction() }
    if let trace { try trace(statement, false) }
    limit?.statementBegins()
  }

  /// Throws an error if the transaction of a migration has ended: the connection's, or ``errorOutsideTransaction``.
  @inline(__always)
  func requireTransaction() throws {
    if !connection.isInsideTransaction { try failOutsideTransaction() }
  }

  @inline(never)
  private func failOutsideTransaction() throws {
    guard let error = errorOutsideTransaction else { return }
    // The engine rolls back by itself when it has no memory, and the connection reports that at its next use.
    _ = try connection.userVersion()
    throw error
  }

  // Untyped: a typed error of another module reserves stack space in each statement (3 % of W3).
  @inline(__always)
  func checkCancellation() throws {
    if cancellation.isRequested, !cancellation.isFinishing { throw CancellationError() }
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

  private let state = SharedNumber()

  /// Whether the access should end.
  ///
  /// Only the access itself reads this property. If the value is true, reading it marks the cancellation as noticed.
  var isRequested: Bool {
    guard state.current != Self.none else { return false }
    state.current = Self.noticed
    return true
  }

  /// Whether the access has noticed the cancellation and is about to end: its remaining work, such as a rollback, must
  /// not be interrupted.
  var isNoticed: Bool { state.current == Self.noticed }

  /// Whether the access runs statements that a cancellation neither prevents nor interrupts, so that completed work can be
  /// saved or reported.
  var isFinishing: Bool {
    get { finishing.current != 0 }
    set { finishing.current = newValue ? 1 : 0 }
  }

  private let finishing = SharedNumber()

  func request() { state.change(from: Self.none, to: Self.requested) }
  func reset() { state.current = Self.none }

  func check() throws(CancellationError) {
    if isRequested { throw CancellationError() }
  }
}

/// A number that threads share, for code that runs with each statement, where a lock would take a few percent of the time.
///
/// On Apple platforms, it has a lock, because `Atomic` requires macOS 15 or iOS 18.
private final class SharedNumber: Sendable {
  #if canImport(Darwin)
    private let value = Lock(0)

    var current: Int {
      get { value.withLock { $0 } }
      set { value.withLock { $0 = newValue } }
    }

    func change(from expected: Int, to new: Int) { value.withLock { if $0 == expected { $0 = new } } }
  #else
    private let value = Atomic(0)

    var current: Int {
      get { value.load(ordering: .relaxed) }
      set { value.store(newValue, ordering: .relaxed) }
    }

    func change(from expected: Int, to new: Int) {
      _ = value.compareExchange(expected: expected, desired: new, ordering: .relaxed)
    }
  #endif
}
