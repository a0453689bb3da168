/// Defines a table for full-text search, inside `create(virtualTable:using:)`.
public final class FullTextTableDefinition {
  /// What was defined so far.
  private(set) var definition: NewFullTextTableDescription

  init(_ definition: NewFullTextTableDescription) { self.definition = definition }

  /// How texts are cut into words; nil leaves it to the module.
  public var tokenizer: FullTextTokenizer? {
    get { definition.tokenizer }
    set { definition.tokenizer = newValue }
  }

  /// Lengths of beginnings of words that are looked up fast.
  public var prefixes: Set<Int> {
    get { Set(definition.prefixes) }
    set { definition.prefixes = newValue.sorted() }
  }

  /// An ordinary table whose rows are searched and that alone holds them; nil when the table holds them itself, and
  /// the empty text when nothing holds them.
  ///
  /// It must be kept up to date by whoever changes the content; ``synchronize(withTable:)`` does that by triggers.
  public var content: String? {
    get { definition.contentTable }
    set { definition.contentTable = newValue }
  }

  /// Appends a column.
  ///
  /// - Parameter indexed: Whether the column's words can be searched for.
  public func column(_ name: String, indexed: Bool = true) {
    precondition(!name.isEmpty, "A column needs a name.")
    definition.columns.append(NewFullTextTableDescription.Column(name: name, isIndexed: indexed))
  }

  /// Gives the module another option, such as `setting("detail", "column")`.
  ///
  /// - Parameter value: The option's value as SQL, quotes included where it needs them.
  public func setting(_ name: String, _ value: String) {
    definition.settings.append(NewFullTextTableDescription.Setting(name: name, value: value))
  }

  /// Searches the rows of an ordinary table, and keeps up with them by triggers on that table.
  ///
  /// The table holds no texts of its own. The rows that exist are searched at once. The content table needs an
  /// `INTEGER PRIMARY KEY` column: rowids without one change at a VACUUM (https://www.sqlite.org/rowidtable.html), and
  /// a search would then give other rows.
  ///
  /// A row that `REPLACE` deletes is noticed where `PRAGMA recursive_triggers` is on
  /// (https://www.sqlite.org/lang_conflict.html).
  public func synchronize(withTable table: String) {
    definition.contentTable = table
    definition.isSynchronized = true
  }
}

/// A definition is mutable and lives inside one access to the database.
@available(*, unavailable)
extension FullTextTableDefinition: Sendable {}

/// A table that FTS5 searches, inside `create(virtualTable:using:)`.
public typealias FTS5TableDefinition = FullTextTableDefinition

/// A table that FTS4 searches, inside `create(virtualTable:using:)`.
public typealias FTS4TableDefinition = FullTextTableDefinition
