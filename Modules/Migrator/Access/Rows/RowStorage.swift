/// Where a row's values are: still in the statement, or taken out of it.
final class RowStorage {
  let columns: RowColumns
  private let context: StatementContext
  private var statement: (any DatabaseStatement)?
  private var values: [DatabaseValue] = []

  /// A row that reads from a statement until it is detached.
  init(_ statement: Statement) {
    columns = statement.columns
    context = statement.context
    self.statement = statement.prepared
  }

  /// Takes the values out of the statement, which is about to move on.
  func detach() {
    guard let statement else { return }
    values = columns.names.indices.map { DatabaseValue(statement, column: $0) }
    self.statement = nil
  }

  @inline(__always)
  func read<Value: DatabaseValueConvertible>(_ index: Int) -> Value? {
    precondition(columns.names.indices.contains(index), "The row has no column \(index).")
    if let statement { return Value.fromColumn(index, of: statement) }
    return Value.fromDatabaseValue(values[index])
  }

  func value(at index: Int) -> DatabaseValue {
    if let statement { return DatabaseValue(statement, column: index) }
    return values[index]
  }

  func kind(at index: Int) -> DatabaseValue.Kind { statement?.valueKind(at: index) ?? values[index].kind }

  func index(of name: String) throws(DatabaseError) -> Int {
    guard let index = columns.index(of: name) else {
      throw context.error(
        .notFound, "the row has no column \"\(name)\"",
        remedy: "It has: \(columns.names.joined(separator: ", ")).")
    }
    return index
  }

  /// The error of a value that is not of the wanted type.
  ///
  /// The value itself is not shown, since it may be private.
  func conversionError(_ index: Int, _ type: Any.Type) -> DatabaseError {
    let kind = kind(at: index)
    return context.error(
      .conversion, "column \"\(columns.names[index])\" holds \(kind == .null ? "NULL" : "\(kind)"), not \(type)",
      remedy: kind == .null ? "Read it as an optional." : "Read it as another type.")
  }
}
