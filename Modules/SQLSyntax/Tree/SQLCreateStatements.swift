/// A `CREATE INDEX` statement (https://www.sqlite.org/lang_createindex.html).
package struct SQLCreateIndex: Sendable {
  /// Whether the index is `UNIQUE`.
  package var isUnique = false
  /// The index's name.
  package var name: SQLQualifiedName
  /// The table's name.
  package var table: SQLName
  /// The indexed columns and expressions, in order.
  package var columns: [SQLIndexedColumn] = []
  /// The `WHERE` condition of a partial index; nil for other indexes.
  package var condition: SQLExpression?
}

/// A `CREATE VIEW` statement (https://www.sqlite.org/lang_createview.html).
package struct SQLCreateView: Sendable {
  /// The view's name.
  package var name: SQLQualifiedName
  /// The column names that the statement lists; empty if the query determines them.
  package var columns: [SQLName] = []
  /// The query that defines the view.
  package var select: SQLSelect
}

/// A `CREATE TRIGGER` statement (https://www.sqlite.org/lang_createtrigger.html).
package struct SQLCreateTrigger: Sendable {
  /// The time at which a trigger runs.
  package enum Timing: Sendable {
    /// Before or after the change, or instead of it, for views.
    case before, after, insteadOf
  }

  /// The event that fires a trigger.
  package enum Event: Sendable {
    /// The deletion or insertion of a row.
    case delete, insert
    /// An update of one of the columns after `OF`, or of any column if the array is empty.
    case update(of: [SQLName])
  }

  /// The trigger's name.
  package var name: SQLQualifiedName
  /// The time at which the trigger runs; nil if no keyword is given, which means `BEFORE`.
  package var timing: Timing?
  /// The event that fires the trigger.
  package var event: Event
  /// The table or view whose changes fire the trigger.
  package var table: SQLQualifiedName
  /// The `WHEN` condition; nil if there is none.
  package var condition: SQLExpression?
  /// The statements between `BEGIN` and `END`.
  var body: [SQLDataStatement] = []
}

/// A `CREATE VIRTUAL TABLE` statement (https://www.sqlite.org/lang_createvtab.html).
package struct SQLCreateVirtualTable: Sendable {
  /// The table's name.
  package var name: SQLQualifiedName
  /// The module's name.
  package var module: SQLName
  /// The tokens of each argument; only the module can interpret them, and an argument may be empty.
  package var arguments: [Range<Int>] = []

  /// Returns the content option of a full-text table, and its token: the table whose rows it indexes, empty for none
  /// (https://www.sqlite.org/fts5.html#external_content_and_contentless_tables); nil if the table stores its content itself.
  package func fullTextContent(_ source: SQLSource) -> (table: String, token: Int)? {
    option("content", source).map { (SQLIdentifier.unquoted(source.tokens[$0].text), $0) }
  }

  /// Returns the column of the content table that has the rowids of a full-text table; nil if it is not given
  /// (https://www.sqlite.org/fts5.html#external_content_tables).
  package func fullTextRowID(_ source: SQLSource) -> String? {
    option("content_rowid", source).map { SQLIdentifier.unquoted(source.tokens[$0].text) }
  }

  /// Returns the token with the value of an option of a full-text table; nil if it is not given.
  private func option(_ name: String, _ source: SQLSource) -> Int? {
    guard ["fts3", "fts4", "fts5"].contains(module.folded) else { return nil }
    let place = arguments.filter { $0.count >= 3 }.map(\.lowerBound).first { place in
      source.tokens[place].isWord(name) && source.tokens[place + 1].isOperator("=")
    }
    return place.map { $0 + 2 }
  }
}

/// An `ALTER TABLE` statement (https://www.sqlite.org/lang_altertable.html).
package struct SQLAlterTable: Sendable {
  /// The alteration.
  package enum Action: Sendable {
    /// Renames the table.
    case rename(to: SQLName)
    /// Renames a column.
    case renameColumn(SQLName, to: SQLName)
    /// Adds a column.
    case addColumn(SQLColumnSyntax)
    /// Any other alteration.
    case other
  }

  /// The table to alter.
  package var table: SQLQualifiedName
  /// The alteration.
  package var action: Action
}

/// A `DROP` statement (https://www.sqlite.org/lang_droptable.html).
package struct SQLDrop: Sendable {
  /// A kind of object that can be dropped; the raw value is its keyword in lower case.
  package enum Kind: String, Sendable, Hashable {
    /// The keyword after `DROP`.
    case table, index, view, trigger
  }

  /// The kind of the dropped object.
  package var kind: Kind
  /// The name of the dropped object.
  package var name: SQLQualifiedName
}
