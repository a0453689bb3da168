/// Objects are created in the main schema unless `inSchema` names that of an attached database, and removed from the
/// first schema that has one of the name.
extension Database {
  /// Creates a virtual table.
  ///
  ///     try db.create(virtualTable: "place_area", using: "rtree") { t in
  ///         t.argument("id")
  ///         t.argument("minX")
  ///         t.argument("maxX")
  ///     }
  ///
  /// - Throws: ``DatabaseError``, as unsupported when the engine has no such module.
  public func create(
    virtualTable name: String, inSchema schema: String? = nil, options: VirtualTableOptions = [],
    using module: String, body: (VirtualTableDefinition) throws -> Void = { _ in }
  ) throws {
    precondition(!name.isEmpty, "A table needs a name.")
    precondition(!module.isEmpty, "A virtual table needs a module.")
    let definition = VirtualTableDefinition()
    try body(definition)
    try apply(
      .createVirtualTable(
        NewVirtualTableDescription(
          name: name, schema: schema, options: options, module: module, arguments: definition.arguments)))
  }

  /// Creates a table for full-text search by FTS5 (https://www.sqlite.org/fts5.html).
  ///
  ///     try db.create(virtualTable: "book_text", using: FTS5()) { t in
  ///         t.tokenizer = .porter
  ///         t.synchronize(withTable: "book")
  ///         t.column("title")
  ///         t.column("body")
  ///     }
  ///
  /// - Throws: ``DatabaseError``, as unsupported when the engine has no FTS5; ``EngineAbilities/fts5`` tells.
  public func create(
    virtualTable name: String, inSchema schema: String? = nil, options: VirtualTableOptions = [],
    using module: FTS5, body: (FullTextTableDefinition) throws -> Void
  ) throws {
    try create(
      fullTextTable: NewFullTextTableDescription(name: name, schema: schema, options: options, module: .fts5), body)
  }

  /// Creates a table for full-text search by FTS4 (https://www.sqlite.org/fts3.html).
  ///
  /// - Throws: ``DatabaseError``, as unsupported when the engine has no FTS4; ``EngineAbilities/fts4`` tells.
  public func create(
    virtualTable name: String, inSchema schema: String? = nil, options: VirtualTableOptions = [],
    using module: FTS4, body: (FullTextTableDefinition) throws -> Void
  ) throws {
    try create(
      fullTextTable: NewFullTextTableDescription(name: name, schema: schema, options: options, module: .fts4), body)
  }

  /// Removes the triggers that keep an FTS5 table up to date with its content table.
  ///
  /// Dropping the full-text table leaves them behind, where they would fail each change of the content table.
  public func dropFTS5SynchronizationTriggers(forTable name: String, inSchema schema: String? = nil) throws {
    try dropSynchronizationTriggers(of: NewFullTextTableDescription(name: name, schema: schema, module: .fts5))
  }

  /// Removes the triggers that keep an FTS4 table up to date with its content table, as for an FTS5 table.
  public func dropFTS4SynchronizationTriggers(forTable name: String, inSchema schema: String? = nil) throws {
    try dropSynchronizationTriggers(of: NewFullTextTableDescription(name: name, schema: schema, module: .fts4))
  }

  private func create(
    fullTextTable table: NewFullTextTableDescription, _ body: (FullTextTableDefinition) throws -> Void
  ) throws {
    precondition(!table.name.isEmpty, "A table needs a name.")
    let definition = FullTextTableDefinition(table)
    try body(definition)
    try apply(.createFullTextTable(definition.description))
  }

  private func dropSynchronizationTriggers(of table: NewFullTextTableDescription) throws {
    try inSavepoint {
      for name in table.synchronizationTriggerNames {
        try apply(.dropTrigger(name: name, ifExists: true, schema: table.schema))
      }
      return .commit
    }
  }
}

/// The module FTS5 for full-text search (https://www.sqlite.org/fts5.html).
public struct FTS5: Sendable, Hashable {
  /// Names the module.
  public init() {}
}

/// The module FTS4 for full-text search (https://www.sqlite.org/fts3.html).
public struct FTS4: Sendable, Hashable {
  /// Names the module.
  public init() {}
}

extension NewFullTextTableDescription {
  /// The names of the triggers on the content table, in the order of their creation.
  package var synchronizationTriggerNames: [String] {
    (module == .fts5 ? ["ai", "ad", "au"] : ["bu", "bd", "au", "ai"]).map { "__\(name)_\($0)" }
  }
}
