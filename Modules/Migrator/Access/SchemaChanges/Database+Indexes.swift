internal import SQLSyntax

/// Methods that create objects use the main schema unless `inSchema` names an attached database.
///
/// If `inSchema` is nil, methods that remove an object use the first schema that contains an object with the given
/// name.
extension Database {
  /// Creates an index on columns.
  ///
  ///     try db.create(index: "player_on_email", on: "player", columns: ["email"], options: .unique)
  ///
  /// - Parameter condition: The WHERE condition of a partial index (https://www.sqlite.org/partialindex.html), as SQL;
  ///   nil to index all rows.
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
  /// - Parameter expressions: Columns, or SQL text with an expression, a collation and an order
  ///     (https://www.sqlite.org/lang_createindex.html#indexes_on_expressions).
  public func create(
    index name: String, on table: String, inSchema schema: String? = nil,
    expressions: [NewIndexDescription.IndexedColumn], options: IndexOptions = [], condition: String? = nil
  ) throws {
    precondition(!expressions.isEmpty, "An index needs at least one column.")
    try apply(
      .createIndex(
        NewIndexDescription(
          name: name, table: table, columns: expressions, isUnique: options.contains(.unique),
          ifNotExists: options.contains(.ifNotExists), condition: condition, schema: schema)))
  }

  /// Creates an index on columns, named after them: `index_player_on_teamId_score`.
  public func create(
    indexOn table: String, inSchema schema: String? = nil, columns: [String], options: IndexOptions = [],
    condition: String? = nil
  ) throws {
    precondition(!columns.isEmpty, "An index needs at least one column.")
    try create(
      index: NewIndexDescription.defaultName(table: table, columns: columns), on: table, inSchema: schema,
      columns: columns, options: options, condition: condition)
  }

  /// Removes an index.
  public func drop(index name: String, inSchema schema: String? = nil, ifExists: Bool = false) throws {
    try apply(.dropIndex(name: name, ifExists: ifExists, schema: schema))
  }

  /// Removes the index on the given columns of a table, whatever the index's name.
  ///
  /// This method is the counterpart of ``create(indexOn:inSchema:columns:options:condition:)``.
  ///
  /// - Parameters:
  ///   - table: The table to which the index belongs.
  ///   - schema: The schema of an attached database that contains the table; nil for the temporary table of that name
  ///     or, if there is none, the table of the main schema.
  ///   - columns: The columns, in the index's order.
  ///   - ifExists: Whether to do nothing if the index does not exist.
  /// - Throws: ``DatabaseError`` with the condition `.notFound` if there is no index on these columns, and `.misuse` if
  ///   there are several and none has a default name.
  public func drop(
    indexOn table: String, inSchema schema: String? = nil, columns: [String], ifExists: Bool = false
  ) throws {
    let folded = columns.map(\.asciiLowercased)
    let isTemporary = try schema == nil && connection.columns(in: table, inSchema: "temp") != nil
    let place = isTemporary ? "temp" : schema
    let indexes = try connection.indexes(on: table, inSchema: place).filter { $0.origin == .createIndex }
    let candidates = indexes.filter { index in index.columns.map { $0.name?.asciiLowercased } == folded }.map(\.name)
    let defaultNames = [
      NewIndexDescription.defaultName(table: table, columns: columns),
      NewIndexDescription.shortName(table: table, columns: columns),
    ].map(\.asciiLowercased)
    let preferred = defaultNames.compactMap { name in candidates.first { $0.asciiLowercased == name } }.first
    if let name = preferred ?? (candidates.count == 1 ? candidates.first : nil) {
      return try apply(.dropIndex(name: name, ifExists: ifExists, schema: place))
    }
    let list = "(\(columns.map { #""\#($0)""# }.joined(separator: ", ")))"
    if candidates.isEmpty {
      guard !ifExists else { return }
      let others = indexes.map(\.name).sorted().map { "\"\($0)\"" }.joined(separator: ", ")
      throw context.error(
        .notFound, "there is no index on \(list) of \"\(table)\"",
        remedy: others.isEmpty ? "The table has no index." : "Use the columns of one of its indexes: \(others).")
    }
    throw context.error(
      .misuse, "there are \(candidates.count) indexes on \(list) of \"\(table)\"",
      remedy: "Drop one by name: \(candidates.sorted().map { "\"\($0)\"" }.joined(separator: ", ")).")
  }

  /// Rebuilds all indexes that use a collation, after its order has changed (https://www.sqlite.org/lang_reindex.html).
  public func reindex(collation: Collation) throws {
    try execute(sql: "REINDEX \(collation.rawValue.quotedIdentifier)")
  }

  /// Rebuilds all indexes of a table.
  public func reindex(table: String) throws { try execute(sql: "REINDEX \(table.quotedIdentifier)") }

  /// Rebuilds an index.
  public func reindex(index: String) throws { try execute(sql: "REINDEX \(index.quotedIdentifier)") }
}
