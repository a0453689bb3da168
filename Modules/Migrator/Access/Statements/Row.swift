internal import SQLSyntax

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// One row of a result.
///
/// Columns are read by index or by name: `let name: String = try row["name"]`. A row may be retained: before a cursor
/// moves on, it copies the values of a row that is still in use.
///
/// Reading throws ``DatabaseError``: with the condition `.notFound` if the result has no such column, and with
/// `.conversion` if the value has another type, or is NULL and is not read as an optional.
public struct Row: Equatable, CustomStringConvertible {
  @usableFromInline var storage: RowStorage

  init(_ storage: RowStorage) { self.storage = storage }

  /// The number of columns.
  public var count: Int { storage.columnNames.count }
  /// The names of the columns, in order; a name may occur more than once.
  public var columnNames: [String] { storage.columnNames }
  /// The values, in the order of the columns.
  public var databaseValues: [DatabaseValue] { storage.values.map { DatabaseValue($0) } }

  /// Returns whether there is a column of that name, ignoring ASCII case.
  public func hasColumn(_ name: String) -> Bool { columnNames.index(ofColumn: name) != nil }

  /// The value in the column at an index; the first column has index 0.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
    @inline(__always) get throws {
      guard let value = Value.fromColumn(try storage.column(at: index)) else {
        throw storage.conversionError(index, Value.self)
      }
      return value
    }
  }

  /// The value in the column at an index, nil for NULL; the first column has index 0.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value? {
    get throws {
      let column = try storage.column(at: index)
      if let value = Value.fromColumn(column) { return value }
      guard case .null = column else { throw storage.conversionError(index, Value.self) }
      return nil
    }
  }

  /// The value in the leftmost column with the given name, ignoring ASCII case.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ name: String) -> Value {
    get throws { try self[storage.index(of: name)] }
  }

  /// The value in the leftmost column with the given name, ignoring ASCII case; nil for NULL.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ name: String) -> Value? {
    get throws { try self[storage.index(of: name)] }
  }

  /// Whether both rows have the same column names and values, in the same order.
  public static func == (one: Row, other: Row) -> Bool {
    one.columnNames == other.columnNames && one.databaseValues == other.databaseValues
  }

  /// The names and values: `[id:1 name:"O'Brien" photo:12 bytes email:NULL]`.
  public var description: String {
    let parts = zip(columnNames, databaseValues).map { "\($0):\($1.shownInRow)" }
    return "[" + parts.joined(separator: " ") + "]"
  }
}

extension DatabaseValue {
  fileprivate var shownInRow: String {
    switch self {
    case .null: "NULL"
    case .integer(let integer): "\(integer)"
    case .real(let real): "\(real)"
    case .text(let text): "\"\(text)\""
    case .blob(let data): "\(data.count) bytes"
    }
  }
}

/// The storage of a row's values, which are either in the engine's memory or copied.
///
/// The rows of a cursor share one storage unless a row is retained. Each step of the statement stores the values of its
/// row here; text and bytes remain in the engine's memory until they are read or the row is retained.
@usableFromInline
final class RowStorage {
  @usableFromInline let values: UnsafeMutableBufferPointer<ColumnValue>
  let columnNames: [String]
  private let context: StatementContext
  /// The copied text and bytes of a row that was retained; nil if nothing was copied.
  private var copies: UnsafeMutableRawPointer?

  init(_ statement: Statement) {
    columnNames = statement.columnNames
    context = statement.context
    values = .allocate(capacity: columnNames.count)
    values.initialize(repeating: .null)
  }

  deinit {
    // The values need no deinitialization.
    values.deallocate()
    copies?.deallocate()
  }

