/// The definition of a new table.
public struct NewTableDescription: Sendable, Equatable {
  /// The table's name.
  public var name: String
  /// The schema of an attached database in which to create the table; nil for the main schema.
  public var schema: String?
  /// Options for creating the table.
  public var options: TableOptions
  /// The columns, in order, described by their properties or given as SQL.
  public var columns: [TableColumn] = []
  /// The primary key that is declared as a table constraint; nil if there is none.
  public var primaryKey: TableKey?
  /// Unique keys that are declared as table constraints.
  public var uniqueKeys: [TableKey] = []
  /// Foreign keys that are declared as table constraints.
  public var foreignKeys: [NewForeignKeyDescription] = []
  /// CHECK constraints that are declared as table constraints.
  public var checks: [NewCheckDescription] = []
  /// Constraints given as SQL.
  public var constraintsSQL: [String] = []
  /// Indexes that are created with the table, in addition to those of its columns (``NewColumnDescription/index``).
  public var indexes: [NewIndexDescription] = []

  /// Creates a definition without columns.
  public init(name: String, schema: String? = nil, options: TableOptions = []) {
    self.name = name
    self.schema = schema
    self.options = options
  }
}

/// Options for creating a table.
public struct TableOptions: OptionSet, Sendable, Hashable {
  /// The options as bits.
  public let rawValue: UInt8
  /// Creates a set of options from bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The table is dropped when the connection closes.
  public static let temporary = TableOptions(rawValue: 1 << 0)
  /// Nothing is done if the table exists.
  public static let ifNotExists = TableOptions(rawValue: 1 << 1)
  /// The table is stored by its primary key, without a rowid (https://www.sqlite.org/withoutrowid.html).
  public static let withoutRowID = TableOptions(rawValue: 1 << 2)
  /// Values must fit their column's type (https://www.sqlite.org/stricttables.html).
  public static let strict = TableOptions(rawValue: 1 << 3)
}

/// A column of a new table.
public enum TableColumn: Sendable, Equatable {
  /// A column, described by its properties.
  case definition(NewColumnDescription)
  /// A column given as SQL.
  case sql(String)
}

/// The algorithm of an ON CONFLICT clause, for constraint violations (https://www.sqlite.org/lang_conflict.html).
public enum ConflictResolution: String, Sendable, Hashable, Encodable {
  /// The transaction is rolled back.
  case rollback = "ROLLBACK"
  /// The statement fails, and all its changes are undone.
  case abort = "ABORT"
  /// The statement fails, but the changes that it made before the violation remain.
  case fail = "FAIL"
  /// The row is skipped.
  case ignore = "IGNORE"
  /// The conflicting rows are deleted.
  case replace = "REPLACE"
}

/// The action on referring rows when the referenced row is deleted or changed.
public enum ForeignKeyAction: String, Sendable, Hashable, Encodable {
  /// The change is rejected if rows still refer to the changed or deleted row when the statement ends or, for a
  /// deferred foreign key, at the commit.
  case noAction = "NO ACTION"
  /// Referring rows are deleted or changed, too.
  case cascade = "CASCADE"
  /// The change is rejected immediately if rows refer to the changed or deleted row.
  case restrict = "RESTRICT"
  /// The referring columns are set to NULL.
  case setNull = "SET NULL"
  /// The referring columns are set to their default values.
  case setDefault = "SET DEFAULT"
}

/// A foreign key of a new table or column.
public struct NewForeignKeyDescription: Sendable, Equatable {
  /// The referring columns; empty if the key is part of a column's definition.
  public var columns: [String]
  /// The referenced table.
  public var table: String
  /// The referenced columns; empty for the table's primary key.
  public var destinationColumns: [String]
  /// The action when the referenced row is deleted; nil to reject the deletion.
  public var onDelete: ForeignKeyAction?
  /// The action when the referenced values change; nil to reject the change.
  public var onUpdate: ForeignKeyAction?
  /// Whether the foreign key is checked at the commit instead of after each statement.
  public var isDeferred: Bool
  /// The constraint's name; nil for none.
  public var name: String?

  /// Creates a definition.
  public init(
    columns: [String] = [], table: String, destinationColumns: [String] = [], onDelete: ForeignKeyAction? = nil,
    onUpdate: ForeignKeyAction? = nil, isDeferred: Bool = false, name: String? = nil
  ) {
    self.name = name
    self.columns = columns
    self.table = table
    self.destinationColumns = destinationColumns
    self.onDelete = onDelete
    self.onUpdate = onUpdate
    self.isDeferred = isDeferred
  }
}

/// A CHECK constraint of a table or column (https://www.sqlite.org/lang_createtable.html#check_constraints).
public struct NewCheckDescription: Sendable, Equatable, Encodable, ExpressibleByStringLiteral {
  /// The expression, given as SQL.
  public var sql: String
  /// The constraint's name; nil for none.
  public var name: String?

  /// Creates a constraint.
  public init(_ sql: String, name: String? = nil) {
    self.sql = sql
    self.name = name
  }

  /// Creates a constraint without a name.
  public init(stringLiteral value: String) { self.init(value) }
}

/// A key of one or more columns, of a new or an existing table.
public struct TableKey: Sendable, Equatable, Encodable {
  /// The columns, in the key's order.
  public var columns: [KeyColumn]
  /// The ON CONFLICT clause; nil for the engine's default, which aborts the statement.
  public var onConflict: ConflictResolution?
  /// The constraint's name; nil for none.
  public var name: String?

  /// Creates a key from columns with their order and collation.
  public init(columns: [KeyColumn], onConflict: ConflictResolution? = nil, name: String? = nil) {
    self.columns = columns
    self.onConflict = onConflict
    self.name = name
  }

  /// Creates a key from the names of its columns.
  public init(columns: [String], onConflict: ConflictResolution? = nil, name: String? = nil) {
    self.init(columns: columns.map { KeyColumn($0) }, onConflict: onConflict, name: name)
  }
}

/// A column of a key or an index, with its order and collation.
///
///     t.uniqueKey(["team", .descending("score")])
public struct KeyColumn: Sendable, Equatable, Encodable, ExpressibleByStringLiteral {
  /// The column's name.
  public var name: String
  /// The collation with which the key compares text; nil for the column's collation.
  public var collation: String?
  /// Whether larger values come first.
  public var isDescending: Bool

  /// Creates a column of a key.
  public init(_ name: String, collation: Collation? = nil, isDescending: Bool = false) {
    self.name = name
    self.collation = collation?.rawValue
    self.isDescending = isDescending
  }

  /// Creates a key column in ascending order, with the collation of the table's column.
  public init(stringLiteral value: String) { self.init(value) }

  /// Returns a column in ascending order.
  public static func ascending(_ name: String, collate: Collation? = nil) -> KeyColumn {
    KeyColumn(name, collation: collate)
  }

  /// Returns a column in descending order.
  public static func descending(_ name: String, collate: Collation? = nil) -> KeyColumn {
    KeyColumn(name, collation: collate, isDescending: true)
  }
}
