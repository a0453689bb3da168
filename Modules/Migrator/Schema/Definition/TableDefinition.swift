internal import SQLSyntax

/// The columns and constraints of a new table, defined inside `create(table:)`.
///
///     try db.create(table: "book") { t in
///         t.autoIncrementedPrimaryKey("id")
///         t.belongsTo("author", onDelete: .cascade).notNull()
///         t.column("title", .text).notNull()
///     }
public final class TableDefinition {
  /// The columns that one call of a method such as `column` appends.
  enum Item {
    case column(ColumnDefinition)
    case sql(String)
    case belongsTo(ForeignKeyDefinition)
  }

  /// A primary key declared as a table constraint.
  ///
  /// Its columns are either given by name in `columns`, or defined in the body of `primaryKey { }` and stored in
  /// `items`.
  struct PrimaryKey {
    var columns: [KeyColumn] = []
    var items: [Item] = []
    let onConflict: ConflictResolution?
    let name: String?
  }

  var table: NewTableDescription
  private(set) var items: [Item] = []
  private(set) var primaryKey: PrimaryKey?
  private var isDefiningPrimaryKey = false

  init(name: String, schema: String? = nil, options: TableOptions) {
    precondition(
      schema == nil || !options.contains(.temporary), "A temporary table cannot be created in an attached database.")
    self.table = NewTableDescription(name: name, schema: schema, options: options)
  }

  /// Appends an integer primary key whose values are never reused (https://www.sqlite.org/autoinc.html).
  @discardableResult
  public func autoIncrementedPrimaryKey(_ name: String, onConflict: ConflictResolution? = nil) -> ColumnDefinition {
    column(name, .integer).primaryKey(onConflict: onConflict, autoincrement: true)
  }

  /// Appends a primary key column with a NOT NULL constraint.
  ///
  /// Without the constraint, SQLite would allow NULL in a primary key
  /// (https://www.sqlite.org/lang_createtable.html#the_primary_key). An `INTEGER` primary key never contains NULL, and
  /// is therefore not declared `NOT NULL`.
  @discardableResult
  public func primaryKey(_ name: String, _ type: ColumnType, onConflict: ConflictResolution? = nil) -> ColumnDefinition
  {
    let column = column(name, type).primaryKey(onConflict: onConflict)
    return type.rawValue.asciiLowercased == "integer" ? column : column.notNull()
  }

  /// Appends the columns that `body` defines, makes them the primary key, and declares each of them NOT NULL.
  ///
  ///     t.primaryKey {
  ///         t.belongsTo("citizen")
  ///         t.belongsTo("country")
  ///     }
  public func primaryKey(
    onConflict: ConflictResolution? = nil, named name: String? = nil, body: () throws -> Void
  ) rethrows {
    precondition(primaryKey == nil, "A table has one primary key: declare it once.")
    precondition(!isDefiningPrimaryKey, "A primary key cannot be declared inside a primary key.")
    isDefiningPrimaryKey = true
    defer { isDefiningPrimaryKey = false }
    let start = items.count
    try body()
    let members = Array(items[start...])
    precondition(!members.isEmpty, "A primary key needs at least one column.")
    for member in members {
      Self.refuseNull(in: member)
      if case .belongsTo(let reference) = member { reference.isIndexed = false }
    }
    primaryKey = PrimaryKey(items: members, onConflict: onConflict, name: name)
  }

  /// Makes one or more columns the primary key.
  public func primaryKey(_ columns: [String], onConflict: ConflictResolution? = nil, named name: String? = nil) {
    primaryKey(columns.map { KeyColumn($0) }, onConflict: onConflict, named: name)
  }

  /// Makes one or more columns the primary key.
  ///
  ///     t.primaryKey(["team", .descending("score")])
  public func primaryKey(_ columns: [KeyColumn], onConflict: ConflictResolution? = nil, named name: String? = nil) {
    precondition(primaryKey == nil, "A table has one primary key: declare it once.")
    precondition(!columns.isEmpty, "A primary key needs at least one column.")
    primaryKey = PrimaryKey(columns: columns, onConflict: onConflict, name: name)
  }

