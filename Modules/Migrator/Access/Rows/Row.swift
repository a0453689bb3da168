/// One row of a result.
///
/// Columns are read by index or by name: `let name: String = try row["name"]`. A row may be kept: a row that a
/// cursor gave takes its values along before the cursor moves on.
public struct Row {
  @usableFromInline var storage: RowStorage

  init(_ storage: RowStorage) { self.storage = storage }

  /// The number of columns.
  public var count: Int { storage.columns.names.count }

  /// The names of the columns, in order; a name may occur more than once.
  public var columnNames: [String] { storage.columns.names }

  /// The values, in the order of the columns.
  public var databaseValues: [DatabaseValue] { (0..<count).map { storage.value(at: $0) } }

  /// Whether there is a column of that name, without regard to ASCII case.
  public func hasColumn(_ name: String) -> Bool { storage.columns.index(of: name) != nil }

  /// The value in a column.
  ///
  /// - Parameter index: 0 ..< ``count``.
  /// - Throws: ``DatabaseError`` as conversion when the value is NULL or of another type.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
    @inline(__always) get throws {
      guard let value = Value.fromColumn(index, of: self) else { throw storage.conversionError(index, Value.self) }
      return value
    }
  }

  /// The value in a column, nil for NULL.
  ///
  /// - Parameter index: 0 ..< ``count``.
  /// - Throws: ``DatabaseError`` as conversion when the value is of another type.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value? {
    get throws {
      if let value = Value.fromColumn(index, of: self) { return value }
      guard case .null = storage[index] else { throw storage.conversionError(index, Value.self) }
      return nil
    }
  }

  /// The value in the leftmost column of a name, without regard to ASCII case.
  ///
  /// - Throws: ``DatabaseError`` as notFound when there is no such column, as conversion when the value is NULL or
  ///   of another type.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ name: String) -> Value {
    get throws { try self[storage.index(of: name)] }
  }

  /// The value in the leftmost column of a name, nil for NULL.
  ///
  /// - Throws: ``DatabaseError`` as notFound when there is no such column, as conversion when the value is of another
  ///   type.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ name: String) -> Value? {
    get throws { try self[storage.index(of: name)] }
  }
}

extension Row: Equatable {
  /// Whether both rows have the same column names and values, in the same order.
  public static func == (one: Row, other: Row) -> Bool {
    one.columnNames == other.columnNames && one.databaseValues == other.databaseValues
  }
}

extension Row: CustomStringConvertible {
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
