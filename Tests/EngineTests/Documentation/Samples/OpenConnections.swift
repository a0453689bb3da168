import Migrator
import SQLiteBackend

/// The samples of the page about connections that an app has opened.
enum OpenConnections {
  static func migrate(_ migrator: DatabaseMigrator, _ connection: OpaquePointer) throws {
    // sample
    try migrator.migrate(SQLite.borrowing(connection))
    if try migrator.hasSchemaChanges(SQLite.borrowing(connection)) {
      print(try migrator.plan(SQLite.borrowing(connection)))
    }
    // end of sample
  }

  static func compare(
    _ migrator: DatabaseMigrator, _ connection: OpaquePointer,
    add: @escaping @Sendable (OpaquePointer) throws -> Void
  ) throws {
    @Sendable func addCollations(to scratch: OpaquePointer) throws { try add(scratch) }
    // sample
    let borrowed = SQLite.borrowing(connection) { scratch in
      try addCollations(to: scratch)
    }
    print(try migrator.schemaChanges(borrowed))
    // end of sample
  }
}
