package import SQLSyntax

/// A schema as plain values, without the engine's internal objects.
///
/// ``Database/schema(in:)`` fills all properties. A connection's ``SchemaIntrospection/schema(named:)`` fills only
/// `objects`, which is enough to compare two schemas.
public struct SchemaSnapshot: Sendable, Equatable, Encodable {
  /// The objects in creation order.
  public var objects: [SchemaObject]
  /// Descriptions of the tables, including virtual and shadow tables, in creation order.
  public var tables: [TableDescription]
  /// Descriptions of the indexes, including the indexes of constraints, ordered by table.
  public var indexes: [IndexDescription]
  /// Descriptions of the views, in creation order.
  public var views: [ViewDescription]
  /// Descriptions of the triggers, in creation order.
  public var triggers: [TriggerDescription]

  /// Creates a snapshot.
  public init(
    objects: [SchemaObject], tables: [TableDescription] = [], indexes: [IndexDescription] = [],
    views: [ViewDescription] = [], triggers: [TriggerDescription] = []
  ) {
    self.objects = objects
    self.tables = tables
    self.indexes = indexes
    self.views = views
    self.triggers = triggers
  }

  /// Returns the object with the given kind and name, ignoring ASCII case; nil if there is none.
  public func object(_ kind: SchemaObject.Kind, named name: String) -> SchemaObject? {
    let folded = name.asciiLowercased
    return objects.first { $0.kind == kind && $0.name.asciiLowercased == folded }
  }

  /// Returns the description of a table, ignoring the ASCII case of names; nil if there is none.
  public func table(_ name: String) -> TableDescription? { tables.first { $0.name.isSameName(as: name) } }

  /// Returns the descriptions of the indexes of a table, ignoring the ASCII case of names.
  public func indexes(on table: String) -> [IndexDescription] { indexes.filter { $0.table.isSameName(as: table) } }

  /// Returns the description of a view, ignoring the ASCII case of names; nil if there is none.
  public func view(_ name: String) -> ViewDescription? { views.first { $0.name.isSameName(as: name) } }

  /// Returns the description of a trigger, ignoring the ASCII case of names; nil if there is none.
  public func trigger(_ name: String) -> TriggerDescription? { triggers.first { $0.name.isSameName(as: name) } }

  /// The descriptions of the tables, by their names in ASCII lowercase, for a look at many of them.
  package var tablesByName: [String: TableDescription] {
    Dictionary(tables.map { ($0.name.asciiLowercased, $0) }) { first, _ in first }
  }
}

/// One table, index, view or trigger.
public struct SchemaObject: Sendable, Hashable, Encodable {
  /// A kind of object.
  public enum Kind: String, Sendable, Hashable, CaseIterable, Encodable {
    /// A table, including virtual tables.
    case table
    /// An index.
    case index
    /// A view.
    case view
    /// A trigger.
    case trigger
  }

  /// The identity of an object, without its definition.
  package struct Name: Sendable, Hashable {
    /// The kind of the object.
    package var kind: SchemaObject.Kind
    /// The object's name in ASCII lowercase.
    package var name: String
  }

  /// The kind of the object.
  public var kind: Kind
  /// The object's name as written.
  public var name: String
  /// The table or view that the object belongs to; for a table or view, its own name.
  public var tableName: String
  /// The definition as the engine stores it; nil for indexes that belong to a constraint of their table.
  public var sql: String?
  /// Whether the object is a virtual table.
  public var isVirtual: Bool
  /// Whether the table is a shadow table, which a virtual table created for its storage.
  public var isShadow: Bool

  /// The syntax tree of the definition; nil if there is none, or if it cannot be parsed.
  package var syntax: SQLTree? { sql.flatMap { try? SQLTree(parsing: $0) } }

  /// Creates an object.
  public init(
    kind: Kind, name: String, tableName: String, sql: String?, isVirtual: Bool = false, isShadow: Bool = false
  ) {
    self.kind = kind
    self.name = name
    self.tableName = tableName
    self.sql = sql
    self.isVirtual = isVirtual
    self.isShadow = isShadow
  }

