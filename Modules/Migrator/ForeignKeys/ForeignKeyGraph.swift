internal import SQLSyntax

/// The foreign key references between tables at one moment.
///
/// Each migration passes its graph to the next, so that only tables with a changed definition are read again.
package struct ForeignKeyGraph {
  /// The number that ``SchemaIntrospection/schemaVersion()`` returned; nil if it was not read.
  package private(set) var version: Int64?

  /// The objects of the schema at the moment that the graph describes.
  package private(set) var schema: SchemaSnapshot
  /// Whether the schema contains a virtual table, in which case some tables may store its data.
  let hasVirtualTables: Bool
  /// The foreign keys of each table that has any, keyed by the table's name in ASCII lowercase.
  private(set) var keys: [String: [ForeignKeyDescription]] = [:]
  /// The referring tables, keyed by the referenced table, which need not exist; names are in ASCII lowercase.
  private var referring: [String: Set<String>] = [:]
  /// The tables that refer to a view, or to a table that does not exist.
  private(set) var tablesReferringToNothing: Set<String> = []

  /// Reads the graph.
  ///
  /// - Parameters:
  ///   - db: The database, inside a transaction, so that the schema version and the definitions match.
  ///   - older: An older graph of the same database, from which unchanged definitions are taken. It must not be from a
  ///     transaction that was rolled back, since another transaction may reach the same schema version with a different
  ///     schema.
  ///   - isRereading: Whether to read the definitions even if the schema version is the same.
  package init(_ db: Database, following older: ForeignKeyGraph? = nil, isRereading: Bool = false) throws {
    let version = try db.connection.schemaVersion()
    if let older, older.version == version, !isRereading {
      self = older
      return
    }
    self.version = version
    schema = try db.connection.schema()
    hasVirtualTables = schema.objects.contains(where: \.isVirtual)
    let redefined = older.map { schema.tablesDefinedOtherwise(than: $0.schema) }
    keys = older?.keys.filter { redefined?.contains($0.key) == false } ?? [:]
    for object in schema.objects where object.kind == .table && !object.isVirtual {
      let table = object.tableName.asciiLowercased
      // A key cannot be declared without the keyword, so most tables need not be queried.
      guard redefined?.contains(table) ?? true, object.mayHaveForeignKeys else { continue }
      let found = try db.connection.foreignKeys(on: object.name)
      if !found.isEmpty { keys[table] = found }
    }
    for (table, keys) in keys {
      for key in keys { referring[key.destinationTable.asciiLowercased, default: []].insert(table) }
    }
    guard !referring.isEmpty else { return }
    let existing = Set(schema.objects.lazy.filter { $0.kind == .table }.map(\.name.asciiLowercased))
    for (table, children) in referring where !existing.contains(table) { tablesReferringToNothing.formUnion(children) }
  }

  var hasKeys: Bool { !keys.isEmpty }

  /// Updates the graph with objects that were added to the schema, given in creation order.
  ///
  /// - Returns: The names, in ASCII lowercase, of the tables and views that are new or have a new index; empty if no
  ///   table has foreign keys.
  mutating func add(_ objects: [SchemaObject], _ db: Database) throws -> Set<String> {
    version = nil
    schema.objects += objects
    for object in objects where object.kind == .table {
      if !tablesReferringToNothing.isEmpty, let children = referring[object.tableName.asciiLowercased] {
        // A child may refer to another missing table.
        tablesReferringToNothing.subtract(children.filter { child in !refersToNothing(child) })
      }
      guard object.mayHaveForeignKeys else { continue }
      let found = try db.connection.foreignKeys(on: object.name)
      guard !found.isEmpty else { continue }
      let table = object.tableName.asciiLowercased
      keys[table] = found
      for key in found { referring[key.destinationTable.asciiLowercased, default: []].insert(table) }
      if refersToNothing(table) { tablesReferringToNothing.insert(table) }
    }
    return hasKeys ? Set(objects.lazy.filter { $0.kind != .trigger }.map(\.tableName.asciiLowercased)) : []
  }

  private func refersToNothing(_ table: String) -> Bool {
    (keys[table] ?? []).contains { schema.object(.table, named: $0.destinationTable) == nil }
  }

  /// Returns those of `tables` that have foreign keys, and the tables that refer to `tables`.
  ///
  /// If only `tables` change, no other table can gain or lose a violation.
  func affected(by tables: Set<String>) -> Set<String> {
    var affected: Set<String> = []
    for table in tables {
      if keys[table] != nil { affected.insert(table) }
      if let children = referring[table] { affected.formUnion(children) }
    }
    return affected
  }

  var allReferringTables: Set<String> { Set(keys.keys) }
}

extension SchemaSnapshot {
  /// Returns the names, in ASCII lowercase, of tables and views with a different definition or different indexes.
  ///
  /// Either difference may affect the meaning of a foreign key. Triggers do not affect keys.
  func tablesDefinedOtherwise(than other: SchemaSnapshot) -> Set<String> {
    guard objects != other.objects else { return [] }
    let differing = Set(objects).symmetricDifference(other.objects)
    return Set(differing.filter { $0.kind != .trigger }.map(\.tableName.asciiLowercased))
  }
}

extension SchemaObject {
  /// Whether a table may have foreign keys: they cannot be declared without the keyword REFERENCES, so most tables need
  /// not be queried.
  fileprivate var mayHaveForeignKeys: Bool { kind == .table && sql?.holdsWord("references") ?? true }
}
