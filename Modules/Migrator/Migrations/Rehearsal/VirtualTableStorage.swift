internal import SQLSyntax

/// The tables in which a virtual table keeps its rows (https://www.sqlite.org/vtab.html#xshadowname).
///
/// They are what is copied: rows of the virtual table itself would not do, since some of them cannot be read back.
package struct VirtualTableStorage {
  /// The names of the tables, in the order of their creation; none for a virtual table that shows what others hold.
  package let parts: [String]

  /// Finds the storage of a virtual table among the objects of its schema.
  package init(of table: String, among objects: [SchemaObject]) {
    parts = objects.filter { $0.kind == .table && $0.isShadow && $0.virtualTable(among: objects) == table }.map(\.name)
  }

  /// Makes the engine open virtual tables again, which may remember what their storage held.
  ///
  /// Undoing the creation of a table forgets all that was read of the schema.
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
  /// Puts the storage of a virtual table of another database in the place of this one's.
  ///
  /// To be called within a transaction, for a table that is defined alike in both.
  ///
  /// - Returns: Why that could not be, in which case this one's is as it was; nil when it is done.
  package func replaceStorage(
    _ storage: VirtualTableStorage, from source: Database, onRow: () -> Void = {}
  ) throws -> String? {
    do {
      try inSavepoint {
        for part in storage.parts {
          guard try replaceRows(of: part, from: source, onRow: onRow) == 0 else {
            throw context.error(.constraint(.other), "its storage does not keep its own rules")
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
