/// Objects are created in the main schema unless `inSchema` names that of an attached database, and removed from the
/// first schema that has one of the name.
extension Database {
  /// Creates an index on columns.
  ///
  ///     try db.create(index: "player_on_email", on: "player", columns: ["email"], options: .unique)
  ///
  /// - Parameter condition: An SQL expression that chooses the rows of a partial index
  ///     (https://www.sqlite.org/partialindex.html); nil for all rows.
  public func create(
    index name: String, on table: String, inSchema schema: String? = nil, columns: [String],
    options: IndexOptions = [], condition: String? = nil
  ) throws {
    try create(
      index: name, on: table, inSchema: schema, expressions: columns.map { .column($0) }, options: options,
      condition: condition)
  }

  /// Creates an index on columns and expressions.
  ///
  ///     try db.create(index: "player_on_name", on: "player", expressions: [.sql("lower(name)"), .descending("id")])
  ///
  /// - Parameter expressions: Columns, or SQL with an expression, a collation and an order
  ///     (https://www.sqlite.org/lang_createindex.html#indexes_on_expressions).
  public func create(
    index name: String, on table: String, inSchema schema: String? = nil,
    expressions: [NewIndexDescription.IndexedColumn], options: IndexOptions = [], condition: String? = nil
  ) throws {
    precondition(!name.isEmpty, "An index needs a name.")
    precondition(!expressions.isEmpty, "An index needs at least one column.")
    try apply(
      .createIndex(
        NewIndexDescription(
          name: name, table: table, columns: expressions, isUnique: options.contains(.unique),
          ifNotExists: options.contains(.ifNotExists), condition: condition,
          schema: schema)))
  }

  /// Creates an index on columns, named after them: `player_on_teamId_score`.
  public func create(
    indexOn table: String, inSchema schema: String? = nil, columns: [String], options: IndexOptions = [],
    condition: String? = nil
  ) throws {
    precondition(!columns.isEmpty, "An index needs at least one column.")
    try create(
      index: NewIndexDescription.defaultName(table: table, columns: columns), on: table, inSchema: schema,
      columns: columns,
      options: options, condition: condition)
  }

  /// Removes an index.
  public func drop(index name: String, inSchema schema: String? = nil, ifExists: Bool = false) throws {
    try apply(.dropIndex(name: name, ifExists: ifExists, schema: schema))
  }

  /// Removes the index that ``create(indexOn:inSchema:columns:options:condition:)`` makes.
  public func drop(
    indexOn table: String, inSchema schema: String? = nil, columns: [String], ifExists: Bool = false
  ) throws {
    try drop(
      index: NewIndexDescription.defaultName(table: table, columns: columns), inSchema: schema, ifExists: ifExists)
  }
}
