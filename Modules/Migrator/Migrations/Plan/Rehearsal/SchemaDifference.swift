/// What distinguishes two schemas, by the meaning of their definitions: blanks, comments and the way of quoting do not
/// count.
///
/// Each list is sorted: tables, indexes, views, triggers, each by name.
public struct SchemaDifference: Sendable, Hashable {
  /// Objects that only the later schema has.
  public let made: [SchemaObject]

  /// Objects that both have, defined otherwise.
  public let changed: [Change]

  /// Objects that only the earlier schema has.
  public let removed: [SchemaObject]

  /// An object that is defined otherwise.
  public struct Change: Sendable, Hashable {
    /// The object in the earlier schema, with its SQL.
    public let before: SchemaObject

    /// The object in the later schema, with its SQL.
    public let after: SchemaObject
  }

  /// Whether both schemas say the same.
  public var isEmpty: Bool { made.isEmpty && changed.isEmpty && removed.isEmpty }

  /// Compares two schemas.
  ///
  /// Objects without a definition of their own do not count, nor do those that virtual tables make for themselves.
  ///
  /// - Parameters:
  ///   - ledgerTable: A table that is left out with all that belongs to it.
  ///   - canonical: A form of a definition that is equal for those that say the same.
  init(
    from before: SchemaSnapshot, to after: SchemaSnapshot, leavingOut ledgerTable: String,
    canonical: (String) -> String
  ) {
    let old = before.objectsByName(leavingOut: ledgerTable)
    let new = after.objectsByName(leavingOut: ledgerTable)
    made = new.keys.sorted().filter { old[$0] == nil }.compactMap { new[$0] }
    removed = old.keys.sorted().filter { new[$0] == nil }.compactMap { old[$0] }
    changed = new.keys.sorted().compactMap { name in
      guard let before = old[name], let after = new[name], let oldSQL = before.sql, let newSQL = after.sql,
        oldSQL != newSQL, canonical(oldSQL) != canonical(newSQL)
      else { return nil }
      return Change(before: before, after: after)
    }
  }
}

extension SchemaSnapshot {
  fileprivate func objectsByName(leavingOut ledgerTable: String) -> [ObjectChanges.Name: SchemaObject] {
    let counted = definitions(leavingOut: ledgerTable)
    var named: [ObjectChanges.Name: SchemaObject] = [:]
    for object in objects {
      let name = ObjectChanges.Name(kind: object.kind, name: object.name.asciiLowercased)
      if counted[name] != nil { named[name] = object }
    }
    return named
  }
}
