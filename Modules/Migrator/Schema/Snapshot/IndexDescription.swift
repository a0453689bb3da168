/// An index as the engine and its definition describe it.
public struct IndexDescription: Sendable, Equatable, Encodable {
  /// The origin of an index.
  public enum Origin: String, Sendable, Hashable, Encodable {
    /// The index was created by a `CREATE INDEX` statement.
    case createIndex
    /// The index belongs to a unique key of its table.
    case uniqueKey
    /// The index belongs to the primary key of its table.
    case primaryKey
  }

  /// A column or expression of an index.
  public struct Column: Sendable, Equatable, Encodable {
    /// The column's name; nil for an expression, and for the rowid.
    public var name: String?
    /// The expression, as SQL; nil for a column.
    ///
    /// The expression is parsed from the index's definition; it is also nil in a description that a connection reports.
    public var sql: String?
    /// The collation with which text is compared.
    public var collation: String
    /// Whether larger values come first.
    public var isDescending: Bool

    /// Creates a column of an index.
    public init(name: String?, sql: String? = nil, collation: String = "BINARY", isDescending: Bool = false) {
      self.name = name
      self.sql = sql
      self.collation = collation
      self.isDescending = isDescending
    }
  }

  /// The index's name; the engine chooses the name of an index that belongs to a constraint.
  public var name: String
  /// The indexed table.
  public var table: String
  /// The origin of the index: a statement or a constraint.
  public var origin: Origin
  /// Whether the indexed values are unique.
  public var isUnique: Bool
  /// Whether only some rows are indexed.
  public var isPartial: Bool
  /// The WHERE condition of a partial index, as SQL; nil for other indexes.
  ///
  /// The condition is parsed from the index's definition; it is also nil in a description that a connection reports.
  public var condition: String?
  /// The indexed columns and expressions, in order.
  public var columns: [Column]

  /// Creates a description.
  public init(
    name: String, table: String, origin: Origin = .createIndex, isUnique: Bool = false, isPartial: Bool = false,
    condition: String? = nil, columns: [Column]
  ) {
    self.name = name
    self.table = table
    self.origin = origin
    self.isUnique = isUnique
    self.isPartial = isPartial
    self.condition = condition
    self.columns = columns
  }
}
