/// One run over the rows of a statement; it gives the statement back when it ends or is released.
final class StatementRun {
  private let statement: Statement
  private var storage: RowStorage

  /// Whether ``next()`` has given the storage to somebody since it was asked for the last time whether anybody keeps it.
  private var isGiven = false
  /// The storage of the row that ``forEach(_:)`` has given to its closure.
  private var lent: Unmanaged<RowStorage>?
  /// Whether no row has been read yet.
  private var isAtFirstRow = true
  /// Whether there is nothing to give back: the run has ended, or never began.
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
    if lent != nil { keepLent() }
    if !isKnownUniquelyReferenced(&storage) { leaveStorage() }
    guard !isDone else { return nil }
    guard try step(into: storage.values) else { return nil }
    if isAtFirstRow { storage = firstRow(storage) }
    isGiven = true
    return Row(storage)
  }

  /// Calls `body` with each row that is left.
  func forEach(_ body: (Row) throws -> Void) throws {
    if lent != nil { keepLent() }
    // The row is here alone: that nobody keeps it can be seen without counting it for each call.
    var row = Row(storage)
    storage = RowStorage(statement)
    defer {
      storage = row.storage
      lent = nil
    }
    while !isDone {
      if !isKnownUniquelyReferenced(&row.storage) || row.storage.isKept { row = leave(row) }
      lent = nil
      // Somebody may keep a row that `next()` gave in between.
      if isGiven { leaveGiven() }
      guard try step(into: row.storage.values) else { return }
      if isAtFirstRow { row = Row(firstRow(row.storage)) }
      // Alive for as long as it is lent, since the row is.
      lent = Unmanaged.passUnretained(row.storage)
      try body(row)
    }
  }

  /// Ends the run; a row that somebody keeps takes its values along.
  func end() {
    guard !isDone else { return }
    isDone = true
    keepLent()
    // Of a row that nobody has, the engine may have freed the values already.
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
  private func step(into values: UnsafeMutableBufferPointer<ColumnValue>) throws -> Bool {
    do {
      if try statement.step(into: values) { return true }
    } catch {
      end()
      throw error
    }
    end()
    return false
  }

  /// Where the first row is, which may have other columns than the statement had before.
  @inline(never)
  private func firstRow(_ storage: RowStorage) -> RowStorage {
    isAtFirstRow = false
    guard statement.noticeNewColumns() else { return storage }
    let storage = RowStorage(statement)
    statement.prepared.readRow(into: storage.values)
    return storage
  }

  /// Leaves the storage to a row that somebody keeps.
  ///
  /// A row that nobody keeps gives its storage to the next one, without an allocation.
  @inline(never)
  private func leaveStorage() {
    storage.keep()
    storage = RowStorage(statement)
  }

  /// Leaves the storage to a row that ``next()`` gave, if somebody keeps it.
  @inline(never)
  private func leaveGiven() {
    isGiven = false
    if !isKnownUniquelyReferenced(&storage) { leaveStorage() }
  }

  /// Leaves a row to somebody who keeps it.
  ///
  /// - Returns: Room for the next row.
  @inline(never)
  private func leave(_ row: Row) -> Row {
    row.storage.keep()
    return Row(RowStorage(statement))
  }

  /// Lets the row that was lent take its values along, before the statement moves on.
  @inline(never)
  private func keepLent() {
    lent?.takeUnretainedValue().keep()
    lent = nil
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

  /// Calls `body` with each row that is left.
  ///
  /// The fastest way to read many rows: a row that `body` does not keep is not even counted.
  ///
  /// - Throws: ``DatabaseError``; what `body` throws, and the rows behind are left then.
  public func forEach(_ body: (Row) throws -> Void) throws { try run.forEach(body) }
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
