package import Migrator
internal import SQLSyntax

/// The record of objects that statements add to the main schema during a recording.
///
/// New objects are the last rows of `sqlite_schema`, as in any table with rowids. A row is changed or removed only by
/// statements that make ``onlyAdds`` false.
package struct AddedObjects {
  /// Whether no statement has changed the schema other than by adding objects.
  package var onlyAdds = true
  /// Whether a statement that adds an object has been compiled; it may run later.
  package var hasAdded = false { didSet { isUnread = hasAdded } }
  /// Whether such a statement has been compiled since objects were last read.
  private var isUnread = false
  /// The statement that reads the rows of new objects; nil until it is needed.
  package private(set) var query: (any DatabaseStatement)?
  /// The rowid of the last row of `sqlite_schema` when the recording began, or when ``read(_:)`` last returned objects;
  /// nil if it could not be read.
  private var lastRow: Int64?

  /// Creates an empty record.
  package init() {}

  /// Empties the record; `isContinued` is whether the schema has not changed since the objects were last read.
  package mutating func start(isContinued: Bool, _ connection: (any SQLiteConnection)?) {
    if !isContinued || !onlyAdds || isUnread { lastRow = nil }
    onlyAdds = true
    hasAdded = false
    // If this fails, added objects cannot be reported; the core then compares the schemas.
    if lastRow == nil { lastRow = try? connection?.integer("SELECT coalesce(max(rowid), 0) FROM main.sqlite_master") }
  }

  /// Returns the objects that were added since the last call; nil if they are unknown, or if one is a virtual table.
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
    var last = start
    while try query.step() {
      last = query.integer(at: 0)
      guard let object = SchemaTable.object(query) else { continue }
      if object.isVirtual { return nil }
      if !SchemaName.isReserved(object.name) { objects.append(object) }
    }
    (lastRow, isUnread) = (last, false)
    return objects
  }

  /// Releases the prepared query.
  package mutating func disconnect() { query = nil }
}
