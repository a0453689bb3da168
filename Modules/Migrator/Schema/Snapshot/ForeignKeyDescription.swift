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

/// A row that refers to a row that does not exist.
public struct ForeignKeyViolation: Sendable, Hashable, CustomStringConvertible {
  /// The table that holds the referring row.
  public var originTable: String
  /// The rowid of the referring row; nil when its table has none.
  public var originRowID: Int64?
  /// The table that is referred to.
  public var destinationTable: String
  /// The number of the key within its table; see ``ForeignKeyDescription/id``.
  public var foreignKeyId: Int

  /// Creates a violation.
  public init(originTable: String, originRowID: Int64?, destinationTable: String, foreignKeyId: Int) {
    self.originTable = originTable
    self.originRowID = originRowID
    self.destinationTable = destinationTable
    self.foreignKeyId = foreignKeyId
  }

  /// The tables and the rowid: "FOREIGN KEY constraint violation - from player to team, in rowid 1".
  public var description: String {
    let place = originRowID.map { ", in rowid \($0)" } ?? ""
    return "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)\(place)"
  }
}
