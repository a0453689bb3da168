/// A prepared statement, for use within the access that made it.
public final class Statement {
  let prepared: any DatabaseStatement
  let context: StatementContext
  let columns: RowColumns

  /// Whether a cursor runs over the statement's rows, so that nobody else may run it.
  var isInUse = false

  init(_ prepared: any DatabaseStatement, context: StatementContext) {
    self.prepared = prepared
    self.context = context
    columns = RowColumns(names: prepared.columnNames)
  }

  /// The statement's text.
  public var sql: String { prepared.sql }

  /// Whether running the statement changes nothing in the database.
  public var isReadOnly: Bool { prepared.isReadOnly }

  /// The names of the result's columns, in order; empty when it yields no rows.
  public var columnNames: [String] { columns.names }

  /// Runs the statement to its end; rows that it yields are passed over.
  ///
  /// - Parameter arguments: The values for all parameters.
  /// - Throws: ``DatabaseError``. What the statement had changed is undone, unless it says otherwise (OR FAIL).
  public func execute(arguments: StatementArguments = StatementArguments()) throws {
    var used = 0
    try bind(arguments, used: &used)
    try requireAllUsed(arguments, used: used)
    try run()
  }

  /// Runs the statement to its end with the values that are bound.
  func run() throws {
    try begin()
    defer { prepared.reset() }
    while try step() {}
  }

  /// Checks that the statement may run now.
  func begin() throws {
    guard !isInUse else {
      throw context.error(
        .misuse, "the statement is running already", remedy: "End its cursor before it is run again.", sql: sql)
    }
    try context.cancellation.check()
    try context.willRun?()
  }

  /// Runs the statement up to its next row.
  ///
  /// Errors get the bound values where the configuration wants them.
  @inline(__always)
  func step() throws -> Bool {
    do throws(DatabaseError) {
      return try prepared.step()
    } catch {
      throw complete(error)
    }
  }

  private func complete(_ error: DatabaseError) -> any Error {
    if error.condition == .interrupted, context.cancellation.isRequested { return CancellationError() }
    var error = error
    if context.showsArguments { error.arguments = boundValues }
    return error
  }

  private(set) var boundValues: [DatabaseValue] = []

  /// Binds values to all parameters.
  ///
  /// - Parameter used: The number of positional values that earlier statements of the same script took; on return,
  ///   those of this one are added.
  func bind(_ arguments: StatementArguments, used: inout Int) throws {
    let count = prepared.parameterCount
    if context.showsArguments { boundValues.removeAll(keepingCapacity: true) }
    for index in 0..<count {
      let value: DatabaseValue
      if !arguments.named.isEmpty, let name = prepared.parameterName(at: index), let named = arguments.named[name] {
        value = named
      } else if used < arguments.positional.count {
        value = arguments.positional[used]
        used += 1
      } else {
        throw missingValue(at: index)
      }
      try prepared.bind(value, at: index)
      if context.showsArguments { boundValues.append(value) }
    }
  }

  func requireAllUsed(_ arguments: StatementArguments, used: Int) throws {
    guard used == arguments.positional.count else {
      throw context.error(
        .misuse, "\(arguments.positional.count) values were given for \(used) parameters",
        remedy: "Give as many values as the statement has parameters.", sql: sql)
    }
  }

  private func missingValue(at index: Int) -> DatabaseError {
    let name = prepared.parameterName(at: index).map { "\"\($0)\"" } ?? "number \(index + 1)"
    return context.error(
      .misuse, "no value was given for parameter \(name)", remedy: "Give a value, or nil for NULL.", sql: sql)
  }
}
