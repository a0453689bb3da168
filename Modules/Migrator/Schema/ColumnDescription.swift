/// A column as the engine describes it.
public struct ColumnDescription: Sendable, Hashable {
  /// The column's name as it was written.
  public var name: String

  /// The declared type as it was written, empty when there is none.
  public var declaredType: String

  /// Whether NOT NULL was declared.
  public var isNotNull: Bool

  /// The default's SQL text; nil when none was declared.
  public var defaultSQL: String?

  /// The place in the primary key, from 1; zero when the column is not part of it.
  public var primaryKeyPosition: Int

  /// Whether the value is computed, and thus cannot be written.
  public var isGenerated: Bool

  /// Creates a description.
  public init(
    name: String, declaredType: String, isNotNull: Bool, defaultSQL: String?, primaryKeyPosition: Int,
    isGenerated: Bool
  ) {
    self.name = name
    self.declaredType = declaredType
    self.isNotNull = isNotNull
    self.defaultSQL = defaultSQL
    self.primaryKeyPosition = primaryKeyPosition
    self.isGenerated = isGenerated
  }
}
