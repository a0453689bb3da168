/// What changes about a column; what is not named stays as it is.
public struct ColumnChange: Sendable, Hashable {
  /// One property with its new value.
  public enum Property: Sendable, Hashable {
    /// The declared type; nil for none.
    case type(ColumnType?)
    /// NOT NULL; nil allows NULL.
    case notNull(NewColumnDescription.NotNull?)
    /// The default; nil for none.
    case defaultValue(NewColumnDescription.Default?)
    /// The collation's name; nil leaves it to the engine.
    case collation(String?)
    /// One more CHECK constraint.
    case addCheck(NewCheckDescription)
    /// None of the CHECK constraints that the column's definition has.
    case dropChecks
    /// The foreign keys of this column alone, in place of those that its definition has.
    case references([NewForeignKeyDescription])
  }

  /// The changes, in their order.
  public var properties: [Property]

  /// An SQL expression over the row as it was, which gives the column its values; nil keeps them.
  public var copying: String?

  /// Creates a change.
  public init(_ properties: [Property] = [], copying: String? = nil) {
    self.properties = properties
    self.copying = copying
  }
}

/// A constraint that a table gets.
public enum AddedConstraint: Sendable, Hashable {
  /// Refuses rows for which an expression is false.
  case check(NewCheckDescription)
  /// Refuses a row whose values another row has.
  case unique(TableKey)
  /// Refers to another table.
  case foreignKey(NewForeignKeyDescription)
}

/// A constraint that a table loses.
public enum DroppedConstraint: Sendable, Hashable {
  /// The constraint of a name, also one in a column's definition.
  case named(String)
  /// The CHECK constraint of an expression, compared by its tokens.
  case check(sql: String)
  /// The unique key of these columns.
  case unique([String])
  /// The foreign key of these columns.
  case foreignKey([String])
}
