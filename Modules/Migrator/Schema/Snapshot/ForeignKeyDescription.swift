/// A foreign key as a table declares it.
public struct ForeignKeyDescription: Sendable, Equatable, Encodable {
  /// The engine's number for the foreign key within its table; see ``ForeignKeyViolation/foreignKeyId``.
  public var id: Int
  /// The referenced table, which need not exist.
  public var destinationTable: String
  /// The referring columns, in the key's order.
  public var originColumns: [String]
  /// The referenced columns, in the same order; empty if the declaration omits them, which means the primary key.
  public var destinationColumns: [String]
  /// The action on the referring rows when the referenced row is deleted.
  public var onDelete: ForeignKeyAction
  /// The action on the referring rows when the referenced key changes.
  public var onUpdate: ForeignKeyAction

  /// Whether the foreign key is checked at the commit instead of after each statement.
  ///
  /// This property and ``name`` are parsed from the table's definition; a connection does not report them.
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

/// A dangling row: it refers to a row that does not exist.
public struct ForeignKeyViolation: Sendable, Hashable, CustomStringConvertible {
  /// The table that contains the referring row.
  public var originTable: String
  /// The rowid of the referring row; nil if its table has none.
  public var originRowID: Int64?
  /// The referenced table.
  public var destinationTable: String
  /// The number of the foreign key within its table; see ``ForeignKeyDescription/id``.
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
