internal import SQLSyntax

/// Follows a schema from migration to migration, reading it again only when it has changed.
struct SchemaRecord {
  private let ledger: Ledger
  private let ledgerTable: String
  private var version: Int64?
  private var definitions: [SchemaObject.Name: String] = [:]
  private var owned: Set<SchemaObject.Name> = []
  /// What was added since these were brought up to date, which mostly is not needed again.
  private var additions: [(object: SchemaObject.Name, sql: String)] = []
  /// Whether what is recorded is the current schema, if no other connection has changed it.
  private var isKnown = false
  /// A digest of the definitions of all objects that the ledger's migrations made, by their meaning.
  private(set) var fingerprint = SchemaFingerprint()
  /// Which tables refer to which, as the last migration left them; nil when nothing has followed that.
  private var graph: ForeignKeyGraph?

  init(_ ledger: Ledger) {
    self.ledger = ledger
    ledgerTable = ledger.table.asciiLowercased
  }

  /// Prepares for a migration: what other connections changed in the meantime is none of its changes.
  ///
  /// - Parameter isUndisturbed: Whether no other connection can have changed the schema since ``end(_:added:graph:)``.
  mutating func begin(_ db: Database, isUndisturbed: Bool) throws {
    if isKnown, isUndisturbed { return }
    let current = try db.connection.schemaVersion()
    guard !isKnown || current != version else { return }
    version = current
    additions = []
    definitions = try db.connection.schema().definitions(leavingOut: ledger.table)
    owned = try ledger.ownedObjects(db)
    fingerprint = SchemaFingerprint()
    for object in owned { fingerprint.toggle(object, definitions[object]) }
    isKnown = true
  }

  /// Returns what has changed since ``begin(_:isUndisturbed:)``, which from now on is the ledger's migrations' own.
  ///
  /// - Parameters:
  ///   - added: The objects that were added, when nothing else has changed; nil when that is not known.
  ///   - graph: Which tables refer to which now; nil when that is not known.
  mutating func end(_ db: Database, added: [SchemaObject]? = nil, graph: ForeignKeyGraph? = nil) throws
    -> ObjectChanges
  {
    self.graph = graph
    if let added { return add(added) }
    let current = try db.connection.schemaVersion()
    guard current != version else { return ObjectChanges() }
    for (object, sql) in additions {
      definitions[object] = sql
      owned.insert(object)
    }
    additions = []
    let new = try db.connection.schema().definitions(leavingOut: ledger.table)
    var changes = ObjectChanges(from: definitions, to: new)
    // What was there before and is not the migrations' own stays so, though a rename rewrites views, indexes and
    // triggers.
    changes.made = changes.made.filter { definitions[$0] == nil || owned.contains($0) }
    for object in changes.made.union(changes.removed) where owned.contains(object) {
      fingerprint.toggle(object, definitions[object])
    }
    for object in changes.made { fingerprint.toggle(object, new[object]) }
    changes.apply(to: &owned)
    version = current
    definitions = new
    return changes
  }

  private mutating func add(_ objects: [SchemaObject]) -> ObjectChanges {
    var changes = ObjectChanges()
    guard !objects.isEmpty else { return changes }
    for added in objects {
      guard let (object, sql) = added.definition(leavingOut: ledgerTable) else { continue }
      fingerprint.toggle(object, sql)
      additions.append((object, sql))
      changes.made.insert(object)
    }
    // Not worth a query: as long as there are only additions, the number is not needed.
    version = nil
    return changes
  }

  /// Returns which tables refer to which, and forgets it: a migration that no watch follows may change that.
  mutating func takeGraph() -> ForeignKeyGraph? {
    defer { graph = nil }
    return graph
  }

  mutating func forget() {
    version = nil
    graph = nil
    isKnown = false
  }
}
