package import Migrator
internal import SQLSyntax

extension SQLiteConnection {
  /// Removes every object and every row of the main schema, within the open transaction; after an error, the caller
  /// must roll it back.
  ///
  /// Objects are dropped one by one, which works in every journal mode, and preserves the file's page size, text
  /// encoding, key, user version and application ID. The engine overwrites the freed pages with zeros
  /// (https://www.sqlite.org/pragma.html#pragma_secure_delete). Pages that were already free are overwritten as well.
  package func eraseEverything() throws(DatabaseError) {
    guard isInsideTransaction, try !enforcesForeignKeys() else {
      throw error(
        .misuse, "erasing requires an open transaction and that foreign keys are not enforced",
        remedy: "Otherwise, dropping a table would run foreign key actions on the rows of other tables.")
    }
    let earlier = try integer("PRAGMA main.secure_delete") ?? 0
    try execute("PRAGMA main.secure_delete = 1")
    do throws(DatabaseError) {
      try fillFreePages()
      try dropObjects()
      try clearFirstPage()
    } catch {
      // Report the first error; the setting that remains belongs to the connection and is harmless.
      try? execute("PRAGMA main.secure_delete = \(earlier == 2 ? "FAST" : String(earlier))")
      throw error
    }
    try execute("PRAGMA main.secure_delete = \(earlier == 2 ? "FAST" : String(earlier))")
  }

  // MARK: Content deleted earlier

  /// Overwrites with zeros the pages that are already free, which may still contain deleted content.
  ///
  /// Inserts zeros into a new table until it has used all free pages; this table is later dropped with all others.
  private func fillFreePages() throws(DatabaseError) {
    guard var free = try freePageCount(), free > 0 else { return }
    let pageSize = try integer("PRAGMA main.page_size") ?? 4096
    let table = try unusedName("migrator_zeros")
    try execute("CREATE TABLE main.\(table) (a)")
    // The usable part of a page is a little smaller than the page, and smaller still with encryption. No value may
    // exceed a billion bytes (https://www.sqlite.org/limits.html), nor must it be in memory as a whole.
    let payload = max(pageSize - 100, 400)
    while free > 0 {
      let size = min(free * payload, 16_000_000)
      try execute("INSERT INTO main.\(table) VALUES (zeroblob(\(max(size, 2 * pageSize))))")
      free = try freePageCount() ?? 0
    }
  }

  private func freePageCount() throws(DatabaseError) -> Int64? { try integer("PRAGMA main.freelist_count") }

  /// Clears the unused part of the first page, which may contain earlier definitions of objects.
  ///
  /// Creates two views whose definitions together do not fit on the first page: the engine moves the page's content to
  /// another page and clears the first one. Dropping the views does not move the content back.
  private func clearFirstPage() throws(DatabaseError) {
    let pageSize = try integer("PRAGMA main.page_size") ?? 4096
    let filling = String(repeating: " ", count: Int(pageSize) * 6 / 10)
    let first = try unusedName("migrator_zeros")
    try execute("CREATE VIEW main.\(first) AS SELECT /*\(filling)*/ 1")
    let second = try unusedName("migrator_zeros")
    try execute("CREATE VIEW main.\(second) AS SELECT /*\(filling)*/ 1")
    try execute("DROP VIEW main.\(first); DROP VIEW main.\(second)")
  }

  private func unusedName(_ base: String) throws(DatabaseError) -> String {
    let names = Set(try schemaObjects().map(\.name.asciiLowercased))
    var name = base
    while names.contains(name) { name += "_" }
    return name
  }

  // MARK: Dropping

  private func dropObjects() throws(DatabaseError) {
    let objects = try schemaObjects().filter { !SchemaName.isReserved($0.name) }
    // Drop triggers first so that none can block the following statements, then views.
    for kind in [SchemaObject.Kind.trigger, .view] {
      for object in objects where object.kind == kind { try drop(object) }
    }
    // Drop virtual tables before ordinary tables: each drops its shadow tables, and fails if they are already gone. The
    // order in the schema cannot be used: after VACUUM, the shadow tables come first.
    for table in objects where table.isVirtual { try dropVirtual(table) }
    // The shadow tables of a virtual table that could not be dropped are ordinary tables by now.
    for object in try schemaObjects() where object.kind == .table && isDroppable(object.name) { try drop(object) }
    try clearSequences()
    try refuseLeftovers()
  }

  /// Whether a table can be dropped; of the internal tables, only those with statistics can be dropped
  /// (https://www.sqlite.org/lang_analyze.html).
  private func isDroppable(_ table: String) -> Bool {
    !SchemaName.isReserved(table) || table.asciiLowercased.utf8.starts(with: "sqlite_stat".utf8)
  }

  private func drop(_ object: SchemaObject) throws(DatabaseError) {
    try execute("DROP \(object.kind.rawValue.uppercased()) IF EXISTS main.\(object.name.quotedIdentifier)")
  }

  private func dropVirtual(_ table: SchemaObject) throws(DatabaseError) {
    // A savepoint undoes everything if the module fails halfway.
    let savepoint = "migrator_drop"
    try beginSavepoint(savepoint)
    do throws(DatabaseError) {
      try drop(table)
    } catch {
      try rollbackSavepoint(savepoint)
      // The module is missing or cannot read its tables. Any other error, such as a full disk, has another cause.
      guard [.statement, .corrupt, .constraint(.other), .other].contains(error.condition) else { throw error }
      try removeFromSchema(table)
      return
    }
    try releaseSavepoint(savepoint)
  }

  /// Deletes a virtual table, which has no pages, from `sqlite_schema`
  /// (https://www.sqlite.org/pragma.html#pragma_writable_schema).
  private func removeFromSchema(_ table: SchemaObject) throws(DatabaseError) {
    try withoutDefense { () throws(DatabaseError) in
      let condition = "type = 'table' AND name = \(table.name.quotedText) AND rootpage = 0"
      let result = Result { () throws(DatabaseError) in
        // Takes effect even if it is interrupted.
        try execute("PRAGMA writable_schema = 1")
        try execute("DELETE FROM main.sqlite_master WHERE \(condition)")
      }
      try execute("PRAGMA writable_schema = 0")
      try result.get()
    }
    try reloadSchema()
  }

  /// Makes the engine parse the schema again, within the transaction: when the creation of a table is rolled back, the
  /// engine discards the parsed schema.
  private func reloadSchema() throws(DatabaseError) {
    let name = try unusedName("migrator_reload")
    try execute("SAVEPOINT migrator_reload; CREATE TABLE main.\(name)(a)")
    try rollbackSavepoint("migrator_reload")
  }

  /// Empties `sqlite_sequence`, which cannot be dropped (https://www.sqlite.org/autoinc.html).
  private func clearSequences() throws(DatabaseError) {
    let hasSequences = try integer("SELECT count(*) FROM main.sqlite_master WHERE name = 'sqlite_sequence'") ?? 0
    if hasSequences > 0 { try execute("DELETE FROM main.sqlite_sequence") }
  }

  private func refuseLeftovers() throws(DatabaseError) {
    let leftovers = try schemaObjects().map(\.name).filter { $0.asciiLowercased != "sqlite_sequence" }
    guard leftovers.isEmpty else {
      throw error(.unsupported, "these objects cannot be removed: \(leftovers.joined(separator: ", "))")
    }
  }
}
