internal import SQLSyntax

/// The restoration of rows from a backup to the rebuilt database: all columns of unchanged tables and, for changed
/// tables, the columns that still exist.
///
/// A table is skipped if the migrations, or the seed file of the command-line tool, are known to insert different rows into it
/// than before: older rows must not replace newly inserted ones. Rows are not restored if they would refer to missing rows,
/// violate a new constraint, or have a foreign key that could be checked before and cannot be checked now.
///
/// The database contains a note (`DevelopmentMark`) that rows are still to be restored. The transaction that restores
/// the rows removes the note, so that after a crash, the next rebuild restores the rows.
///
/// A virtual table that stores rows is treated like an ordinary table; a full-text table that indexes another table is
/// refilled from that table.
package struct KeptRows {
  /// The outcome for one table of the backup.
  package struct Outcome: Sendable, Equatable, Encodable {
    /// The table's name in the backup.
    package var table: String
    /// The number of restored rows; nil if the table was skipped, or if its rows cannot be counted.
    package var rows: Int?
    /// The reason why the rows were not restored; nil if they were.
    package var reason: String?
    /// Whether the table is a full-text table that was refilled from the table that it indexes.
    package var isRefilled = false
    /// The number of rows that were not restored; nil if there are none, or if they cannot be counted.
    package var lostRows: Int?
    /// The columns whose values were not restored.
    package var lostColumns: [String] = []
    /// The columns with values that their new type has changed, with the number of these values.
    package var changedValues: [String: Int] = [:]
    /// Whether the rows replace others that the migrations or the seed file insert, which may be new.
    var replacesInserted = false

    private enum CodingKeys: CodingKey { case table, rows, reason, isRefilled, lostColumns }

    /// Whether rows were restored.
    package var hasRows: Bool { rows.map { $0 > 0 } ?? (reason == nil && !isRefilled) }

    /// A sentence about the rows or the values that were not restored, or not without a change; nil if everything was.
    package var loss: String? {
      if let reason {
        return "the rows of table \"\(table)\"\(lostRows.map { " (\($0))" } ?? "") were not kept, because \(reason)"
      }
      var losses: [String] = []
      if !lostColumns.isEmpty {
        losses.append(
          "the values of \(listed(lostColumns)) were not kept, because table \"\(table)\" no longer has them\(KeptRows.renameAdvice)"
        )
      }
      for (column, count) in changedValues.sorted(by: { $0.key < $1.key }) {
        losses.append(
          "\(counted(count, "value")) of \(column) in table \"\(table)\" changed, because the column has another type now"
        )
      }
      return losses.isEmpty ? nil : losses.joined(separator: "; ")
    }

    /// A sentence about the inserted rows that the restored ones replaced; nil if there are none.
    package var replacement: String? {
      replacesInserted
        ? "the kept rows of table \"\(table)\" replace those that the migrations or the seed file insert" : nil
    }
  }

  /// The way to restore the rows of a table or column that has another name now.
  static let renameAdvice =
    " (if it was renamed, name the rename, with --rename or in keepingRows(renames:))"

  private let restorable: RestorableTables

  /// Creates a restoration.
  ///
  /// - Parameters:
  ///   - ownTables: The migrator's and the tool's own tables, in ASCII lower case.
  ///   - made: Digests of the rows that the migrations and the seed file inserted: `before` the database was erased (nil
  ///     if unknown), and `now`.
  ///   - renames: The tables and columns that were renamed.
  package init(ownTables: Set<String>, made: (before: RowDigests?, now: RowDigests), renames: SchemaRenames) {
    restorable = RestorableTables(ownTables: ownTables, made: made, renames: renames)
  }

  /// Throws an error if a table could not get its rows back, since its definition uses a collation or a function that only
  /// the app has.
  ///
  /// - Parameters:
  ///   - contents: What is about to be erased.
  ///   - scratch: A scratch database to which the migrations have been applied; its triggers are dropped.
  package static func requireWritable(_ contents: DatabaseContents, in scratch: Database) throws {
    // The keys are checked after the rows are back.
    try scratch.connection.setEnforcesForeignKeys(false)
    _ = try scratch.dropTriggers()
    let filled = Set(contents.tables.filter { $0.rows != 0 }.map(\.name.asciiLowercased))
    for table in try scratch.connection.schema().objects
    where table.kind == .table && !table.isVirtual && filled.contains(table.name.asciiLowercased) {
      do {
        try RowCopier(of: table.name, from: scratch, to: table.name, in: scratch).insertNulls()
      } catch let error as DatabaseError where error.condition == .statement {
        throw scratch.context.error(
          .statement, "the rows of table \"\(table.name)\" could not be put back: \(error.message)",
          remedy: "Let the app rebuild its database: eraseDatabaseOnSchemaChange with the policy .keepingRows()")
      } catch let error as DatabaseError {
        // A constraint that rows without values violate.
        guard case .constraint = error.condition else { throw error }
      }
    }
  }

  /// Restores rows within the open transaction, while foreign keys are not enforced.
  ///
  /// A backup whose rows or values are not all restored is write-protected, so that it is not removed later.
  ///
  /// - Parameter source: The open backup.
  package func restore(from source: Database, to db: Database) throws -> [Outcome] {
    var (tables, outcomes) = try restorable.tables(of: source, in: db)
    var result = Copied()
    repeat {
      // Tries again without the rejected tables: the remaining ones may be consistent.
      outcomes += tables.compactMap { table in
        result.refused[table.name].map { Outcome(table: table.name, reason: $0.reason, lostRows: $0.rows) }
      }
      tables.removeAll { result.refused[$0.name] != nil }
      try db.inSavepoint {
        result = try copy(tables, from: source, to: db)
        return result.refused.isEmpty ? .commit : .rollback
      }
    } while !result.refused.isEmpty
    outcomes += tables.map {
      Outcome(
        table: $0.name, rows: result.counts[$0.name], lostColumns: $0.lostColumns,
        changedValues: $0.changedValues, replacesInserted: $0.replacesInserted)
    }
    outcomes.removeAll { result.refilled.contains($0.table) }
    if outcomes.contains(where: { $0.loss != nil }), let path = source.connection.storedBytesReader?.path {
      BackupFolder.retain(path)
    }
    return outcomes + result.refilled.map { Outcome(table: $0, isRefilled: true) }
  }

  private struct Copied {
    var counts: [String: Int] = [:]
    var refused: [String: (reason: String, rows: Int?)] = [:]
    var refilled: [String] = []
  }

  /// Copies the rows of tables.
  ///
  /// The tables' triggers are dropped during the copy, so that they do not act on the rows a second time. SQL cannot
  /// disable triggers in any other way (https://www.sqlite.org/lang_createtrigger.html).
  private func copy(_ tables: [RestorableTable], from source: Database, to db: Database) throws -> Copied {
    var copied = Copied()
    func refuse(_ table: RestorableTable, _ reason: String) throws {
      copied.refused[table.name] = (reason, try source.rowCount(of: table.table))
    }
    let triggers = try db.dropTriggers()
    for table in tables where table.storage == nil {
      var example: DatabaseError?
      do {
        let failures = try db.replaceRows(
          of: table.now.name, from: source, in: table.name, columns: table.columns,
          onRejection: { example = example ?? $0 })
        if let example {
          try refuse(table, "\(counted(failures, "row")) would violate a new constraint: \(example.message)")
        }
      } catch let error as DatabaseError where error.condition == .statement {
        // The definition may use a collation or a function that only the app has.
        try refuse(table, "they cannot be written: \(error.message)")
        continue
      }
      try raiseCounter(of: table.name, from: source, to: table.now.name, in: db)
    }
    for trigger in triggers { if let sql = trigger.sql { try db.execute(sql: sql) } }
    copied.refilled = try refillSearchTables(db)
    for table in tables where !copied.refilled.contains(table.name) {
      if let storage = table.storage, let reason = try db.replaceStorage(storage, from: source) {
        try refuse(table, reason)
      }
      copied.counts[table.name] = try db.rowCount(of: table.now)
    }
    guard copied.refused.isEmpty else { return copied }
    for table in tables where table.storage == nil {
      do {
        guard try db.foreignKeyViolations(in: table.now.name).next() != nil else { continue }
        try refuse(table, "they refer to rows that no longer exist")
      } catch let error as DatabaseError where error.message.contains("foreign key mismatch") {
        // A key without a unique parent cannot be checked; if it could be before, its rows may dangle now.
        let isOld = Result { try source.foreignKeyViolations(in: table.name).next() }
        if case .success = isOld { try refuse(table, "their foreign keys cannot be checked: \(error.message)") }
      }
    }
    return copied
  }

  /// Raises an AUTOINCREMENT counter to its value before the rebuild, since it must never decrease
  /// (https://www.sqlite.org/autoinc.html).
  private func raiseCounter(of table: String, from source: Database, to newTable: String, in db: Database) throws {
    guard let counters = try db.connection.counterTable(), try source.connection.counterTable() == counters else {
      return
    }
    let counterTable = "main.\(counters.quotedIdentifier)"
    let select = "SELECT max(seq) FROM \(counterTable) WHERE name = ?"
    guard let old = try Int64.fetchOne(source, sql: select, arguments: [table]) else { return }
    let new = try Int64.fetchOne(db, sql: select, arguments: [newTable])
    guard old > new ?? 0 else { return }
    try db.execute(sql: "DELETE FROM \(counterTable) WHERE name = ?", arguments: [newTable])
    try db.execute(sql: "INSERT INTO \(counterTable) (name, seq) VALUES (?, ?)", arguments: [newTable, old])
  }

  /// Refills full-text tables from the tables that they index (https://www.sqlite.org/fts5.html#the_rebuild_command).
  /// - Returns: The names of the refilled tables. Contentless tables, and tables that store the text, are not refilled.
  private func refillSearchTables(_ db: Database) throws -> [String] {
    let schema = try db.schemaWithoutViewColumns()
    return try schema.objects.filter(\.isVirtual).map(\.name).filter { table in
      let isSearch = schema.table(table)?.module?.lowercased().hasPrefix("fts") ?? false
      let parts = VirtualTableStorage(of: table, among: schema.objects).parts
      guard isSearch, !parts.contains(where: { $0.lowercased() == table.lowercased() + "_content" }) else {
        return false
      }
      let name = table.quotedIdentifier
      do {
        try db.inSavepoint {
          try db.execute(sql: "INSERT INTO main.\(name) (\(name)) VALUES ('rebuild')")
          return .commit
        }
        return true
      } catch let error as DatabaseError where error.condition == .statement {
        // The full-text table indexes no other table, or cannot read the other table.
        return false
      }
    }
  }
}

extension Database {
  /// Drops the triggers of the main schema, and returns them.
  fileprivate func dropTriggers() throws -> [SchemaObject] {
    let triggers = try connection.schema().objects.filter { $0.kind == .trigger }
    for trigger in triggers { try execute(sql: "DROP TRIGGER main.\(trigger.name.quotedIdentifier)") }
    return triggers
  }
}
