package import Migrator
internal import SQLSyntax

/// The objects that statements add to the main schema while a recorder listens.
///
/// New objects come at the end of the schema table, as in any table with rowids, and nothing but what ``onlyAdds`` rules
/// out changes or removes a row.
package struct AddedObjects {
  /// Whether nothing was seen that changes the schema otherwise than by new objects.
  package var onlyAdds = true
  /// Whether something was seen that makes a new object.
  package var hasAdded = false
  /// The statement that reads the rows; nil until it is needed.
  package private(set) var query: (any DatabaseStatement)?
  /// The last row of the schema table when recording started, or when additions were asked for; nil when it could not be
  /// read.
  private var lastRow: Int64?

  /// Creates a record that has seen nothing.
  package init() {}

  /// Begins with an empty record; what was added and not asked for is no part of it.
  ///
  /// - Parameter isContinued: Whether the schema is as it was when the objects were last asked for.
  package mutating func start(isContinued: Bool, _ connection: (any SQLiteConnection)?) {
    if !isContinued || !onlyAdds || hasAdded { lastRow = nil }
    onlyAdds = true
    hasAdded = false
    // Without it, additions cannot be reported, which the core copes with.
    if lastRow == nil { lastRow = try? connection?.integer("SELECT coalesce(max(rowid), 0) FROM main.sqlite_master") }
  }

  /// Returns the objects that were added since the last call; nil when that is not known, or one of them is virtual.
  ///
  /// - Parameter prepare: Prepares the query for them, once.
  package mutating func read(
    _ prepare: (String) throws(DatabaseError) -> (any DatabaseStatement)?
  ) throws(DatabaseError) -> [SchemaObject]? {
    guard onlyAdds, let start = lastRow else { return nil }
    guard hasAdded else { return [] }
    if query == nil { query = try prepare(SchemaTable.query(after: "?1")) }
    guard let query else { return nil }
    defer { query.reset() }
    try query.bind(.integer(start), at: 0)
    var objects: [SchemaObject] = []
    while try query.step() {
      lastRow = query.integer(at: 0)
      guard let object = SchemaTable.object(query) else { continue }
      if object.isVirtual { return nil }
      if !SchemaName.isReserved(object.name) { objects.append(object) }
    }
    hasAdded = false
    return objects
  }

  /// Releases the query.
  package mutating func disconnect() { query = nil }
}
