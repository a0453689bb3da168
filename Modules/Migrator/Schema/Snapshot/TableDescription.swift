internal import SQLSyntax

/// A table as the engine and its definition describe it.
public struct TableDescription: Sendable, Hashable, Codable {
  /// The table's name as it was written.
  public var name: String
  /// The columns in their order, hidden ones included; empty for a virtual table whose module is missing.
  public var columns: [ColumnDescription] = []
  /// The primary key; nil when the table declares none.
  public var primaryKey: PrimaryKeyDescription?
  /// The unique keys that columns and constraints declare, in the order of their declaration.
  public var uniqueKeys: [TableKey] = []
  /// The foreign keys, ordered by their number.
  public var foreignKeys: [ForeignKeyDescription] = []
  /// The CHECK constraints of columns and table, in the order of their declaration.
  public var checks: [NewCheckDescription] = []
  /// Whether values must fit their column's type.
  public var isStrict = false
  /// Whether the table is kept by its primary key.
  public var isWithoutRowID = false
  /// The module of a virtual table; nil for others.
  public var module: String?
  /// What the module was given, each as SQL.
  public var moduleArguments: [String] = []
  /// The virtual table that made this table for its own storage; nil for others.
  public var shadowOf: String?

  /// Creates a description of a table without columns.
  public init(name: String) { self.name = name }

  /// The column of a name, names compared without regard to ASCII case; nil when there is none.
  public func column(_ name: String) -> ColumnDescription? { columns.first { $0.name.isSameName(as: name) } }
}

/// A primary key as its table declares it.
public struct PrimaryKeyDescription: Sendable, Hashable, Codable {
  /// The columns in the key's order.
  public var keyColumns: [KeyColumn]
  /// What happens upon a conflict; nil when the declaration leaves it to the engine.
  public var onConflict: ConflictResolution?
  /// The constraint's name; nil for none.
  public var name: String?
  /// Whether ids of deleted rows are never used again.
  public var isAutoincrement: Bool
  /// Whether the key is the row's id, as an `INTEGER PRIMARY KEY` is (https://www.sqlite.org/rowidtable.html).
  public var isRowID: Bool

  /// Creates a description.
  public init(
    keyColumns: [KeyColumn], onConflict: ConflictResolution? = nil, name: String? = nil, isAutoincrement: Bool = false,
    isRowID: Bool = false
  ) {
    self.keyColumns = keyColumns
    self.onConflict = onConflict
    self.name = name
    self.isAutoincrement = isAutoincrement
    self.isRowID = isRowID
  }

  /// The names of the columns in the key's order.
  public var columns: [String] { keyColumns.map(\.name) }
}
