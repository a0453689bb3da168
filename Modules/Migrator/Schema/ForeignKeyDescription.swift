/// A foreign key as a table declares it.
public struct ForeignKeyDescription: Sendable, Hashable {
  /// The engine's number of the key within its table; see ``ForeignKeyViolation/foreignKeyId``.
  public var id: Int

  /// The table that is referred to, which need not exist.
  public var destinationTable: String

  /// The referring columns, in the key's order.
  public var originColumns: [String]

  /// The columns referred to, in the same order; empty when the declaration leaves them to the primary key.
  public var destinationColumns: [String]

  /// Creates a description.
  public init(id: Int, destinationTable: String, originColumns: [String], destinationColumns: [String]) {
    self.id = id
    self.destinationTable = destinationTable
    self.originColumns = originColumns
    self.destinationColumns = destinationColumns
  }
}
