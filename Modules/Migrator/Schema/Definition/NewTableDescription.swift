/// What a new table is made of.
public struct NewTableDescription: Sendable, Hashable {
  /// The table's name.
  public var name: String
  /// The schema of an attached database that the table goes to; nil for the main schema.
  public var schema: String?
  /// How the table is created.
  public var options: TableOptions
  /// Columns, or columns given as SQL, in their order.
  public var columns: [TableColumn] = []
  /// The columns of a primary key that is declared for the table as a whole; nil when there is none.
  public var primaryKey: TableKey?
  /// Unique keys declared for the table as a whole.
  public var uniqueKeys: [TableKey] = []
  /// Foreign keys declared for the table as a whole.
  public var foreignKeys: [NewForeignKeyDescription] = []
  /// CHECK constraints declared for the table as a whole.
  public var checks: [NewCheckDescription] = []
  /// Constraints given as SQL.
  public var constraintsSQL: [String] = []
  /// Indexes that come with the table, beside those of its columns (``NewColumnDescription/index``).
  public var indexes: [NewIndexDescription] = []

  /// Creates a definition without columns.
  public init(name: String, schema: String? = nil, options: TableOptions = []) {
    self.name = name
    self.schema = schema
    self.options = options
  }
}

/// How a table is created.
public struct TableOptions: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The table is gone when the connection closes.
  public static let temporary = TableOptions(rawValue: 1 << 0)
  /// Nothing happens when the table exists.
  public static let ifNotExists = TableOptions(rawValue: 1 << 1)
  /// The primary key is the storage key (https://www.sqlite.org/withoutrowid.html).
  public static let withoutRowID = TableOptions(rawValue: 1 << 2)
  /// Values must fit their column's type (https://www.sqlite.org/stricttables.html).
  public static let strict = TableOptions(rawValue: 1 << 3)
}

/// A column of a new table.
public enum TableColumn: Sendable, Hashable {
  /// A column by its properties.
  case definition(NewColumnDescription)
  /// A column given as SQL.
  case sql(String)
}

/// The outcome of a statement that violates a constraint (https://www.sqlite.org/lang_conflict.html).
public enum ConflictResolution: String, Sendable, Hashable, Codable {
  /// The transaction is rolled back.
  case rollback = "ROLLBACK"
  /// The statement is undone.
  case abort = "ABORT"
  /// The statement ends and keeps what it did.
  case fail = "FAIL"
  /// The row is left out.
  case ignore = "IGNORE"
  /// The rows in the way are deleted.
  case replace = "REPLACE"
}

/// What happens to referring rows when the row that they refer to goes or changes.
public enum ForeignKeyAction: String, Sendable, Hashable, Codable {
  /// The change is refused when the statement ends, or at the commit where the key is deferred.
  case noAction = "NO ACTION"
  /// They go or change with it.
  case cascade = "CASCADE"
  /// The change is refused at once.
  case restrict = "RESTRICT"
  /// Their reference becomes NULL.
  case setNull = "SET NULL"
  /// Their reference becomes its default.
  case setDefault = "SET DEFAULT"
}

/// A foreign key of a new table or column.
public struct NewForeignKeyDescription: Sendable, Hashable {
  /// The referring columns; empty for the column that the definition is part of.
  public var columns: [String]
  /// The table that is referred to.
  public var table: String
  /// The columns referred to; empty for the table's primary key.
  public var destinationColumns: [String]
  /// What happens upon a deletion; nil refuses it.
  public var onDelete: ForeignKeyAction?
  /// What happens upon an update; nil refuses it.
  public var onUpdate: ForeignKeyAction?
  /// Whether the check waits for the commit.
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
public struct NewCheckDescription: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
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

/// A key of one or more columns, of a new table or of one that exists.
public struct TableKey: Sendable, Hashable, Codable {
  /// The columns, in the key's order.
  public var columns: [KeyColumn]
  /// What happens upon a conflict; nil leaves it to the engine, which aborts the statement.
  public var onConflict: ConflictResolution?
  /// The constraint's name; nil for none.
  public var name: String?

  /// Creates a key from columns with their order and collation.
  public init(columns: [KeyColumn], onConflict: ConflictResolution? = nil, name: String? = nil) {
    self.columns = columns
    self.onConflict = onConflict
    self.name = name
  }

  /// Creates a key from columns by their names alone.
  public init(columns: [String], onConflict: ConflictResolution? = nil, name: String? = nil) {
    self.init(columns: columns.map { KeyColumn($0) }, onConflict: onConflict, name: name)
  }
}

/// A column of a key or an index, with its order and collation.
///
///     t.uniqueKey(["team", .descending("score")])
public struct KeyColumn: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
  /// The column's name.
  public var name: String
  /// The collation by which the key compares texts; nil for the column's own.
  public var collation: String?
  /// Whether larger values come first.
  public var isDescending: Bool

  /// Creates a column of a key.
  public init(_ name: String, collation: Collation? = nil, isDescending: Bool = false) {
    self.name = name
    self.collation = collation?.rawValue
    self.isDescending = isDescending
  }

  /// Creates a column with its own collation whose smaller values come first.
  public init(stringLiteral value: String) { self.init(value) }

  /// A column whose smaller values come first.
  public static func ascending(_ name: String, collate: Collation? = nil) -> KeyColumn {
    KeyColumn(name, collation: collate)
  }

  /// A column whose larger values come first.
  public static func descending(_ name: String, collate: Collation? = nil) -> KeyColumn {
    KeyColumn(name, collation: collate, isDescending: true)
  }
}
