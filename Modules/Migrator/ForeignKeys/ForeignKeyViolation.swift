/// A row that refers to a row that does not exist.
public struct ForeignKeyViolation: Sendable, Hashable {
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
}

extension ForeignKeyViolation: CustomStringConvertible {
  /// The tables and the rowid: "FOREIGN KEY constraint violation - from player to team, in rowid 1".
  public var description: String {
    let place = originRowID.map { ", in rowid \($0)" } ?? ""
    return "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)\(place)"
  }
}
