internal import SQLSyntax

/// The extent of a rehearsal's scratch copy.
public enum RehearsalCopy: Sendable, Equatable {
  /// The schema, with rows only in the ledger: shows the effect of migrations on the schema, not on rows.
  case schemaOnly
  /// The schema, and up to `limitPerTable` rows of each table, the first ones that the engine returns.
  ///
  /// Virtual tables remain empty. A copied row may refer to a row that was not copied; this counts as an old violation.
  case rows(limitPerTable: Int)
  /// The schema and all rows. The copy is in memory: it needs about as much memory as the database takes on disk.
  case allRows
}

/// A part of the database or of the migrations that is missing from the scratch copy, so that the rehearsal is
/// incomplete.
public enum RehearsalGap: Sendable, Equatable, CustomStringConvertible {
  /// The object could not be created in the copy, for a reason given by the engine: for example, the object uses a
  /// function, a collation or a module that is missing.
  case object(kind: SchemaObject.Kind, name: String, reason: String)
  /// The copy lacks `count` rows of the table, which violate a constraint or have a value that the engine rejects.
  case rows(table: String, count: Int)
  /// The table is empty in the copy, because this connection cannot read its rows, for the given reason.
  case unreadableRows(table: String, reason: String)
  /// The virtual table is empty in the copy, for the given reason.
  case virtualTableRows(table: String, reason: String)
  /// The table's columns hide the rowid: rowids differ in the copy unless one of the columns is an alias of the rowid.
  case rowIDs(table: String)
  /// The statements of the migration did not run, because they access another file (`ATTACH`, `VACUUM INTO`), or depend on
  /// a statement that does.
  case skippedStatements(migration: String, sql: [String])
  /// The rehearsal ended at the migration, which failed for the given reason, perhaps because its statements that access
  /// another file did not run, or because the copy lacks an object.
  case unfinishedMigration(String, reason: String)

  /// The missing part, as a sentence without a period.
  public var description: String {
    switch self {
    case .object(let kind, let name, let reason): "\(kind.rawValue) \"\(name)\" is missing: \(reason)"
    case .rows(let table, let count): "\(count.rowsText) of table \"\(table)\" could not be copied"
    case .unreadableRows(let table, let reason):
      "table \"\(table)\" is empty, because its rows cannot be read: \(reason)"
    case .virtualTableRows(let table, let reason): "virtual table \"\(table)\" is empty: \(reason)"
    case .rowIDs(let table): "table \"\(table)\" may have different rowids, because its columns hide the rowid"
    case .skippedStatements(let migration, let sql):
      "the effect of \(counted(sql.count, "statement")) of \"\(migration)\", which may change another file: "
        + listed(sql.map { $0.onOneLineOfSQL.shortened(to: 100) })
    case .unfinishedMigration(let migration, let reason):
      "\"\(migration)\" and the migrations after it: it fails, perhaps for lack of what is missing: \(reason)"
    }
  }

  /// Whether the gap is an object whose name occurs in a text, and not as a part of a longer name.
  package func names(objectIn text: String) -> Bool {
    guard case .object(_, let name, _) = self, !name.isEmpty else { return false }
    let isOfName = { (character: Character?) in character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false }
    let text = text.asciiLowercased
    return text.ranges(of: name.asciiLowercased).contains { range in
      !isOfName(text[..<range.lowerBound].last) && !isOfName(text[range.upperBound...].first)
    }
  }
}
