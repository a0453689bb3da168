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

  // swift-format-ignore: NeverForceUnwrap
  static func migrate(_ migrator: DatabaseMigrator, _ dbPool: AppPool) throws {
    // sample
    try dbPool.barrierWriteWithoutTransaction { db in
      try migrator.migrate(SQLite.borrowing(db.sqliteConnection!))
      db.clearSchemaCache()
      try db.notifyChanges(in: .fullDatabase)
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

/// The part of GRDB's interface that a sample uses.
final class AppPool {
  private let connection: OpaquePointer
  private(set) var events: [String] = []

  enum Region {
    case fullDatabase
  }

  struct Access {
    let sqliteConnection: OpaquePointer?
    let pool: AppPool

    func clearSchemaCache() { pool.events.append("cleared") }
    func notifyChanges(in region: Region) throws { pool.events.append("notified of \(region)") }
  }

  init(_ connection: OpaquePointer) { self.connection = connection }

  func barrierWriteWithoutTransaction(_ body: (Access) throws -> Void) throws {
    try body(Access(sqliteConnection: connection, pool: self))
  }
}
