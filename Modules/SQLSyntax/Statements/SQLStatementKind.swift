/// The kind of a statement; only kinds that a migrator handles specially are distinguished.
///
/// The first tokens determine the kind. `EXPLAIN COMMIT` does not commit, so it is `other`.
package enum SQLStatementKind: Sendable, Equatable {
  /// A statement that begins with this keyword.
  case begin, savepoint, release, vacuum, attach, detach, create
  /// `COMMIT`, or its synonym `END`.
  case commit
  /// `ROLLBACK` of the whole transaction.
  case rollback
  /// `ROLLBACK TO` a savepoint.
  case rollbackTo
  /// `PRAGMA`; `name` is in lower case, without the schema. `argument` is the value after `=` or in parentheses,
  /// unquoted and in its original case; nil if there is none, or if it is not a single value.
  case pragma(name: String, hasArgument: Bool, argument: String?)
  /// Any other statement, and text without a statement.
  case other

  /// Determines the kind of a statement; comments, whitespace and semicolons before the statement are skipped.
  ///
  /// - Parameter skippingExplain: Whether an `EXPLAIN` statement gets the kind of the statement that it explains,
  ///   instead of `other`.
  package init(of sql: String, skippingExplain: Bool = false) {
    var reader = StatementReader(sql)
    if skippingExplain { reader.skipExplain() }
    self = reader.kind()
  }

  /// Returns the PRAGMA that begins at or after an offset, if any other statement does not come first.
  ///
  /// An explained PRAGMA counts, too: SQLite carries out some of them while it compiles them.
  package static func pragma(in script: String, utf8Offset: Int = 0) -> SQLStatementKind? {
    var script = script
    return script.withUTF8 { bytes in
      let start = SQLStatementStart.find(in: bytes, from: utf8Offset)
      // Most statements begin with a letter other than P or E; their text need not be copied.
      guard start < bytes.count, [0x70, 0x65].contains(bytes[start] | 0x20) else { return nil }
      // A PRAGMA is short, and the rest of the script may be long.
      for length in [1000, Int.max] {
        let text = bytes[start...].prefix(length)
        let kind = SQLStatementKind(of: String(decoding: text, as: UTF8.self), skippingExplain: true)
        if case .pragma(_, hasArgument: true, _) = kind { return kind }
        if text.endIndex == bytes.endIndex { return if case .pragma = kind { kind } else { nil } }
      }
      return nil
    }
  }
}

/// The effect of a statement on a whole table.
///
/// Names are unquoted and have their original case. The effect is `none` for tables outside the main schema.
package enum SQLStatementEffect: Sendable, Equatable {
  /// Creates an ordinary or a virtual table.
  case createTable(String)
  /// Removes a table with its rows.
  case dropTable(String)
  /// Adds a column.
  case addColumn(table: String, column: String)
  /// Removes a column with its values.
  case dropColumn(table: String, column: String)
  /// Renames a column.
  case renameColumn(table: String, column: String, newName: String)
  /// Renames a table.
  case renameTable(String, newName: String)
  /// Removes all rows of a table.
  case deleteAllRows(table: String)
  /// Changes all rows of a table.
  case updateAllRows(table: String)
  /// Allows SQL statements to edit `sqlite_schema` (https://www.sqlite.org/pragma.html#pragma_writable_schema).
  case allowSchemaEditing
  /// The statement has none of these effects.
  case none

  /// Determines the effect of a statement; in most cases, only its first tokens are read.
  package init(of sql: String) {
    var reader = StatementReader(sql)
    self = reader.effect()
  }

  /// The name of the table that is altered or removed, or whose rows are; nil for other effects.
  ///
  /// The table need not exist.
  package var table: String? {
    switch self {
    case .dropTable(let table), .addColumn(let table, _), .dropColumn(let table, _), .renameColumn(let table, _, _),
      .renameTable(let table, _), .deleteAllRows(let table), .updateAllRows(let table):
      table
    case .createTable, .allowSchemaEditing, .none: nil
    }
  }
}

