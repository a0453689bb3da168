internal import SQLSyntax

extension NewTableDescription {
  /// The statement that creates the table (https://www.sqlite.org/lang_createtable.html).
  package var createSQL: String {
    var words = [
      SQLSpelling.create(
        "TABLE", name.quotedIdentifier(in: schema), isTemporary: options.contains(.temporary),
        ifNotExists: options.contains(.ifNotExists))
    ]
    words.append("(\((columns.map(\.sql) + constraints).joined(separator: ", ")))")
    var storage: [String] = []
    if options.contains(.strict) { storage.append("STRICT") }
    if options.contains(.withoutRowID) { storage.append("WITHOUT ROWID") }
    if !storage.isEmpty { words.append(storage.joined(separator: ", ")) }
    return words.joined(separator: " ")
  }

  /// The statements that create the table and its indexes.
  package var createStatements: [String] {
    let isTemporary = options.contains(.temporary)
    return [createSQL] + allIndexes.map { $0.createSQL(isTemporary: isTemporary) }
  }

  /// The indexes of the columns and of the table, in column order.
  package var allIndexes: [NewIndexDescription] {
    let ofColumns = columns.compactMap { column -> NewIndexDescription? in
      guard case .definition(let definition) = column else { return nil }
      return definition.indexDefinition(on: name, ifNotExists: options.contains(.ifNotExists))
    }
    return (ofColumns + indexes).map { index in
      var index = index
      index.schema = schema
      return index
    }
  }

  private var constraints: [String] {
    var constraints: [String] = []
    if let primaryKey { constraints.append(primaryKey.clause("PRIMARY KEY")) }
    constraints += uniqueKeys.map { $0.clause("UNIQUE") }
    constraints += foreignKeys.map {
      SQLSpelling.constraintName($0.name) + "FOREIGN KEY \(SQLSpelling.identifiers($0.columns)) \($0.referencesClause)"
    }
    constraints += checks.map(\.clause)
    return constraints + constraintsSQL.map(SQLFragment.closed)
  }
}

extension TableKey {
  /// Returns the constraint of a table for this key; `kind` is PRIMARY KEY or UNIQUE.
  package func clause(_ kind: String) -> String {
    SQLSpelling.constraintName(name) + "\(kind) (\(columns.map(\.sql).joined(separator: ", ")))" + onConflict.clause
  }
}

extension TableColumn {
  fileprivate var sql: String {
    switch self {
    case .definition(let definition): definition.sql
    case .sql(let sql): SQLFragment.closed(sql)
    }
  }
}

extension NewColumnDescription {
  /// The column definition, as written in `CREATE TABLE` and after `ADD COLUMN`
  /// (https://www.sqlite.org/syntax/column-def.html).
  package var sql: String {
    var words = [name.quotedIdentifier]
    if let type { words.append(type.rawValue) }
    // Written in GRDB's order, so that the same migration produces the same text.
    words += keys.filter(\.isPrimary).map(\.sql)
    if let notNull { words.append(SQLSpelling.constraintName(notNull.name) + "NOT NULL" + notNull.onConflict.clause) }
    words += keys.filter { !$0.isPrimary }.map(\.sql)
    words += checks.map(\.clause)
    switch defaultValue {
    case .value(let value): words.append("DEFAULT \(value.sqlLiteral)")
    case .sql(let sql): words.append("DEFAULT \(SQLFragment.defaultExpression(sql))")
    case nil: break
    }
    if let collation { words.append("COLLATE \(collation.quotedIdentifier)") }
    words += references.map { SQLSpelling.constraintName($0.name) + $0.referencesClause }
    if let generated {
      words.append("GENERATED ALWAYS AS (\(SQLFragment.closed(generated.sql)))")
      words.append(generated.isStored ? "STORED" : "VIRTUAL")
    }
    return words.joined(separator: " ")
  }

  /// Returns the index that the column's definition requests; nil if there is none.
  package func indexDefinition(on table: String, ifNotExists: Bool) -> NewIndexDescription? {
    index.map { index in
      NewIndexDescription(
        name: NewIndexDescription.shortName(table: table, columns: [name]), table: table, columns: [.column(name)],
        isUnique: index.isUnique, ifNotExists: ifNotExists)
    }
  }
}

extension NewColumnDescription.Key {
  fileprivate var isPrimary: Bool { if case .primary = self { true } else { false } }

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
  /// The constraint of a table or column for this check.
  package var clause: String { SQLSpelling.constraintName(name) + "CHECK (\(SQLFragment.closed(sql)))" }
}

