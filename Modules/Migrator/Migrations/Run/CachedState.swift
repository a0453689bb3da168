internal import SQLSyntax

/// The state of the database as a run has read it, with the changes of the transaction that is open: the known migrations in
/// the ledger, and the schema, which are read again only if another connection may have changed them.
final class CachedState {
  private let ledger: Ledger
  private let ledgerTable: String
  /// The known migrations in the ledger, including those that the open transaction will record; nil if they must be read.
  private(set) var applied: Set<String>?
  /// Whether no other connection has changed the database since the schema was read or noted; false between transactions,
  /// except while a migration without a transaction runs.
  private(set) var isUndisturbed = false
  /// The data version of the last transaction; see ``TransactionControl/dataVersion()``.
  private var dataVersion: Int64?
  private var version: Int64?
  private var definitions: [SchemaObject.Name: String] = [:]
  private var owned: Set<SchemaObject.Name> = []
  /// Whether the record matches the current schema, provided that no other connection has changed the schema.
  private var hasSchema = false
  /// A digest of the normalized definitions of all objects that the ledger's migrations created.
  private(set) var fingerprint = SchemaFingerprint()
  /// The foreign key references between tables after the last migration; nil if no ``ForeignKeyWatch`` has kept track
  /// of them.
  private var graph: ForeignKeyGraph?

  init(_ ledger: Ledger) {
    self.ledger = ledger
    ledgerTable = ledger.table.asciiLowercased
  }

  /// Begins a transaction that holds the write lock.
  ///
  /// - Parameter dataVersion: The data version now; nil if the engine has none.
  func beginTransaction(dataVersion: Int64?) {
    isUndisturbed = dataVersion != nil && dataVersion == self.dataVersion
    self.dataVersion = dataVersion
    if !isUndisturbed { applied = nil }
  }

  /// Notes the end of the transaction: from now on, other connections can change the database.
  func didCommit() { isUndisturbed = false }

  func didRead(applied: Set<String>) { self.applied = applied }

  func didRecord(_ migration: Migration) {
    applied?.insert(migration.identifier)
    if !migration.mergedIdentifiers.isEmpty { applied?.subtract(migration.mergedIdentifiers) }
  }

  /// Prepares the record of the schema for a migration, so that earlier changes by other connections do not count as the
  /// migration's.
  func beginMigration(_ db: Database) throws {
    if hasSchema, isUndisturbed { return }
    defer { isUndisturbed = hasSchema }
    let current = try db.connection.schemaVersion()
    guard !hasSchema || current != version else { return }
    version = current
    definitions = try db.connection.schema().definitions(leavingOut: ledger.table)
    // Without objects, none belongs to the ledger's migrations.
    owned = definitions.isEmpty ? [] : try ledger.ownedObjects(db)
    fingerprint = SchemaFingerprint()
    for object in owned { fingerprint.toggle(object, definitions[object]) }
    hasSchema = true
  }

  /// Updates the schema after a migration, and returns the changes to the schema since ``beginMigration(_:)``.
  ///
  /// From now on, the created objects count as objects of the ledger's migrations.
  ///
  /// - Parameters:
  ///   - added: The objects that were added, if it is known that nothing else has changed; otherwise nil.
  ///   - graph: The current foreign key references between tables; nil if unknown.
  func endMigration(
    _ db: Database, added: [SchemaObject]? = nil, graph: ForeignKeyGraph? = nil
  ) throws -> ObjectChanges {
    self.graph = graph
    // All current knowledge was read in this transaction.
    isUndisturbed = true
    if let added { return add(added) }
    let current = try db.connection.schemaVersion()
    guard current != version else { return ObjectChanges() }
    let new = try db.connection.schema().definitions(leavingOut: ledger.table)
    var changes = ObjectChanges(from: definitions, to: new)
    // Objects that existed before and do not belong to the migrations remain so, although a rename rewrites views,
    // indexes and triggers.
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

  /// Returns the objects that have been added since the schema was read or noted.
  func addedObjects(_ db: Database) throws -> [SchemaObject] {
    try db.connection.schema().objects.filter { object in
      object.definition(leavingOut: ledgerTable).map { definitions[$0.name] == nil } ?? false
    }
  }

  func add(_ objects: [SchemaObject]) -> ObjectChanges {
    var changes = ObjectChanges()
    guard !objects.isEmpty else { return changes }
    for added in objects {
      guard let (object, sql) = added.definition(leavingOut: ledgerTable) else { continue }
      fingerprint.toggle(object, sql)
      definitions[object] = sql
      owned.insert(object)
      changes.made.insert(object)
    }
    // No query is needed: the number is not used as long as there are only additions.
    version = nil
    return changes
  }

  func keep(_ graph: ForeignKeyGraph) { self.graph = graph }

  /// Returns the graph of foreign key references and removes it here, since a migration that no
  /// ``ForeignKeyWatch`` observes may change the references.
  func takeGraph() -> ForeignKeyGraph? {
    defer { graph = nil }
    return graph
  }

  /// Forgets everything after a rollback: the engine may reuse the schema's version number for a different schema.
  func forget() {
    applied = nil
    isUndisturbed = false
    version = nil
    graph = nil
    hasSchema = false
  }
}
