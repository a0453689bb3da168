/// A `CREATE TABLE` statement (https://www.sqlite.org/lang_createtable.html).
package struct SQLCreateTable: Sendable {
  /// The table's name.
  package var name: SQLQualifiedName
  /// The tokens between the parentheses; empty for `CREATE TABLE ... AS SELECT`.
  package var body: Range<Int> = 0..<0
  /// The columns, in order.
  package var columns: [SQLColumnSyntax] = []
  /// The table constraints.
  package var constraints: [SQLTableConstraint] = []
  /// Whether the table is `WITHOUT ROWID`: the primary key, not a rowid, identifies its rows
  /// (https://www.sqlite.org/withoutrowid.html).
  package var isWithoutRowID = false
  /// Whether the table is `STRICT`: values must have the type of their column
  /// (https://www.sqlite.org/stricttables.html).
  package var isStrict = false
  /// The query after `AS`; nil if the statement lists columns.
  package var select: SQLSelect?
  /// The keywords of the table options after the closing parenthesis, always in the same order.
  package var options: [String] { (isStrict ? ["STRICT"] : []) + (isWithoutRowID ? ["WITHOUT ROWID"] : []) }

  /// The foreign keys of the columns, then those of the table constraints, in the order of the definition; SQLite
  /// numbers them in reverse order.
  package var foreignKeys: [SQLForeignKeySyntax] {
    columns.flatMap(\.foreignKeys)
      + constraints.compactMap { constraint in
        guard case .foreignKey(let columns, let clause) = constraint.kind else { return nil }
        return SQLForeignKeySyntax(name: constraint.name, columns: columns, clause: clause)
      }
  }
  /// The columns of the primary key, in lower case and in key order; empty if there is none.
  package var primaryKey: [String] {
    for constraint in constraints {
      if case .primaryKey(let columns, _, _) = constraint.kind { return columns.compactMap { $0.column?.folded } }
    }
    let column = columns.first { column in
      column.constraints.contains { if case .primaryKey = $0.kind { true } else { false } }
    }
    return column.map { [$0.name.folded] } ?? []
  }

  /// Returns the column with a name, given in lower case.
  package func column(named folded: String) -> SQLColumnSyntax? { columns.first { $0.name.folded == folded } }
}

/// A foreign key in a definition, as a column constraint or a table constraint.
package struct SQLForeignKeySyntax: Sendable {
  /// The name after `CONSTRAINT`; nil if there is none.
  package let name: SQLName?
  /// The child columns, in the order of the key.
  package let columns: [SQLName]
  /// The clause that begins with `REFERENCES`.
  package let clause: SQLForeignKeyClause
}

/// A column definition of `CREATE TABLE` or `ADD COLUMN` (https://www.sqlite.org/syntax/column-def.html).
package struct SQLColumnSyntax: Sendable {
  /// The tokens of the whole definition, from the name to the last constraint.
  package var tokens: Range<Int>
  /// The column's name.
  package var name: SQLName
  /// The tokens of the declared type, including its numbers in parentheses; empty if none is declared.
  package var type: Range<Int>
  /// The constraints, in order.
  package var constraints: [SQLColumnConstraint] = []

  /// The foreign keys that the column's constraints define.
  package var foreignKeys: [SQLForeignKeySyntax] {
    constraints.compactMap { constraint in
      guard case .references(let clause) = constraint.kind else { return nil }
      return SQLForeignKeySyntax(name: constraint.name, columns: [name], clause: clause)
    }
  }
}

