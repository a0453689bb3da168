/// One run over the rows of a statement; it returns the statement when it ends or is released.
final class StatementRun {
  private let statement: Statement
  private var storage: RowStorage
  private var isAtFirstRow = true
  /// Whether there is nothing to return: the run has ended, or never began.
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

  /// The next row, nil when there is no more.
  @inline(__always)
  func next() throws -> Row? {
    // A row that no one keeps gives its storage to the next one, without an allocation.
    if !isKnownUniquelyReferenced(&storage) {
      storage.keep()
      storage = RowStorage(statement)
    }
    guard try !isDone && step() else { return nil }
    if isAtFirstRow { readNewColumns() }
    return Row(storage)
  }

  /// Ends the run; a row that the caller keeps takes its values along.
  func end() {
    guard !isDone else { return }
    isDone = true
    // Of a row that no one has, the engine may have freed the values already.
    if !isKnownUniquelyReferenced(&storage) { storage.keep() }
    statement.isInUse = false
    statement.prepared.reset()
    let runs = statement.context.runs
    // Mostly the newest one.
    if let place = runs.lastIndex(where: { $0.toOpaque() == Unmanaged.passUnretained(self).toOpaque() }) {
      statement.context.runs.remove(at: place)
    }
  }

  /// Runs the statement up to its next row, and ends the run when there is none.
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

  /// Reads the first row again if it has other columns than the statement had before.
  @inline(never)
  private func readNewColumns() {
    isAtFirstRow = false
    guard statement.noticeNewColumns() else { return }
    storage = RowStorage(statement)
    statement.prepared.readRow(into: storage.values)
  }
}

/// Elements that are read one at a time, for use within the access that made them.
public protocol Cursor<Element>: AnyObject {
  /// The elements that the cursor returns.
  associatedtype Element

  /// The next element, nil when there is no more.
  func next() throws -> Element?
}

extension Cursor {
  /// Calls `body` with each element that is left.
  public func forEach(_ body: (Element) throws -> Void) throws {
    while let element = try next() { try body(element) }
  }

  /// The elements that are left.
  public func all() throws -> [Element] {
    var elements: [Element] = []
    while let element = try next() { elements.append(element) }
    return elements
  }
}

/// The rows of a statement; only one of them is in memory at a time.
public final class RowCursor: Cursor {
  private let run: StatementRun

  init(_ statement: Statement, arguments: StatementArguments) throws {
    run = try StatementRun(statement, arguments: arguments)
  }

  /// The next row, nil when there is no more.
  ///
  /// - Throws: ``DatabaseError``; the cursor is at its end then.
  public func next() throws -> Row? { try run.next() }
}

/// The values in the first column of a statement's rows.
public final class ValueCursor<Value: DatabaseValueConvertible>: Cursor {
  private let run: StatementRun

  init(_ statement: Statement, arguments: StatementArguments) throws {
    run = try StatementRun(statement, arguments: arguments)
  }

  /// The next value, nil when there is no more row.
  ///
  /// - Throws: ``DatabaseError``, as conversion when the value is NULL or of another type.
  public func next() throws -> Value? {
    guard let row = try run.next() else { return nil }
    return try row[0] as Value
  }

  /// The next value or NULL, nil when there is no more row.
  func nextOptional() throws -> Value?? {
    guard let row = try run.next() else { return nil }
    return .some(try row[0] as Value?)
  }
}