extension ConflictResolution? {
  /// The `ON CONFLICT` clause with a space before it; empty if there is none.
  ///
  /// `ABORT` is written, too: if two constraints apply, SQLite prefers an explicit clause to a missing one.
  package var clause: String { map { " ON CONFLICT \($0.rawValue)" } ?? "" }
}

extension NewForeignKeyDescription {
  /// The `REFERENCES` clause (https://www.sqlite.org/syntax/foreign-key-clause.html).
  package var referencesClause: String {
    var clause = "REFERENCES \(table.quotedIdentifier)"
    if !destinationColumns.isEmpty { clause += SQLSpelling.identifiers(destinationColumns) }
    if let onDelete { clause += " ON DELETE \(onDelete.rawValue)" }
    if let onUpdate { clause += " ON UPDATE \(onUpdate.rawValue)" }
    if isDeferred { clause += " DEFERRABLE INITIALLY DEFERRED" }
    return clause
  }
}

// MARK: Limits of `ADD COLUMN` (https://www.sqlite.org/lang_altertable.html#altertabaddcol)
extension NewColumnDescription {
  /// Whether `ADD COLUMN` rejects the column, at least if the table has rows, although `CREATE TABLE` accepts it.
  package var isBeyondAddColumn: Bool {
    let isUnique = keys.contains { if case .unique = $0 { true } else { false } }
    return isUnique || generated?.isStored == true
      || generated == nil && defaultValue.isComputed && !defaultValue.isNull
  }
}

extension NewColumnDescription.Default? {
  /// Whether the default is NULL, or there is none, so that rows inserted without a value get NULL.
  package var isNull: Bool {
    switch self {
    case nil: true
    case .value(let value): value.isNull
    case .sql(let sql):
      SQLSource(sql).tokens.allSatisfy { $0.isOperator("(") || $0.isOperator(")") || $0.isWord("null") }
    }
  }

  /// Whether the default is more than a literal.
  ///
  /// SQLite can use only a literal default for existing rows.
  package var isComputed: Bool {
    guard case .sql(let sql) = self else { return false }
    let source = SQLSource(sql)
    return !source.isLiteral(source.tokens.indices)
  }
}

extension NewIndexDescription {
  /// Returns the statement that creates the index (https://www.sqlite.org/lang_createindex.html); if the table is
  /// temporary, the statement names the temporary schema.
  package func createSQL(isTemporary: Bool) -> String {
    let place = schema ?? (isTemporary ? "temp" : nil)
    var words = [
      SQLSpelling.create(
        isUnique ? "UNIQUE INDEX" : "INDEX", name.quotedIdentifier(in: place), ifNotExists: ifNotExists)
    ]
    words.append("ON \(table.quotedIdentifier)(\(columns.map(\.sql).joined(separator: ", ")))")
    if let condition { words.append("WHERE \(condition)") }
    return words.joined(separator: " ")
  }
}

extension NewIndexDescription.IndexedColumn {
  fileprivate var sql: String {
    switch self {
    case .column(let name): name.quotedIdentifier
    case .ordered(let column): column.sql
    case .sql(let sql): SQLFragment.closed(sql)
    }
  }
}

extension KeyColumn {
  fileprivate var sql: String {
    name.quotedIdentifier + (collation.map { " COLLATE \($0.quotedIdentifier)" } ?? "") + (isDescending ? " DESC" : "")
  }
}

/// Functions that write parts common to several statements.
package enum SQLSpelling {
  /// Returns the beginning of a statement that creates an object, up to the object's name.
  package static func create(_ kind: String, _ name: String, isTemporary: Bool = false, ifNotExists: Bool) -> String {
    "CREATE \(isTemporary ? "TEMPORARY " : "")\(kind) \(ifNotExists ? "IF NOT EXISTS " : "")\(name)"
  }

  /// Returns the statement that drops an object.
  package static func drop(_ kind: String, _ name: String, ifExists: Bool, schema: String?) -> String {
    "DROP \(kind) \(ifExists ? "IF EXISTS " : "")\(name.quotedIdentifier(in: schema))"
  }

  /// Returns the keyword and name of a constraint, followed by a space; empty when it has no name.
  package static func constraintName(_ name: String?) -> String {
    name.map { "CONSTRAINT \($0.quotedIdentifier) " } ?? ""
  }

  /// Returns names in quotes, separated by commas, in parentheses.
  package static func identifiers(_ names: [String]) -> String {
    "(\(names.map(\.quotedIdentifier).joined(separator: ", ")))"
  }
}

extension String {
  /// Returns the name in quotes, qualified with its schema if one is given.
  package func quotedIdentifier(in schema: String?) -> String {
    (schema.map { $0.quotedIdentifier + "." } ?? "") + quotedIdentifier
  }
}
