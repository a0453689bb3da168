internal import SQLSyntax

/// A table as the engine and its definition describe it.
public struct TableDescription: Sendable, Equatable, Encodable {
  /// The table's name as written.
  public var name: String
  /// The columns in order, including hidden ones; empty for a virtual table whose module is missing.
  public var columns: [ColumnDescription] = []
  /// The primary key; nil if the table declares none.
  public var primaryKey: PrimaryKeyDescription?
  /// The unique keys that columns and constraints declare, in the order of declaration.
  public var uniqueKeys: [TableKey] = []
  /// The foreign keys, ordered by ``ForeignKeyDescription/id``.
  public var foreignKeys: [ForeignKeyDescription] = []
  /// The CHECK constraints of columns and table, in the order of declaration.
  public var checks: [NewCheckDescription] = []
  /// Whether the table is `STRICT`: values must fit their column's type.
  public var isStrict = false
  /// Whether the table is `WITHOUT ROWID`: rows are stored by primary key, without a rowid.
  public var isWithoutRowID = false
  /// The module of a virtual table; nil for an ordinary table.
  public var module: String?
  /// The arguments of the module, each as SQL.
  public var moduleArguments: [String] = []
  /// The virtual table that uses this table for its storage; nil for other tables.
  public var shadowOf: String?

  /// Creates a description of a table without columns.
  public init(name: String) { self.name = name }

  /// Returns the column with the given name, ignoring ASCII case; nil if there is none.
  public func column(_ name: String) -> ColumnDescription? { columns.first { $0.name.isSameName(as: name) } }
}

/// A primary key as its table declares it.
public struct PrimaryKeyDescription: Sendable, Equatable, Encodable {
  /// The columns in the key's order.
  public var keyColumns: [KeyColumn]
  /// The ON CONFLICT clause; nil if there is none.
  public var onConflict: ConflictResolution?
  /// The constraint's name; nil for none.
  public var name: String?
  /// Whether the ids of deleted rows are never reused.
  public var isAutoincrement: Bool
  /// Whether the key is the rowid, as an `INTEGER PRIMARY KEY` is (https://www.sqlite.org/rowidtable.html).
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
