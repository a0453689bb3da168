/// What only people know of the way from one schema to another.
///
/// Nothing is ever guessed: without a hint, a column or table that is gone is lost, and one that is new is empty.
public struct SchemaHints: Sendable, Hashable {
  /// The later name of each renamed table, by the earlier name.
  public var renamedTables: [String: String]

  /// The later name of each renamed column, by the earlier name, by the table's later name.
  public var renamedColumns: [String: [String: String]]

  /// An SQL expression over the earlier table for each column that is filled by one, by the column's later name, by the
  /// table's later name.
  public var expressions: [String: [String: String]]

  /// Creates hints; without any, nothing was renamed.
  public init(
    renamedTables: [String: String] = [:], renamedColumns: [String: [String: String]] = [:],
    expressions: [String: [String: String]] = [:]
  ) {
    self.renamedTables = renamedTables
    self.renamedColumns = renamedColumns
    self.expressions = expressions
  }
}

/// A hint that does not fit the schemas.
public enum SchemaHintError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The earlier or the later schema has no such table.
  case noSuchTable(String)
  /// The earlier or the later table has no such column.
  case noSuchColumn(String, table: String)
  /// Two tables or columns are to get the same name.
  case nameTakenTwice(String)

  /// What is wrong, as a sentence without a full stop.
  public var description: String {
    switch self {
    case .noSuchTable(let name): "there is no table \"\(name)\" to rename or to rename to"
    case .noSuchColumn(let name, let table): "there is no column \"\(name)\" of \"\(table)\" to rename or to fill"
    case .nameTakenTwice(let name): "\"\(name)\" would be the name of two"
    }
  }
}
