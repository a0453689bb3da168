/// What the scratch copy of a rehearsal holds.
public enum RehearsalCopy: Sendable, Hashable {
  /// The schema without rows, the ledger's aside: shows what migrations do to the schema, not what they do to rows.
  case schemaOnly
  /// The schema, and so many rows of each table, the first ones that the engine gives.
  ///
  /// Virtual tables stay empty. Rows may refer to rows that were not copied, which counts as having been so before.
  case rows(limitPerTable: Int)
  /// The schema and all rows. The copy is in memory: it needs about as much as the database takes on disk.
  case allRows
}

/// Something of the database that its scratch copy lacks, so that the rehearsal does not show all.
public enum RehearsalGap: Sendable, Hashable, CustomStringConvertible {
  /// The object could not be made in the copy, with the engine's reason: it uses a function, a collation or a module
  /// that is not there, for example.
  case object(kind: SchemaObject.Kind, name: String, reason: String)
  /// So many rows of a table break a constraint of it, or have a value that the engine refuses.
  case rows(table: String, count: Int)
  /// The virtual table is empty in the copy, for this reason.
  case virtualTableRows(table: String, reason: String)
  /// Columns of the table hide its rowids, which are others in the copy unless one of the columns is their alias.
  case rowIDs(table: String)

  /// What is missing, as a sentence without a full stop.
  public var description: String {
    switch self {
    case .object(let kind, let name, let reason): "\(kind.rawValue) \"\(name)\" is missing: \(reason)"
    case .rows(let table, let count): "\(count.rowsText) of table \"\(table)\" could not be copied"
    case .virtualTableRows(let table, let reason): "virtual table \"\(table)\" is empty: \(reason)"
    case .rowIDs(let table): "table \"\(table)\" may have other rowids, which its columns hide"
    }
  }
}
