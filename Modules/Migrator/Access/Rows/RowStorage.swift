/// Where a row's values are: still in the statement, or taken out of it.
///
/// A cursor's rows share one storage, as long as nobody keeps a row.
@usableFromInline
final class RowStorage {
  let columns: RowColumns
  private let columnCount: Int
  private let context: StatementContext

  /// The statement whose current row this is, nil once the values were taken out.
  ///
  /// It is not retained, which would cost more than reading a value: the cursor owns the statement, and takes the values
  /// out before it moves on or goes away.
  private var statement: Unmanaged<Statement>?
  private var values: [DatabaseValue] = []

  /// The column that is likely to be read next by its name, since programs read a row from left to right.
  private var expected = 0

  /// A row that reads from a statement until it is detached.
  init(_ statement: Statement) {
    columns = statement.columns
    columnCount = statement.columns.names.count
    context = statement.context
    self.statement = .passUnretained(statement)
  }

  /// Takes the values out of the statement, which is about to move on.
  func detach() {
    guard statement != nil else { return }
    values = columns.names.indices.map { value(at: $0) }
    statement = nil
  }

  /// The value if it was stored as an integer.
  @usableFromInline
  func integer(at index: Int) -> Int64? {
    read(index) { statement in
      statement.storedInteger(at: index)
    } detached: { value in
      if case .integer(let integer) = value { integer } else { nil }
    }
  }

  /// The value if it was stored as a number.
  @usableFromInline
  func real(at index: Int) -> Double? {
    read(index) { statement in
      statement.storedNumber(at: index)
    } detached: { value in
      switch value {
      case .integer(let integer): Double(integer)
      case .real(let real): real
      default: nil
      }
    }
  }

  /// The value if it was stored as text.
  @usableFromInline
  func text(at index: Int) -> String? {
    read(index) { statement in
      statement.storedText(at: index)
    } detached: { value in
      if case .text(let text) = value { text } else { nil }
    }
  }

  @usableFromInline
  func value(at index: Int) -> DatabaseValue {
    read(index) {
      DatabaseValue($0, column: index)
    } detached: {
      $0
    }
  }

  @usableFromInline
  func kind(at index: Int) -> DatabaseValue.Kind {
    read(index) {
      $0.valueKind(at: index)
    } detached: {
      $0.kind
    }
  }

  @inline(__always)
  private func read<Value>(
    _ index: Int, live: (any DatabaseStatement) -> Value, detached: (DatabaseValue) -> Value
  ) -> Value {
    precondition((0..<columnCount).contains(index), "The row has no column \(index).")
    guard let statement else { return detached(values[index]) }
    // The cursor keeps the statement alive during the call; see `statement`.
    return statement._withUnsafeGuaranteedRef { live($0.prepared) }
  }

  /// The place of a column.
  @usableFromInline
  func index(of name: String) throws -> Int {
    if columns.areDistinct, expected < columns.names.count, columns.names[expected] == name {
      expected += 1
      return expected - 1
    }
    guard let index = columns.index(of: name) else {
      throw context.error(
        .notFound, "the row has no column \"\(name)\"",
        remedy: "It has: \(columns.names.joined(separator: ", ")).")
    }
    expected = index + 1
    return index
  }

  /// The error of a value that is not of the wanted type.
  ///
  /// The value itself is not shown, since it may be private.
  @usableFromInline
  func conversionError(_ index: Int, _ type: Any.Type) -> any Error {
    let kind = kind(at: index)
    return context.error(
      .conversion, "column \"\(columns.names[index])\" holds \(kind == .null ? "NULL" : "\(kind)"), not \(type)",
      remedy: kind == .null ? "Read it as an optional." : "Read it as another type.")
  }
}
