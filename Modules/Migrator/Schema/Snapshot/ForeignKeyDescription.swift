/// A foreign key as a table declares it.
public struct ForeignKeyDescription: Sendable, Hashable, Codable {
  /// The engine's number of the key within its table; see ``ForeignKeyViolation/foreignKeyId``.
  public var id: Int

  /// The table that is referred to, which need not exist.
  public var destinationTable: String

  /// The referring columns, in the key's order.
  public var originColumns: [String]

  /// The columns referred to, in the same order; empty when the declaration leaves them to the primary key.
  public var destinationColumns: [String]

  /// What happens to the referring rows upon a deletion.
  public var onDelete: ForeignKeyAction

  /// What happens to the referring rows upon an update.
  public var onUpdate: ForeignKeyAction

  /// Whether the check waits for the commit.
  ///
  /// This and the name stand in the table's definition, and a connection leaves them out.
  public var isDeferred: Bool

  /// The constraint's name; nil for none.
  public var name: String?

  /// Creates a description.
  public init(
    id: Int, destinationTable: String, originColumns: [String], destinationColumns: [String],
    onDelete: ForeignKeyAction = .noAction, onUpdate: ForeignKeyAction = .noAction,
    isDeferred: Bool = false, name: String? = nil
  ) {
    self.id = id
    self.destinationTable = destinationTable
    self.originColumns = originColumns
    self.destinationColumns = destinationColumns
    self.onDelete = onDelete
    self.onUpdate = onUpdate
    self.isDeferred = isDeferred
    self.name = name
  }
}
