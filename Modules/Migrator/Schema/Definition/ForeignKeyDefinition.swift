/// The definition of a reference to the primary key of another table.
///
/// See ``TableDefinition/belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)``.
public final class ForeignKeyDefinition {
  let name: String
  let table: String?
  let onDelete: ForeignKeyAction?
  let onUpdate: ForeignKeyAction?
  let isDeferred: Bool
  /// Whether to create an index on the referring columns.
  ///
  /// If the columns are unique, no index is created.
  var isIndexed: Bool
  private(set) var notNull: NewColumnDescription.NotNull?
  private(set) var isUnique = false

  init(
    name: String, table: String?, onDelete: ForeignKeyAction?, onUpdate: ForeignKeyAction?,
    isDeferred: Bool, isIndexed: Bool
  ) {
    self.name = name
    self.table = table
    self.onDelete = onDelete
    self.onUpdate = onUpdate
    self.isDeferred = isDeferred
    self.isIndexed = isIndexed
  }

  /// Adds NOT NULL constraints, so that every row must refer to a row of the other table.
  @discardableResult
  public func notNull(onConflict: ConflictResolution? = nil) -> Self {
    notNull = NewColumnDescription.NotNull(onConflict: onConflict)
    return self
  }

  /// Adds a UNIQUE constraint, so that no two rows can refer to the same row.
  @discardableResult
  public func unique() -> Self {
    isUnique = true
    return self
  }

  /// The names under which to look for the referenced table: the explicit name, or the reference's name and its
  /// possible English plurals, so that `belongsTo("author")` matches a table `author` as well as `authors`.
  var candidateTables: [String] {
    if let table { return [table] }
    let plurals = [name, name + "s", name + "es"]
    return name.hasSuffix("y") ? plurals + [name.dropLast() + "ies"] : plurals
  }

  func columnNames(for key: ParentKey) -> [String] {
    if key.isRowID { return [name + "Id"] }
    return key.columns.map { column in name + column.name.prefix(1).uppercased() + column.name.dropFirst() }
  }

  /// Returns the referring columns.
  ///
  /// For a key of one column, the returned column contains the foreign key and the index. For a key of several columns,
  /// the table's definition contains them.
  func columns(for key: ParentKey) -> [NewColumnDescription] {
    zip(columnNames(for: key), key.columns).map { columnName, parent in
      var column = NewColumnDescription(name: columnName, type: parent.type)
      column.notNull = notNull
      guard key.columns.count == 1 else { return column }
      column.references = [foreignKey(columns: [], to: key)]
      if isUnique {
        column.keys = [.unique(onConflict: nil)]
      } else if isIndexed {
        column.index = NewColumnDescription.ColumnIndex()
      }
      return column
    }
  }

  /// Returns the foreign key that refers to a key of several columns; nil for a key of one column.
  func tableForeignKey(for key: ParentKey) -> NewForeignKeyDescription? {
    key.columns.count == 1 ? nil : foreignKey(columns: columnNames(for: key), to: key)
  }

  /// Returns the index on the columns that refer to a key of several columns; nil for a key of one column.
  func tableIndex(on table: String, for key: ParentKey, ifNotExists: Bool) -> NewIndexDescription? {
    guard key.columns.count > 1, isUnique || isIndexed else { return nil }
    let columns = columnNames(for: key)
    return NewIndexDescription(
      name: NewIndexDescription.defaultName(table: table, columns: columns), table: table,
      columns: columns.map { .column($0) }, isUnique: isUnique, ifNotExists: ifNotExists)
  }

  private func foreignKey(columns: [String], to key: ParentKey) -> NewForeignKeyDescription {
    NewForeignKeyDescription(
      columns: columns, table: key.table, destinationColumns: key.columns.map(\.name), onDelete: onDelete,
      onUpdate: onUpdate, isDeferred: isDeferred)
  }
}

/// The primary key that a reference refers to, with the columns in key order.
struct ParentKey {
  struct Column {
    let name: String
    let type: ColumnType?
  }

  let table: String
  let columns: [Column]
  /// Whether the key is the rowid of a table that declares no primary key.
  var isRowID = false

  static func rowID(of table: String) -> ParentKey {
    ParentKey(table: table, columns: [Column(name: "rowid", type: .integer)], isRowID: true)
  }
}
