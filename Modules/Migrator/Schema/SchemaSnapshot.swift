/// The objects of a schema as plain values, without what the engine keeps for itself.
public struct SchemaSnapshot: Sendable, Hashable {
  /// The objects in the order of their creation.
  public var objects: [SchemaObject]

  /// Creates a snapshot.
  public init(objects: [SchemaObject]) { self.objects = objects }

  /// The object of a kind and name, names compared without regard to ASCII case; nil when there is none.
  public func object(_ kind: SchemaObject.Kind, named name: String) -> SchemaObject? {
    let folded = name.asciiLowercased
    return objects.first { $0.kind == kind && $0.name.asciiLowercased == folded }
  }
}

/// One table, index, view or trigger.
public struct SchemaObject: Sendable, Hashable {
  /// What an object is.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A table, virtual ones included.
    case table
    /// An index.
    case index
    /// A view.
    case view
    /// A trigger.
    case trigger
  }

  /// What the object is.
  public var kind: Kind

  /// The object's name as it was written.
  public var name: String

  /// The table or view that it belongs to; its own name for tables and views.
  public var tableName: String

  /// The definition as the engine keeps it; nil for indexes that come with a constraint of their table.
  public var sql: String?

  /// Whether the object is a virtual table.
  public var isVirtual: Bool

  /// Whether a virtual table made this table for its own storage.
  public var isShadow: Bool

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
}
