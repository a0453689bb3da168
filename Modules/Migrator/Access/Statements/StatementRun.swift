/// One run over the rows of a statement.
///
/// When the run ends or is released, the statement becomes available again.
final class StatementRun {
  private let statement: Statement
  private var storage: RowStorage
  private var isAtFirstRow = true
  /// Whether the run has ended or has never begun, so that it does not occupy the statement.
  private var isDone = true

  init(_ statement: Statement, arguments: StatementArguments) throws {
    self.statement = statement
    storage = RowStorage(statement)
    try statement.begin()
    try statement.bindAll(arguments)
    statement.isInUse = true
    isDone = false
    statement.context.runs.append(Unmanaged.passUnretained(self))
  }

  deinit { end() }

  /// Returns the next row; nil after the last.
  @inline(__always)
  func next() throws -> Row? {
    // A row that is not retained passes its storage to the next one, without an allocation.
    if !isKnownUniquelyReferenced(&storage) {
      storage.keep()
      storage = RowStorage(statement)
    }
    guard try !isDone && step() else { return nil }
    if isAtFirstRow { readNewColumns() }
    return Row(storage)
  }

  /// Ends the run; copies the values of a row that the caller retains.
  func end() {
    guard !isDone else { return }
    isDone = true
    // If no one retains the row, the engine may already have freed its values.
    if !isKnownUniquelyReferenced(&storage) { storage.keep() }
    statement.isInUse = false
    statement.prepared.reset()
    statement.context.limit?.statementEnds()
    let runs = statement.context.runs
    // Usually the newest one.
    if let place = runs.lastIndex(where: { $0.toOpaque() == Unmanaged.passUnretained(self).toOpaque() }) {
      statement.context.runs.remove(at: place)
    }
  }

  /// Runs the statement up to its next row, and ends the run if there is none.
  @inline(__always)
  private func step() throws -> Bool {
    do {
      if try statement.step(into: storage.values) { return true }
    } catch {
      end()
      throw error
    }
    end()
    return false
  }

  /// Reads the first row again if the statement's columns have changed.
  @inline(never)
  private func readNewColumns() {
    isAtFirstRow = false
    guard statement.noticeNewColumns() else { return }
    storage = RowStorage(statement)
    for column in storage.values.indices { storage.values[column] = statement.prepared.value(at: column) }
  }
}

/// Elements that are read one at a time, inside the access that created the cursor.
public protocol Cursor<Element>: AnyObject {
  /// The type of the elements that the cursor returns.
  associatedtype Element

  /// Returns the next element; nil after the last.
  func next() throws -> Element?
}

extension Cursor {
  /// Calls `body` with each remaining element.
  public func forEach(_ body: (Element) throws -> Void) throws {
    while let element = try next() { try body(element) }
  }

  /// Returns the remaining elements.
  public func all() throws -> [Element] {
    var elements: [Element] = []
    while let element = try next() { elements.append(element) }
    return elements
  }
}

/// The rows of a statement, read one at a time so that only one is in memory.
public final class RowCursor: Cursor {
  private let run: StatementRun

  init(_ statement: Statement, arguments: StatementArguments) throws {
    run = try StatementRun(statement, arguments: arguments)
  }

  /// Returns the next row; nil after the last.
  ///
  /// - Throws: ``DatabaseError``, which ends the cursor.
  public func next() throws -> Row? { try run.next() }
}

/// The values in the first column of a statement's rows.
public final class ValueCursor<Value: DatabaseValueConvertible>: Cursor {
  private let run: StatementRun

  init(_ statement: Statement, arguments: StatementArguments) throws {
    run = try StatementRun(statement, arguments: arguments)
  }

  /// Returns the next value; nil after the last row.
  ///
  /// - Throws: ``DatabaseError`` with the condition `.conversion` if the value is NULL or of another type.
  public func next() throws -> Value? {
    guard let row = try run.next() else { return nil }
    return try row[0] as Value
  }

  /// Returns the next value, which is `.some(nil)` for NULL; nil after the last row.
  func nextOptional() throws -> Value?? {
    guard let row = try run.next() else { return nil }
    return .some(try row[0] as Value?)
  }
}
