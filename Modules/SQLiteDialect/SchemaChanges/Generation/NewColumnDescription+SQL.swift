internal import Migrator

extension NewColumnDescription {
  /// The column's definition, as it stands in `CREATE TABLE` and behind `ADD COLUMN`
  /// (https://www.sqlite.org/syntax/column-def.html).
  var sql: String {
    var words = [SQLSpelling.identifier(name)]
    if let type { words.append(type.rawValue) }
    words += keys.map(\.sql)
    if let notNull { words.append(SQLSpelling.constraintName(notNull.name) + "NOT NULL" + notNull.onConflict.clause) }
    words += checks.map(\.clause)
    switch defaultValue {
    case .value(let value): words.append("DEFAULT \(value.sqlLiteral)")
    case .sql(let sql): words.append("DEFAULT \(SQLSpelling.defaultExpression(sql))")
    case nil: break
    }
    if let collation { words.append("COLLATE \(SQLSpelling.identifier(collation))") }
    words += references.map { SQLSpelling.constraintName($0.name) + $0.referencesClause }
    if let generated {
      words.append("GENERATED ALWAYS AS (\(SQLSpelling.closed(generated.sql)))")
      words.append(generated.isStored ? "STORED" : "VIRTUAL")
    }
    return words.joined(separator: " ")
  }

  /// The index that comes with the column; nil when there is none.
  func indexDefinition(on table: String, ifNotExists: Bool) -> NewIndexDescription? {
    index.map { index in
      NewIndexDescription(
        name: NewIndexDescription.defaultName(table: table, columns: [name]), table: table, columns: [.column(name)],
        isUnique: index.isUnique, ifNotExists: ifNotExists)
    }
  }
}

extension NewColumnDescription.Key {
  fileprivate var sql: String {
    switch self {
    case .primary(let autoincrement, let onConflict, let isDescending, let name):
      SQLSpelling.constraintName(name) + "PRIMARY KEY" + (isDescending ? " DESC" : "") + onConflict.clause
        + (autoincrement ? " AUTOINCREMENT" : "")
    case .unique(let onConflict, let name): SQLSpelling.constraintName(name) + "UNIQUE" + onConflict.clause
    }
  }
}

extension NewCheckDescription {
  /// The constraint, as it stands in a column's definition and among the table's constraints.
  var clause: String { SQLSpelling.constraintName(name) + "CHECK (\(SQLSpelling.closed(sql)))" }
}

extension ConflictResolution? {
  /// The conflict clause with a blank before it; empty when there is none.
  var clause: String { map { " ON CONFLICT \($0.rawValue)" } ?? "" }
}

extension NewForeignKeyDescription {
  /// The part of a foreign key that begins with `REFERENCES` (https://www.sqlite.org/syntax/foreign-key-clause.html).
  var referencesClause: String {
    var clause = "REFERENCES \(SQLSpelling.identifier(table))"
    if !destinationColumns.isEmpty { clause += SQLSpelling.identifiers(destinationColumns) }
    if let onDelete { clause += " ON DELETE \(onDelete.rawValue)" }
    if let onUpdate { clause += " ON UPDATE \(onUpdate.rawValue)" }
    if isDeferred { clause += " DEFERRABLE INITIALLY DEFERRED" }
    return clause
  }
}