/// A column constraint (https://www.sqlite.org/syntax/column-constraint.html).
package struct SQLColumnConstraint: Sendable {
  /// The kind of a column constraint.
  package enum Kind: Sendable {
    /// `PRIMARY KEY`.
    case primaryKey(isDescending: Bool, onConflict: SQLConflictResolution?, isAutoincrement: Bool)
    /// `NOT NULL`.
    case notNull(onConflict: SQLConflictResolution?)
    /// `NULL`, which SQLite accepts but ignores.
    case null(onConflict: SQLConflictResolution?)
    /// `UNIQUE`.
    case unique(onConflict: SQLConflictResolution?)
    /// `CHECK`: rows for which the expression is false are rejected. The grammar allows an `ON CONFLICT` clause only
    /// in table constraints.
    case check(SQLExpression, onConflict: SQLConflictResolution?)
    /// `DEFAULT`: the default value for new rows is a literal with its sign, a keyword, or an expression with its
    /// parentheses.
    case defaultValue(SQLExpression)
    /// `COLLATE` with the name of the collation.
    case collate(SQLName)
    /// `REFERENCES`: the column is a foreign key.
    case references(SQLForeignKeyClause)
    /// A generated column; `storage` is the keyword after the expression, `STORED` or `VIRTUAL`.
    case generated(SQLExpression, storage: SQLName?)
    /// `[NOT] DEFERRABLE`, which applies to the foreign key before it in the column definition.
    case deferral(isDeferrable: Bool, isInitiallyDeferred: Bool?)
    /// `CONSTRAINT name` without a constraint, which SQLite accepts.
    case nothing
  }

  /// The tokens of the constraint, including `CONSTRAINT name`.
  package let tokens: Range<Int>
  /// The name after `CONSTRAINT`; nil if there is none.
  package let name: SQLName?
  /// The kind of the constraint.
  package let kind: Kind
}

/// A table constraint (https://www.sqlite.org/syntax/table-constraint.html).
package struct SQLTableConstraint: Sendable {
  /// The kind of a table constraint.
  package enum Kind: Sendable {
    /// `PRIMARY KEY`.
    case primaryKey([SQLIndexedColumn], isAutoincrement: Bool, onConflict: SQLConflictResolution?)
    /// `UNIQUE`.
    case unique([SQLIndexedColumn], onConflict: SQLConflictResolution?)
    /// `CHECK`: rows for which the expression is false are rejected.
    case check(SQLExpression, onConflict: SQLConflictResolution?)
    /// `FOREIGN KEY`; `columns` are the child columns.
    case foreignKey(columns: [SQLName], SQLForeignKeyClause)
    /// `CONSTRAINT name` without a constraint, which SQLite accepts.
    case nothing
  }

  /// The tokens of the constraint, including `CONSTRAINT name` but not the comma before it.
  package let tokens: Range<Int>
  /// The name after `CONSTRAINT`; nil if there is none.
  package let name: SQLName?
  /// The kind of the constraint.
  package let kind: Kind
}

/// The conflict resolution that `ON CONFLICT` names (https://www.sqlite.org/lang_conflict.html).
package enum SQLConflictResolution: String, CaseIterable, Sendable {
  /// SQLite rolls back the transaction.
  case rollback = "ROLLBACK"
  /// SQLite undoes the changes of the statement.
  case abort = "ABORT"
  /// SQLite stops the statement and keeps its earlier changes.
  case fail = "FAIL"
  /// SQLite skips the row.
  case ignore = "IGNORE"
  /// SQLite deletes the rows with which the new row conflicts.
  case replace = "REPLACE"
}

/// The clause that begins with `REFERENCES` (https://www.sqlite.org/syntax/foreign-key-clause.html).
package struct SQLForeignKeyClause: Sendable {
  /// The tokens of the clause, from `REFERENCES` on.
  package var tokens: Range<Int>
  /// The parent table.
  package var table: SQLName
  /// The parent columns; empty if the clause lists none, which means the parent's primary key.
  package var columns: [SQLName] = []
  /// Whether the foreign key is `DEFERRABLE`; false for `NOT DEFERRABLE`, nil if neither is given.
  package var isDeferrable: Bool?
  /// Whether the foreign key is `INITIALLY DEFERRED`; nil if `INITIALLY` is not given.
  package var isInitiallyDeferred: Bool?
}