  /// Appends a column, by default without a declared type.
  @discardableResult
  public func column(_ name: String, _ type: ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name: name, type: type)
    items.append(.column(column))
    return column
  }

  /// Appends a column given as SQL, such as `"score INTEGER NOT NULL DEFAULT 0"`.
  public func column(sql: String) { items.append(.sql(sql)) }

  /// Appends a reference to the primary key of another table: a column for each column of that key, a foreign key, and
  /// an index.
  ///
  /// Each column is named after the reference and a key column, and has the type of that key column: if the key of
  /// `author` is `id`, `belongsTo("author")` appends `authorId`. For a key of several columns, as many referring
  /// columns are appended. The new table may refer to itself: pass its name as `inTable`, or use its name for the
  /// reference. As in GRDB, a reference to a table without a primary key refers to the rowid, in a column whose name
  /// ends with `Id`.
  ///
  /// - Parameters:
  ///   - name: The prefix of the columns' names.
  ///   - table: The referenced table; nil for the table named `name`, or the plural of `name`.
  ///   - onDelete: The action when the referenced row is deleted; nil to reject the deletion.
  ///   - onUpdate: The action when the referenced key changes; nil to reject the change.
  ///   - deferred: Whether the foreign key is checked at the commit instead of after each statement.
  ///   - indexed: Whether to create an index, named after the table and the columns: `book_on_authorId`, or
  ///     `index_book_on_authorFirst_authorLast` for a key of several columns. Inside `primaryKey { }`, no index is
  ///     created, since the primary key has one.
  /// - Note: `create(table:)` throws an error if the referenced table does not exist.
  /// - Warning: SQLite does not support references to a rowid that is not a declared column: if foreign keys are
  ///   enforced, writing fails with "foreign key mismatch" (https://www.sqlite.org/foreignkeys.html#fk_indexes).
  @discardableResult
  public func belongsTo(
    _ name: String, inTable table: String? = nil, onDelete: ForeignKeyAction? = nil,
    onUpdate: ForeignKeyAction? = nil, deferred: Bool = false, indexed: Bool = true
  ) -> ForeignKeyDefinition {
    let reference = ForeignKeyDefinition(
      name: name, table: table, onDelete: onDelete, onUpdate: onUpdate, isDeferred: deferred, isIndexed: indexed)
    items.append(.belongsTo(reference))
    return reference
  }

  private static func refuseNull(in item: Item) {
    switch item {
    case .column(let column): if column.description.notNull == nil { column.notNull() }
    case .belongsTo(let reference): if reference.notNull == nil { reference.notNull() }
    case .sql: preconditionFailure("A column given as SQL has no name here: use primaryKey([...]) instead.")
    }
  }
}

extension TableDefinition {
  /// Adds a foreign key of one or more columns (https://www.sqlite.org/foreignkeys.html).
  ///
  /// - Parameters:
  ///   - table: The referenced table; it need not exist yet.
  ///   - destinationColumns: The referenced columns; nil for the table's primary key.
  ///   - onDelete: The action when the referenced row is deleted; nil to reject the deletion.
  ///   - onUpdate: The action when the referenced values change; nil to reject the change.
  public func foreignKey(
    _ columns: [String], references table: String, columns destinationColumns: [String]? = nil,
    onDelete: ForeignKeyAction? = nil, onUpdate: ForeignKeyAction? = nil, deferred: Bool = false,
    named name: String? = nil
  ) {
    precondition(!columns.isEmpty, "A foreign key needs at least one column.")
    precondition(
      destinationColumns.map { $0.count == columns.count } ?? true,
      "A foreign key must have as many destination columns as columns.")
    self.table.foreignKeys.append(
      NewForeignKeyDescription(
        columns: columns, table: table, destinationColumns: destinationColumns ?? [], onDelete: onDelete,
        onUpdate: onUpdate, isDeferred: deferred, name: name))
  }

  /// Adds a unique key: no two rows may have the same values in these columns.
  public func uniqueKey(_ columns: [String], onConflict: ConflictResolution? = nil, named name: String? = nil) {
    uniqueKey(columns.map { KeyColumn($0) }, onConflict: onConflict, named: name)
  }

  /// Adds a unique key: no two rows may have the same values in these columns.
  ///
  ///     t.uniqueKey(["team", .descending("score"), .ascending("name", collate: .nocase)])
  public func uniqueKey(_ columns: [KeyColumn], onConflict: ConflictResolution? = nil, named name: String? = nil) {
    precondition(!columns.isEmpty, "A unique key needs at least one column.")
    table.uniqueKeys.append(TableKey(columns: columns, onConflict: onConflict, name: name))
  }

  /// Adds a CHECK constraint: rows for which the SQL expression is false are rejected; NULL counts as true.
  public func check(sql: String, named name: String? = nil) {
    table.checks.append(NewCheckDescription(sql, name: name))
  }

  /// Adds a table constraint given as SQL, such as `"CONSTRAINT positive CHECK (score > 0)"`.
  public func constraint(sql: String) { table.constraintsSQL.append(sql) }
}
