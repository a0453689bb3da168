internal import SQLSyntax

/// The shadow tables that store a virtual table's rows (https://www.sqlite.org/vtab.html#xshadowname).
///
/// Copying a virtual table means copying these tables. Copying its rows is not enough, since some cannot be read back.
package struct VirtualTableStorage {
  /// The names of the tables, in creation order; empty for a virtual table that shows the contents of other tables.
  package let parts: [String]

  /// Finds the storage of a virtual table among the objects of its schema.
  package init(of table: String, among objects: [SchemaObject]) {
    parts = objects.filter { $0.kind == .table && $0.isShadow && $0.virtualTable(among: objects) == table }.map(\.name)
  }

  /// Makes the engine reopen virtual tables, which may have cached the contents of their storage.
  ///
  /// Undoing the creation of a table makes the engine discard its cached schema.
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
  /// - Returns: Nil on success; otherwise the reason why the storage could not be replaced, in which case it is
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
