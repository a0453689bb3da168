internal import SQLSyntax

/// The shadow tables that store a virtual table's rows (https://www.sqlite.org/vtab.html#xshadowname).
///
/// Copying a virtual table means copying these tables. Copying the rows of the virtual table is not enough, since not
/// every virtual table can return its rows.
package struct VirtualTableStorage {
  /// The names of the tables, in creation order; empty for a virtual table that shows the contents of other tables.
  package let parts: [String]

  /// Finds the storage of a virtual table among the objects of its schema.
  package init(of table: String, among objects: [SchemaObject]) {
    let virtual = objects.filter(\.isVirtual)
    let start = table.asciiLowercased + "_"
    parts = objects.filter { object in
      object.isShadow && object.name.asciiLowercased.hasPrefix(start) && object.virtualTable(among: virtual) == table
    }.map(\.name)
  }

  /// Makes the engine reopen virtual tables, which may have cached the contents of their storage.
  ///
  /// To do so, creates a table and rolls back its creation: the engine then discards the cached schema.
  fileprivate static func forgetVirtualTables(_ db: Database) throws {
    let names = Set(try db.connection.schema().objects.map(\.name.asciiLowercased))
    var name = "migrator_reload"
    while names.contains(name) { name += "_" }
    try db.inSavepoint {
      try db.execute(sql: "CREATE TABLE main.\(name) (a)")
      return .rollback
    }
  }
}

extension Database {
  /// Replaces the storage of a virtual table with the storage of the same table in another database.
  ///
  /// Call it inside a transaction, for a table with the same definition in both databases.
  ///
  /// - Returns: Nil on success; otherwise the reason why the storage could not be replaced. The storage is then
  ///   unchanged.
  package func replaceStorage(
    _ storage: VirtualTableStorage, from source: Database, onRow: () -> Void = {}
  ) throws -> String? {
    do {
      try inSavepoint {
        for part in storage.parts {
          guard try replaceRows(of: part, from: source, onRow: onRow) == 0 else {
            throw context.error(.constraint(.other), "its storage violates constraints")
          }
        }
        return .commit
      }
      try VirtualTableStorage.forgetVirtualTables(self)
      return nil
    } catch let error as DatabaseError where !error.concernsEverything {
      return error.message
    }
  }
}
