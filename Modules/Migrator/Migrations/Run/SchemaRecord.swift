/// Follows a schema from migration to migration, reading it again only when it has changed.
struct SchemaRecord {
  private let ledgerTable: String
  private var version: Int64?
  private var definitions: [ObjectChanges.Name: String] = [:]

  init(leavingOut ledgerTable: String) { self.ledgerTable = ledgerTable }

  /// Reads the schema unless it is known, and tells what changed since the last time.
  mutating func update(_ db: Database) throws -> ObjectChanges {
    let current = try db.connection.schemaVersion()
    guard current != version else { return ObjectChanges() }
    let new = try db.schema().definitions(leavingOut: ledgerTable)
    let changes = ObjectChanges(from: definitions, to: new)
    version = current
    definitions = new
    return changes
  }

  /// Forgets the schema, after a rollback.
  mutating func forget() { version = nil }

  /// A digest of the definitions by their meaning.
  func fingerprint(_ db: Database) -> String {
    let lines = definitions.sorted { $0.key < $1.key }.map { object, sql in
      "\(object.kind.rawValue) \(object.name) \(db.connection.canonicalDefinition(sql))"
    }
    return SHA256.hexadecimal(of: Array(lines.joined(separator: "\n").utf8))
  }
}
