/// Follows a schema from migration to migration, reading it again only when it has changed.
struct SchemaRecord {
  private let ledger: Ledger
  private let ledgerTable: String
  private var version: Int64?
  private var definitions: [SchemaObject.Name: String] = [:]
  private var owned: Set<SchemaObject.Name> = []

  /// What was added since these were brought up to date: mostly nobody asks for them any more.
  private var additions: [(object: SchemaObject.Name, sql: String)] = []

  /// Whether what is recorded is the schema as it is, if nobody else has changed it.
  private var isKnown = false

  /// A digest of the definitions of all objects that the ledger's migrations made, by their meaning.
  private(set) var fingerprint = SchemaFingerprint()

  init(_ ledger: Ledger) {
    self.ledger = ledger
    ledgerTable = ledger.table.asciiLowercased
  }

  /// Gets ready for a migration: what others changed in the meantime is none of its changes.
  ///
  /// - Parameter isUndisturbed: Whether nobody else can have changed the schema since ``end(_:)``.
  mutating func begin(_ db: Database, isUndisturbed: Bool) throws {
    if isKnown, isUndisturbed { return }
    let current = try db.connection.schemaVersion()
    guard !isKnown || current != version else { return }
    version = current
    additions = []
    definitions = try db.connection.schema().definitions(leavingOut: ledger.table)
    owned = try ledger.ownedObjects(db)
    fingerprint = SchemaFingerprint()
    for object in owned {
      fingerprint.toggle(object, definitions[object], canonical: db.connection.canonicalDefinition)
    }
    isKnown = true
  }

  /// Tells what has changed since ``begin(_:isUndisturbed:)``, and takes it as the ledger's migrations' own.
  ///
  /// - Parameter added: The objects that were added, when nothing else has changed; nil when that is not known.
  mutating func end(_ db: Database, added: [SchemaObject]? = nil) throws -> ObjectChanges {
    if let added { return add(added, db.connection) }
    let current = try db.connection.schemaVersion()
    guard current != version else { return ObjectChanges() }
    for (object, sql) in additions {
      definitions[object] = sql
      owned.insert(object)
    }
    additions = []
    let new = try db.connection.schema().definitions(leavingOut: ledger.table)
    var changes = ObjectChanges(from: definitions, to: new)
    // What was there before and is somebody else's stays that one's, though a rename rewrites views, indexes and triggers.
    changes.made = changes.made.filter { definitions[$0] == nil || owned.contains($0) }
    for object in changes.made.union(changes.removed) where owned.contains(object) {
      fingerprint.toggle(object, definitions[object], canonical: db.connection.canonicalDefinition)
    }
    for object in changes.made { fingerprint.toggle(object, new[object], canonical: db.connection.canonicalDefinition) }
    changes.apply(to: &owned)
    version = current
    definitions = new
    return changes
  }

  private mutating func add(_ objects: [SchemaObject], _ connection: any DatabaseConnection) -> ObjectChanges {
    var changes = ObjectChanges()
    guard !objects.isEmpty else { return changes }
    for added in objects {
      guard let (object, sql) = added.definition(leavingOut: ledgerTable) else { continue }
      fingerprint.toggle(object, sql, canonical: connection.canonicalDefinition)
      additions.append((object, sql))
      changes.made.insert(object)
    }
    // The number is not worth a question: as long as nothing but additions happens, nobody needs it.
    version = nil
    return changes
  }

  /// Forgets the schema, after a rollback.
  mutating func forget() {
    version = nil
    isKnown = false
  }
}
