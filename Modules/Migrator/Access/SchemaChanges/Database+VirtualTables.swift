internal import SQLSyntax

/// Methods that create objects use the main schema unless `inSchema` names an attached database.
///
/// If `inSchema` is nil, methods that remove an object use the first schema that contains an object with the given
/// name.
extension Database {
  /// Creates a virtual table.
  ///
  ///     try db.create(virtualTable: "place_area", using: "rtree") { t in
  ///         t.argument("id")
  ///         t.argument("minX")
  ///         t.argument("maxX")
  ///     }
  ///
  /// - Throws: ``DatabaseError`` with the condition `.unsupported` if the engine has no such module.
  public func create(
    virtualTable name: String, inSchema schema: String? = nil, options: VirtualTableOptions = [],
    using module: String, body: (VirtualTableDefinition) throws -> Void = { _ in }
  ) throws {
    let definition = VirtualTableDefinition()
    try body(definition)
    try apply(
      .createVirtualTable(
        NewVirtualTableDescription(
          name: name, schema: schema, options: options, module: module, arguments: definition.arguments)))
  }

  /// Creates a table for full-text search with FTS5 (https://www.sqlite.org/fts5.html).
  ///
  ///     try db.create(virtualTable: "book_text", using: FTS5()) { t in
  ///         t.tokenizer = .porter
  ///         t.synchronize(withTable: "book")
  ///         t.column("title")
  ///         t.column("body")
  ///     }
  ///
  /// - Throws: ``DatabaseError`` with the condition `.unsupported` if the engine lacks FTS5; see
  ///   ``EngineAbilities/fts5``.
  public func create(
    virtualTable name: String, inSchema schema: String? = nil, options: VirtualTableOptions = [],
    using module: FTS5, body: (FullTextTableDefinition) throws -> Void
  ) throws {
    try create(
      fullTextTable: NewFullTextTableDescription(name: name, schema: schema, options: options, module: .fts5), body)
  }

  /// Creates a table for full-text search with FTS4 (https://www.sqlite.org/fts3.html).
  ///
  /// - Throws: ``DatabaseError`` with the condition `.unsupported` if the engine lacks FTS4; see
  ///   ``EngineAbilities/fts4``.
  public func create(
    virtualTable name: String, inSchema schema: String? = nil, options: VirtualTableOptions = [],
    using module: FTS4, body: (FullTextTableDefinition) throws -> Void
  ) throws {
    try create(
      fullTextTable: NewFullTextTableDescription(name: name, schema: schema, options: options, module: .fts4), body)
  }

  /// Removes the triggers that keep an FTS5 table up to date with its content table.
  ///
  /// Dropping the full-text table does not drop the triggers, which then make every change to the content table fail.
  public func dropFTS5SynchronizationTriggers(forTable name: String, inSchema schema: String? = nil) throws {
    try dropSynchronizationTriggers(of: NewFullTextTableDescription(name: name, schema: schema, module: .fts5))
  }

  /// Removes the triggers that keep an FTS4 table up to date with its content table.
  public func dropFTS4SynchronizationTriggers(forTable name: String, inSchema schema: String? = nil) throws {
    try dropSynchronizationTriggers(of: NewFullTextTableDescription(name: name, schema: schema, module: .fts4))
  }

  private func create(
    fullTextTable table: NewFullTextTableDescription, _ body: (FullTextTableDefinition) throws -> Void
  ) throws {
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

/// The FTS5 module for full-text search (https://www.sqlite.org/fts5.html).
public struct FTS5: Sendable, Equatable {
  /// Creates a value that names the module.
  public init() {}
}

/// The FTS4 module for full-text search (https://www.sqlite.org/fts3.html).
public struct FTS4: Sendable, Equatable {
  /// Creates a value that names the module.
  public init() {}
}

extension NewFullTextTableDescription {
  /// The names of the triggers on the content table, in creation order.
  package var synchronizationTriggerNames: [String] {
    (module == .fts5 ? ["ai", "ad", "au"] : ["bu", "bd", "au", "ai"]).map { "__\(name)_\($0)" }
  }

  /// Whether a trigger has such a name, for any table.
  package static func namesSynchronizationTrigger(_ name: String) -> Bool {
    name.hasPrefix("__") && ["_ai", "_ad", "_au", "_bu", "_bd"].contains(where: name.asciiLowercased.hasSuffix)
  }
}