extension SQLStatementKind {
  /// The reason why a statement has no effect, or would do harm, inside a transaction.
  package enum Misplacement: Sendable {
    /// The statement begins or ends a transaction.
    case transaction
    /// The statement turns foreign key enforcement on or off, which has no effect inside a transaction.
    case foreignKeySwitch
    /// The statement sets the journal mode.
    case journalMode
    /// The statement sets a property that can be set only while the database is new; it has no effect inside a
    /// transaction.
    case fileFormat
    /// The statement rewrites the database file with `VACUUM`.
    case vacuum
    /// The statement attaches or detaches a database.
    case attachment
  }

  /// The reason why the statement must not run inside a transaction; nil if it may run there.
  package var misplacementInTransaction: Misplacement? {
    switch self {
    case .begin, .commit, .rollback: .transaction
    case .pragma("foreign_keys", hasArgument: true, _): .foreignKeySwitch
    case .pragma("journal_mode", hasArgument: true, _): .journalMode
    case .pragma("page_size", hasArgument: true, _): .fileFormat
    case .pragma where changesEncoding: .fileFormat
    case .vacuum: .vacuum
    case .attach, .detach: .attachment
    default: nil
    }
  }

  /// Whether the statement sets another encoding than UTF-8, which a database without a setting has
  /// (https://www.sqlite.org/pragma.html#pragma_encoding).
  package var changesEncoding: Bool {
    guard case .pragma("encoding", hasArgument: true, let value) = self else { return false }
    return !["utf-8", "utf8"].contains(value?.asciiLowercased)
  }
}

/// The properties of a statement that follow from its text, each of which is read at most once, and only if it is needed.
package final class SQLStatementSummary {
  /// The text of the statement.
  package let sql: String
  /// The kind of the statement.
  package private(set) lazy var kind = reader.kind()
  /// The effect of the statement on a whole table.
  package private(set) lazy var effect = reader.effect()
  /// Whether the statement names the main schema before the table of its ``effect``, so that no temporary table hides it.
  package var namesMainSchema: Bool { effect != .none && reader.hasReadSchema }
  /// The effect of the statement on a table that it calls a temporary one, with `TEMP` or the schema `temp`.
  package private(set) lazy var temporaryEffect: SQLStatementEffect = {
    guard sql.holdsWord("temp") else { return .none }
    var reader = StatementReader(sql, schema: "temp")
    let effect = reader.effect()
    return reader.hasReadSchema ? effect : .none
  }()
  /// The effect of the statement on a table of the main schema, or on one that it calls temporary.
  package var tableEffect: SQLStatementEffect { temporaryEffect == .none ? effect : temporaryEffect }
  /// The kind and the unquoted name of the object that the statement adds to the schema, if it does nothing else: it
  /// neither runs a query or a module, nor makes a key unique.
  package private(set) lazy var plainCreation = reader.plainCreation()
  /// Whether the statement renames a table or a column, or creates or drops a view.
  package private(set) lazy var changesNames = reader.changesNames()
  /// The unquoted name of the table that an `ALTER TABLE` statement changes; nil for other statements, and for tables
  /// outside the main schema.
  package private(set) lazy var alteredTable = reader.alteredTable()
  /// Whether the statement opens or writes another file: an `ATTACH` of anything but a database in memory or a temporary
  /// one, or `VACUUM INTO`.
  package private(set) lazy var accessesOtherFile = reader.accessesOtherFile()
  /// Whether the statement is an INSERT, UPDATE, DELETE or REPLACE, or begins with common table expressions.
  package private(set) lazy var writesData = reader.writesData()

  /// Whether the statement may change connection settings or create a temporary object.
  package var mayChangeConnection: Bool {
    switch kind {
    case .pragma(_, let hasArgument, _): return hasArgument
    case .create: return sql.holdsWord("temp")
    case .other:
      // EXPLAIN PRAGMA changes some settings, too.
      guard case .pragma(_, let hasArgument, _)? = SQLStatementKind.pragma(in: sql) else { return false }
      return hasArgument
    default: return false
    }
  }

  private var reader: StatementReader

  /// Creates the summary of a statement without reading it.
  package init(of sql: String) {
    self.sql = sql
    reader = StatementReader(sql)
  }
}
