/// Defines the columns and constraints of a new table, inside `create(table:)`.
///
///     try db.create(table: "book") { t in
///         t.autoIncrementedPrimaryKey("id")
///         t.belongsTo("author", onDelete: .cascade).notNull()
///         t.column("title", .text).notNull()
///     }
public final class TableDefinition {
  /// What appends columns, in the order of the calls.
  enum Item {
    case column(ColumnDefinition)
    case sql(String)
    case belongsTo(ForeignKeyDefinition)
  }

  /// A primary key of the table as a whole: columns by name, or what the body of `primaryKey { }` defined.
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
    precondition(!name.isEmpty, "A table needs a name.")
    precondition(
      schema == nil || !options.contains(.temporary), "A temporary table is in no schema of an attached database.")
    self.table = NewTableDescription(name: name, schema: schema, options: options)
  }

  /// Appends an integer primary key whose values are never used again (https://www.sqlite.org/autoinc.html).
  @discardableResult
  public func autoIncrementedPrimaryKey(_ name: String, onConflict: ConflictResolution? = nil) -> ColumnDefinition {
    column(name, .integer).primaryKey(onConflict: onConflict, autoincrement: true)
  }

  /// Appends a column that is the primary key, and refuses NULL.
  ///
  /// SQLite by itself allows NULL in primary keys other than `INTEGER` ones
  /// (https://www.sqlite.org/lang_createtable.html#the_primary_key).
  @discardableResult
  public func primaryKey(_ name: String, _ type: ColumnType, onConflict: ConflictResolution? = nil) -> ColumnDefinition
  {
    column(name, type).primaryKey(onConflict: onConflict).notNull()
  }

  /// Appends the columns that `body` defines, makes them the primary key together, and refuses NULL in each.
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
    for member in members { Self.refuseNull(in: member) }
    primaryKey = PrimaryKey(items: members, onConflict: onConflict, name: name)
  }

  /// Makes columns the primary key together.
  public func primaryKey(_ columns: [String], onConflict: ConflictResolution? = nil, named name: String? = nil) {
    primaryKey(columns.map { KeyColumn($0) }, onConflict: onConflict, named: name)
  }

  /// Makes columns the primary key together.
  ///
  ///     t.primaryKey(["team", .descending("score")])
  public func primaryKey(_ columns: [KeyColumn], onConflict: ConflictResolution? = nil, named name: String? = nil) {
    precondition(primaryKey == nil, "A table has one primary key: declare it once.")
    precondition(!columns.isEmpty, "A primary key needs at least one column.")
    primaryKey = PrimaryKey(columns: columns, onConflict: onConflict, name: name)
  }

  /// Appends a column; without a type it declares none.
  @discardableResult
  public func column(_ name: String, _ type: ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name: name, type: type)
    items.append(.column(column))
    return column
  }

  /// Appends a column given as SQL, such as `"score INTEGER NOT NULL DEFAULT 0"`.
  public func column(sql: String) { items.append(.sql(sql)) }

  /// Appends a reference to the primary key of another table: one column for each of that key's, a foreign key, and
  /// an index.
  ///
  /// A column is named after the reference and the key's column, and has that column's type: with an `author` whose
  /// key is `id`, `belongsTo("author")` appends `authorId`. A key of several columns is referred to by as many.
  /// The table that is defined may refer to itself: name it with `inTable`, or use its own name.
  ///
  /// - Parameters:
  ///   - name: What the columns' names begin with.
  ///   - table: The table that is referred to; nil for the one of that name, or of its plural.
  ///   - onDelete: What happens when the row that is referred to is deleted; nil refuses the deletion.
  ///   - onUpdate: What happens when the key that is referred to changes; nil refuses the change.
  ///   - indexed: Whether an index is created, named after the table and the columns: `book_on_authorId`.
  /// - Note: A table that does not exist, or that has no primary key, is reported by `create(table:)`.
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
  /// Makes columns a foreign key together (https://www.sqlite.org/foreignkeys.html).
  ///
  /// - Parameters:
  ///   - table: The table that is referred to; it need not exist yet.
  ///   - destinationColumns: The columns that are referred to; nil for the table's primary key.
  ///   - onDelete: What happens when the row that is referred to is deleted; nil refuses the deletion.
  ///   - onUpdate: What happens when the values that are referred to change; nil refuses the change.
  public func foreignKey(
    _ columns: [String], references table: String, columns destinationColumns: [String]? = nil,
    onDelete: ForeignKeyAction? = nil, onUpdate: ForeignKeyAction? = nil, deferred: Bool = false,
    named name: String? = nil
  ) {
    precondition(!columns.isEmpty, "A foreign key needs at least one column.")
    precondition(
      destinationColumns.map { $0.count == columns.count } ?? true,
      "A foreign key refers to as many columns as it has.")
    self.table.foreignKeys.append(
      NewForeignKeyDescription(
        columns: columns, table: table, destinationColumns: destinationColumns ?? [], onDelete: onDelete,
        onUpdate: onUpdate, isDeferred: deferred, name: name))
  }

  /// Refuses a row whose values in these columns, taken together, another row has.
  public func uniqueKey(_ columns: [String], onConflict: ConflictResolution? = nil, named name: String? = nil) {
    uniqueKey(columns.map { KeyColumn($0) }, onConflict: onConflict, named: name)
  }

  /// Refuses a row whose values in these columns, taken together, another row has.
  ///
  ///     t.uniqueKey(["team", .descending("score"), .ascending("name", collate: .nocase)])
  public func uniqueKey(_ columns: [KeyColumn], onConflict: ConflictResolution? = nil, named name: String? = nil) {
    precondition(!columns.isEmpty, "A unique key needs at least one column.")
    table.uniqueKeys.append(TableKey(columns: columns, onConflict: onConflict, name: name))
  }

  /// Refuses rows for which an SQL expression is false; NULL counts as true.
  public func check(sql: String, named name: String? = nil) {
    table.checks.append(NewCheckDescription(sql, name: name))
  }

  /// Adds a table constraint given as SQL, such as `"CONSTRAINT positive CHECK (score > 0)"`.
  public func constraint(sql: String) { table.constraintsSQL.append(sql) }
}