  /// Returns the name of the virtual table that this shadow table belongs to; nil if there is none.
  ///
  /// If several virtual tables have names that are prefixes of the shadow table's name, it belongs to the one with the
  /// longest name.
  package func virtualTable(among objects: [SchemaObject]) -> String? {
    let folded = name.asciiLowercased
    return objects.filter { $0.kind == .table && $0.isVirtual && folded.hasPrefix($0.name.asciiLowercased + "_") }
      .map(\.name).max { $0.utf8.count < $1.utf8.count }
  }
}

extension SchemaObject {
  /// Returns whether the object is the given table or belongs to it, ignoring the ASCII case of names.
  func belongs(to table: String) -> Bool { tableName.isSameName(as: table) }

  /// Returns the object's name and definition; nil for a shadow table, for an object without a definition, and for the
  /// ledger (named in ASCII lowercase) with its indexes and triggers.
  func definition(leavingOut ledger: String) -> (name: Name, sql: String)? {
    guard !isShadow, let sql, tableName.asciiLowercased != ledger else { return nil }
    return (Name(self), sql)
  }
}

extension SchemaObject.Name: Comparable {
  /// The identity of an object; the case of its name does not count.
  package init(_ object: SchemaObject) { self.init(kind: object.kind, name: object.name.asciiLowercased) }

  /// Orders tables before indexes, views and triggers, and objects of the same kind by name.
  package static func < (one: Self, other: Self) -> Bool {
    let order = SchemaObject.Kind.allCases
    return (order.firstIndex(of: one.kind) ?? 0, one.name) < (order.firstIndex(of: other.kind) ?? 0, other.name)
  }
}

/// A digest of a set of definitions that can be updated one definition at a time.
///
/// The digest is the exclusive or of the digests of all objects, so that adding and removing an object are the same
/// operation and the order does not matter.
struct SchemaFingerprint: Equatable {
  private var bits: UInt64 = 0

  /// Adds an object to the digest, or removes it if it was added before; ignores an object without a definition.
  mutating func toggle(_ object: SchemaObject.Name, _ sql: String?) {
    guard let sql else { return }
    // By its tokens alone: parsing each definition as well would cost a run a fifth of its time (W2 of Tools/bench).
    var hasher = WordHasher()
    for part in [object.kind.rawValue, object.name, SQLNormalization.canonicalText(of: sql)] { hasher.add(part) }
    bits ^= hasher.value
  }

  var text: String { bits.hexadecimal }
}

extension SchemaSnapshot {
  /// Returns the canonical form of one of the schema's definitions.
  ///
  /// In this form, foreign keys do not name the referenced columns if these are the primary key of the referenced
  /// table.
  package func canonicalDefinition(_ sql: String) -> String {
    SQLNormalization.canonicalDefinition(of: sql) { table in
      object(.table, named: table)?.sql.flatMap(SQLNormalization.primaryKey(of:))
    }
  }

  /// Returns the objects that have a definition, keyed by name, without the shadow tables of virtual tables.
  func countedObjects(leavingOut tables: Set<String> = []) -> [SchemaObject.Name: SchemaObject] {
    var omitted = Set(tables.map(\.asciiLowercased))
    // With a virtual table, the tables that it created, which may have indexes and triggers.
    for table in self.tables {
      guard let owner = table.shadowOf, omitted.contains(owner.asciiLowercased) else { continue }
      omitted.insert(table.name.asciiLowercased)
    }
    var named: [SchemaObject.Name: SchemaObject] = [:]
    named.reserveCapacity(objects.count)
    for object in objects where !object.isShadow && object.sql != nil {
      guard !omitted.contains(object.tableName.asciiLowercased) else { continue }
      named[SchemaObject.Name(object)] = object
    }
    return named
  }

  /// Returns the definitions of the objects that a migrator may have created, keyed by object; shadow tables and the
  /// ledger are left out.
  func definitions(leavingOut ledgerTable: String) -> [SchemaObject.Name: String] {
    countedObjects(leavingOut: [ledgerTable]).compactMapValues(\.sql)
  }
}
