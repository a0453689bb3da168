/// The name of an object of a schema together with its kind, without its definition.
package struct SchemaObjectName: Sendable, Hashable {
  /// The kind of the object.
  package var kind: SchemaObject.Kind
  /// Its name in ASCII lower case.
  package var name: String

  /// Creates a name; it must be in ASCII lower case.
  package init(kind: SchemaObject.Kind, name: String) {
    self.kind = kind
    self.name = name
  }

  /// The name of an object of a schema.
  package init(_ object: SchemaObject) { self.init(kind: object.kind, name: object.name.asciiLowercased) }

  /// By the name alone: hardly ever are there two objects of one name.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension SchemaObjectName: Comparable {
  /// Tables before indexes, views and triggers, each by name.
  package static func < (one: Self, other: Self) -> Bool {
    let order = SchemaObject.Kind.allCases
    let places = (order.firstIndex(of: one.kind) ?? 0, order.firstIndex(of: other.kind) ?? 0)
    return places.0 != places.1 ? places.0 < places.1 : one.name < other.name
  }
}

extension SchemaSnapshot {
  /// The definitions that count as a migrator's work, by their object.
  func definitions(leavingOut ledgerTable: String) -> [SchemaObjectName: String] {
    let ledger = ledgerTable.asciiLowercased
    var definitions: [SchemaObjectName: String] = [:]
    for object in objects {
      guard let (name, sql) = object.definition(leavingOut: ledger) else { continue }
      definitions[name] = sql
    }
    return definitions
  }
}

extension SchemaObject {
  /// Whether the object is a table, or belongs to it, names compared without regard to ASCII case.
  func belongs(to table: String) -> Bool { tableName.asciiLowercased == table.asciiLowercased }

  /// The object's definition if it counts as a migrator's work.
  ///
  /// - Parameter ledger: The ledger's table in ASCII lower case.
  func definition(leavingOut ledger: String) -> (name: SchemaObjectName, sql: String)? {
    guard !isShadow, let sql, tableName.asciiLowercased != ledger else { return nil }
    return (SchemaObjectName(self), sql)
  }
}
