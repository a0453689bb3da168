package import Migrator
internal import SQLSyntax

/// An object that reads and restores the connection state that statements can change, using only SQL.
package final class SQLiteStateKeeper: ConnectionStateKeeper {
  private let connection: any SQLiteConnection

  /// The pragmas that affect the connection and whose value can be read (https://www.sqlite.org/pragma.html).
  ///
  /// For an unknown pragma, an engine returns no row. `foreign_keys` and `busy_timeout` are not listed: the core
  /// restores `foreign_keys`, and the code that opened the connection manages `busy_timeout`.
  private static let pragmas = [
    "legacy_alter_table", "ignore_check_constraints", "writable_schema", "recursive_triggers",
    "reverse_unordered_selects", "secure_delete", "cell_size_check", "automatic_index", "trusted_schema", "query_only",
    "read_uncommitted", "full_column_names", "short_column_names", "cache_size", "cache_spill", "fullfsync",
    "checkpoint_fullfsync", "journal_size_limit", "wal_autocheckpoint", "locking_mode", "mmap_size",
    "threads", "analysis_limit",
  ]

  /// The pragmas that are restored only outside a transaction.
  ///
  /// `synchronous` and `temp_store` cannot be changed inside a transaction. Restoring `defer_foreign_keys` inside a
  /// transaction would make SQLite forget the violations that it must report at the commit; the commit resets this
  /// pragma anyway.
  private static let outsideTransactions = ["synchronous", "temp_store", "defer_foreign_keys"]

  /// The pragma for the case sensitivity of LIKE, which can be set but not read.
  private static let like = "case_sensitive_like"

  /// Creates an object that reads and restores the state of a connection.
  package init(_ connection: any SQLiteConnection) { self.connection = connection }

  /// Returns the settings, the temporary objects and the attached databases of the connection.
  package func state() throws(DatabaseError) -> ConnectionState {
    var state = ConnectionState()
    for pragma in Self.pragmas + Self.outsideTransactions {
      state.settings[pragma] = try setting(pragma)
    }
    state.permitsEditingSchema = ![nil, "0"].contains(state.settings["writable_schema"])
    state.settings[Self.like] = try connection.text("SELECT NOT ('a' LIKE 'A')")
    for row in try connection.rows("SELECT rowid FROM \(SchemaName.temporary.definitions)") {
      if case .integer(let number) = row[0] { state.temporaryObjects.insert(number) }
    }
    state.schemas = Set(try connection.schemaNames().map(\.name))
    return state
  }

  /// Returns the value of a pragma; nil if the engine does not have it, or permits no statement to use it.
  ///
  /// A server may refuse `read_uncommitted`, `locking_mode`, `synchronous` and some others.
  private func setting(_ pragma: String) throws(DatabaseError) -> String? {
    do throws(DatabaseError) {
      return try connection.text("PRAGMA \(pragma)")
    } catch {
      guard error.condition == .unsupported else { throw error }
      return nil
    }
  }

  /// Restores everything that differs from `state`, as far as an open transaction allows it.
  package func restore(_ state: ConnectionState) throws(DatabaseError) {
    if state.hasOutdatedSchema, !state.permitsEditingSchema { try readDefinitions() }
    let current = try self.state()
    guard current != state else { return }
    for (pragma, value) in state.settings where current.settings[pragma] != value {
      guard !connection.isInsideTransaction || !Self.outsideTransactions.contains(pragma) else { continue }
      try connection.execute("PRAGMA \(pragma) = \(value)")
    }
    if current.temporaryObjects != state.temporaryObjects { try dropTemporaryObjects(besides: state) }
    // A transaction cannot attach a database (https://www.sqlite.org/lang_attach.html).
    for schema in current.schemas.subtracting(state.schemas) where !connection.isInsideTransaction {
      try connection.execute("DETACH \(schema.quotedIdentifier)")
    }
  }

  private func readDefinitions() throws(DatabaseError) {
    do throws(DatabaseError) {
      try connection.execute("PRAGMA writable_schema = RESET")
      if !connection.features.resetsSchema, connection.isInsideTransaction {
        // Rolling back a savepoint that changed the schema has the same effect.
        try connection.execute(
          """
          PRAGMA query_only = OFF; SAVEPOINT migrator_reload; CREATE TABLE main.migrator_reload (a);
          ROLLBACK TO migrator_reload; RELEASE migrator_reload
          """)
      }
      // Only the next query reads them.
      _ = try connection.rows("SELECT 1 FROM main.sqlite_master LIMIT 0")
    } catch {
      // A definition that the engine does not know may also come from a newer version; this one does not.
      guard [.corrupt, .unsupported].contains(error.condition) else { throw error }
      var edited = error
      edited.condition = .corrupt
      edited.remedy =
        "Correct the statements that edit sqlite_schema: a definition that they leave there cannot be read."
      throw edited
    }
  }

  /// Drops the temporary objects that are not in `state`, beginning with those that depend on others.
  ///
  /// Queries the list again after each drop: dropping a table also drops its indexes and triggers, and dropping a
  /// virtual table drops its shadow tables.
  private func dropTemporaryObjects(besides state: ConnectionState) throws(DatabaseError) {
    let order = "CASE type WHEN 'trigger' THEN 1 WHEN 'view' THEN 2 WHEN 'index' THEN 3 ELSE 4 END, rootpage <> 0"
    let query = """
      SELECT rowid, type, name FROM \(SchemaName.temporary.definitions)
      WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY \(order)
      """
    while true {
      let made = try connection.rows(query).first { row in
        if case .integer(let number) = row[0] { !state.temporaryObjects.contains(number) } else { false }
      }
      guard let made, case .text(let type) = made[1], case .text(let name) = made[2] else { return }
      try connection.execute("DROP \(type) temp.\(name.quotedIdentifier)")
    }
  }
}
