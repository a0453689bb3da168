/// A `CREATE TABLE` statement (https://www.sqlite.org/lang_createtable.html).
package struct SQLCreateTable: Sendable, Hashable {
  /// An option after the closing parenthesis.
  package enum Option: Sendable, Hashable {
    /// `WITHOUT ROWID` (https://www.sqlite.org/withoutrowid.html).
    case withoutRowID
    /// `STRICT` (https://www.sqlite.org/stricttables.html).
    case strict
  }

  /// The table's name.
  package var name: SQLQualifiedName
  /// The tokens between the parentheses; empty for `AS SELECT`.
  package var body: Range<Int> = 0..<0
  /// The columns, in order.
  package var columns: [SQLColumnSyntax] = []
  /// The constraints after the columns.
  package var constraints: [SQLTableConstraint] = []
  /// The options after the closing parenthesis, in order.
  package var options: [Option] = []
  /// The query after `AS`; nil if columns are listed.
  package var select: SQLSelect?
  /// Whether the table is stored by its primary key.
  package var isWithoutRowID: Bool { options.contains(.withoutRowID) }
  /// Whether values must fit their column's type.
  package var isStrict: Bool { options.contains(.strict) }

  /// The foreign keys of the columns, then those of the table, in the order of the definition; SQLite numbers them
  /// backward.
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
package struct SQLForeignKeySyntax: Sendable, Hashable {
  /// The constraint's name.
  package let name: SQLName?
  /// The referring columns, in the key's order.
  package let columns: [SQLName]
  /// The clause that begins with `REFERENCES`.
  package let clause: SQLForeignKeyClause
}

/// A column as `CREATE TABLE` and `ADD COLUMN` define it (https://www.sqlite.org/syntax/column-def.html).
package struct SQLColumnSyntax: Sendable, Hashable {
  /// The tokens of the whole definition, from the name to the last constraint.
  package var tokens: Range<Int>
  /// The column's name.
  package var name: SQLName
  /// The tokens of the declared type, including its numbers in parentheses; empty if none is declared.
  package var type: Range<Int>
  /// The constraints, in order.
  package var constraints: [SQLColumnConstraint] = []

  /// The foreign keys among the constraints.
  package var foreignKeys: [SQLForeignKeySyntax] {
    constraints.compactMap { constraint in
      guard case .references(let clause) = constraint.kind else { return nil }
      return SQLForeignKeySyntax(name: constraint.name, columns: [name], clause: clause)
    }
  }
}

/// A constraint of a column (https://www.sqlite.org/syntax/column-constraint.html).
package struct SQLColumnConstraint: Sendable, Hashable {
  /// The requirement of a constraint.
  package enum Kind: Sendable, Hashable {
    /// The column is the primary key.
    case primaryKey(isDescending: Bool, onConflict: SQLConflictResolution?, isAutoincrement: Bool)
    /// NULL is refused.
    case notNull(onConflict: SQLConflictResolution?)
    /// NULL is allowed, as it is by default.
    case null(onConflict: SQLConflictResolution?)
    /// Values of other rows are refused.
    case unique(onConflict: SQLConflictResolution?)
    /// Rows for which the expression is false are refused; the grammar allows a conflict clause only in table
    /// constraints.
    case check(SQLExpression, onConflict: SQLConflictResolution?)
    /// The default value for new rows: a literal with its sign, a keyword, or an expression with its
    /// parentheses.
    case defaultValue(SQLExpression)
    /// The collation.
    case collate(SQLName)
    /// A foreign key.
    case references(SQLForeignKeyClause)
    /// The column is computed; `storage` is the keyword after it, `STORED` or `VIRTUAL`.
    case generated(SQLExpression, storage: SQLName?)
    /// `[NOT] DEFERRABLE`, which applies to the foreign key before it in the column's definition.
    case deferral(isDeferrable: Bool, isInitiallyDeferred: Bool?)
    /// `CONSTRAINT name` without a constraint, which SQLite accepts.
    case nothing
  }

  /// The tokens, including `CONSTRAINT name`.
  package let tokens: Range<Int>
  /// The constraint's name.
  package let name: SQLName?
  /// The requirement.
  package let kind: Kind
}

/// A constraint of a table (https://www.sqlite.org/syntax/table-constraint.html).
package struct SQLTableConstraint: Sendable, Hashable {
  /// The requirement of a constraint.
  package enum Kind: Sendable, Hashable {
    /// The primary key.
    case primaryKey([SQLIndexedColumn], isAutoincrement: Bool, onConflict: SQLConflictResolution?)
    /// A unique key.
    case unique([SQLIndexedColumn], onConflict: SQLConflictResolution?)
    /// Rows for which the expression is false are refused.
    case check(SQLExpression, onConflict: SQLConflictResolution?)
    /// A foreign key.
    case foreignKey(columns: [SQLName], SQLForeignKeyClause)
    /// `CONSTRAINT name` without a constraint, which SQLite accepts.
    case nothing
  }

  /// The tokens, including `CONSTRAINT name` and without the comma before it.
  package let tokens: Range<Int>
  /// The constraint's name.
  package let name: SQLName?
  /// The requirement.
  package let kind: Kind
}

/// The resolution of a conflict, as `ON CONFLICT` names it (https://www.sqlite.org/lang_conflict.html).
package enum SQLConflictResolution: String, CaseIterable, Sendable {
  /// The transaction is rolled back.
  case rollback = "ROLLBACK"
  /// The statement is undone.
  case abort = "ABORT"
  /// The statement ends, and its earlier changes remain.
  case fail = "FAIL"
  /// The row is skipped.
  case ignore = "IGNORE"
  /// The conflicting rows are deleted.
  case replace = "REPLACE"
}

/// The clause that begins with `REFERENCES` (https://www.sqlite.org/syntax/foreign-key-clause.html).
package struct SQLForeignKeyClause: Sendable, Hashable {
  /// The tokens from `REFERENCES` on.
  package var tokens: Range<Int>
  /// The parent table.
  package var table: SQLName
  /// The parent columns; empty for the primary key.
  package var columns: [SQLName] = []
  /// Whether `DEFERRABLE` is given; false for `NOT DEFERRABLE`, nil if neither is given.
  package var isDeferrable: Bool?
  /// Whether the check waits for the commit; nil if `INITIALLY` is not given.
  package var isInitiallyDeferred: Bool?
}