  /// Copies the text and bytes of the row, because the statement's next step or reset invalidates the engine's memory.
  func keep() {
    var size = 0
    for value in values { size += value.byteCount }
    guard copies == nil, size > 0 else { return }
    let copies = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1)
    var free = copies
    for index in values.indices {
      let count = values[index].byteCount
      switch values[index] {
      case .text(let bytes):
        guard let start = bytes.baseAddress else { continue }
        let copy = free.initializeMemory(as: UInt8.self, from: start, count: count)
        values[index] = .text(UnsafeBufferPointer(start: copy, count: count))
      case .blob(let bytes):
        guard let start = bytes.baseAddress else { continue }
        free.copyMemory(from: start, byteCount: count)
        values[index] = .blob(UnsafeRawBufferPointer(start: free, count: count))
      case .null, .integer, .real: continue
      }
      free += count
    }
    self.copies = copies
  }

  @usableFromInline
  func index(of name: String) throws -> Int {
    guard let index = columnNames.index(ofColumn: name) else {
      throw context.error(
        .notFound, "the row has no column \"\(name)\"",
        remedy: "The row has: \(columnNames.joined(separator: ", ")).")
    }
    return index
  }

  @inlinable
  func column(at index: Int) throws -> ColumnValue {
    guard values.indices.contains(index) else { throw noColumn(at: index) }
    return values[index]
  }

  @usableFromInline
  func noColumn(at index: Int) -> any Error {
    context.error(
      .notFound, "the row has no column \(index)",
      remedy: "The row has \(columnNames.count), numbered from 0: \(columnNames.joined(separator: ", ")).")
  }

  /// Returns the error for a value of another type; the error does not show the value, which may be private.
  @usableFromInline
  func conversionError(_ index: Int, _ type: Any.Type) -> any Error {
    let kind = values[index].kind
    return context.error(
      .conversion, "column \"\(columnNames[index])\" holds \(kind == .null ? "NULL" : "\(kind)"), not \(type)",
      remedy: kind == .null ? "Read it as an optional." : "Read it as another type.")
  }
}

extension ColumnValue {
  fileprivate var byteCount: Int {
    switch self {
    case .null, .integer, .real: 0
    case .text(let bytes): bytes.count
    case .blob(let bytes): bytes.count
    }
  }
}

extension [String] {
  /// Returns the index of the leftmost column with this name; ignores ASCII case if no name matches exactly.
  fileprivate func index(ofColumn name: String) -> Int? {
    firstIndex(of: name) ?? firstIndex { $0.isSameName(as: name) }
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
  @inlinable
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
///
/// When the cursor ends or is released, the statement becomes available again.
public final class RowCursor: Cursor {
  private let statement: Statement
  private var storage: RowStorage
  private var isAtFirstRow = true
  /// Whether the cursor has ended or has never begun, so that it does not occupy the statement.
  private var isDone = true

  init(_ statement: Statement, arguments: StatementArguments) throws {
    self.statement = statement
    storage = RowStorage(statement)
    try statement.begin()
    try statement.bindAll(arguments)
    statement.isInUse = true
    isDone = false
    statement.context.cursors.append(Unmanaged.passUnretained(self))
  }

  deinit { end() }

  /// Returns the next row; nil after the last.
  ///
  /// - Throws: ``DatabaseError``, which ends the cursor.
  @inline(__always)
  public func next() throws -> Row? {
    // A row that is not retained passes its storage to the next one, without an allocation.
    if !isKnownUniquelyReferenced(&storage) {
      storage.keep()
      storage = RowStorage(statement)
    }
    guard try !isDone && step() else { return nil }
    if isAtFirstRow { readNewColumns() }
    return Row(storage)
  }

  /// Ends the cursor; copies the values of a row that the caller retains.
  func end() {
    guard !isDone else { return }
    isDone = true
    // If no one retains the row, the engine may already have freed its values.
    if !isKnownUniquelyReferenced(&storage) { storage.keep() }
    statement.isInUse = false
    statement.prepared.reset()
    statement.context.limit?.statementEnds()
    let cursors = statement.context.cursors
    // Usually the newest one.
    if let place = cursors.lastIndex(where: { $0.toOpaque() == Unmanaged.passUnretained(self).toOpaque() }) {
      statement.context.cursors.remove(at: place)
    }
  }

  /// Runs the statement up to its next row, and ends the cursor if there is none.
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

/// The values in the first column of a statement's rows.
public final class ValueCursor<Value: DatabaseValueConvertible>: Cursor {
  private let rows: RowCursor

  init(_ statement: Statement, arguments: StatementArguments) throws {
    rows = try RowCursor(statement, arguments: arguments)
  }

  /// Returns the next value; nil after the last row.
  ///
  /// - Throws: ``DatabaseError`` with the condition `.conversion` if the value is NULL or of another type.
  public func next() throws -> Value? {
    guard let row = try rows.next() else { return nil }
    return try row[0] as Value
  }

  /// Returns the next value, which is `.some(nil)` for NULL; nil after the last row.
  func nextOptional() throws -> Value?? {
    guard let row = try rows.next() else { return nil }
    return .some(try row[0] as Value?)
  }
}
