/// Defines a table for full-text search, inside `create(virtualTable:using:)`.
public final class FullTextTableDefinition {
  private(set) var description: NewFullTextTableDescription

  init(_ description: NewFullTextTableDescription) { self.description = description }

  /// How texts are cut into words; nil leaves it to the module.
  public var tokenizer: FullTextTokenizer? {
    get { description.tokenizer }
    set { description.tokenizer = newValue }
  }

  /// Lengths of beginnings of words that are looked up fast.
  public var prefixes: Set<Int> {
    get { Set(description.prefixes) }
    set { description.prefixes = newValue.sorted() }
  }

  /// An ordinary table whose rows are searched and that alone holds them; nil when the table holds them itself, and
  /// the empty text when nothing holds them.
  ///
  /// It must be kept up to date by whoever changes the content; ``synchronize(withTable:)`` does that by triggers.
  public var content: String? {
    get { description.contentTable }
    set { description.contentTable = newValue }
  }

  /// Appends a column, whose words can be searched for if it is indexed.
  public func column(_ name: String, indexed: Bool = true) {
    precondition(!name.isEmpty, "A column needs a name.")
    description.columns.append(NewFullTextTableDescription.Column(name: name, isIndexed: indexed))
  }

  /// Gives the module another option, such as `setting("detail", "column")`.
  ///
  /// - Parameter value: The option's value as SQL, quotes included where it needs them.
  public func setting(_ name: String, _ value: String) {
    description.settings.append(NewFullTextTableDescription.Setting(name: name, value: value))
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
    description.contentTable = table
    description.isSynchronized = true
  }
}

/// A table that FTS5 searches, inside `create(virtualTable:using:)`.
public typealias FTS5TableDefinition = FullTextTableDefinition

/// A table that FTS4 searches, inside `create(virtualTable:using:)`.
public typealias FTS4TableDefinition = FullTextTableDefinition

/// What a new table for full-text search is made of.
public struct NewFullTextTableDescription: Sendable, Hashable {
  /// The module that searches.
  public enum Module: String, Sendable, Hashable {
    /// https://www.sqlite.org/fts3.html
    case fts4
    /// https://www.sqlite.org/fts5.html
    case fts5
  }

  /// A column of the table.
  public struct Column: Sendable, Hashable {
    /// The column's name.
    public var name: String
    /// Whether the column's words can be searched for.
    public var isIndexed: Bool
    /// Creates a column.
    public init(name: String, isIndexed: Bool = true) {
      self.name = name
      self.isIndexed = isIndexed
    }
  }

  /// The table's name.
  public var name: String
  /// The schema of an attached database that the table goes to; nil for the main schema.
  public var schema: String?
  /// How the table is created.
  public var options: VirtualTableOptions
  /// The module.
  public var module: Module
  /// The columns.
  public var columns: [Column] = []
  /// How texts are cut into words; nil leaves it to the module.
  public var tokenizer: FullTextTokenizer?
  /// Lengths of beginnings of words that are looked up fast; empty for none.
  public var prefixes: [Int] = []
  /// The module's other options, such as `detail` and `full`.
  public var settings: [Setting] = []
  /// An ordinary table whose rows are searched and that alone holds them; nil when the table holds them itself.
  public var contentTable: String?
  /// Whether triggers on the content table keep this one up to date.
  public var isSynchronized = false

  /// An option of a module, as SQL.
  public struct Setting: Sendable, Hashable {
    /// The option's name.
    public var name: String
    /// The option's value, quotes included where it needs them.
    public var value: String
    /// Creates an option.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Creates a definition without columns.
  public init(name: String, schema: String? = nil, options: VirtualTableOptions = [], module: Module) {
    self.name = name
    self.schema = schema
    self.options = options
    self.module = module
  }
}

/// How a full-text search cuts texts into words
/// (https://www.sqlite.org/fts5.html#tokenizers, https://www.sqlite.org/fts3.html#tokenizer).
public struct FullTextTokenizer: Sendable, Hashable {
  /// The tokenizer's name, followed by what it is given.
  public var components: [String]

  /// Creates a tokenizer from its name and what it is given.
  public init(components: [String]) {
    precondition(!components.isEmpty, "A tokenizer needs a name.")
    self.components = components
  }

  /// Words of ASCII letters and digits, compared without regard to case; `ascii` for FTS5, `simple` for FTS4.
  public static let ascii = FullTextTokenizer(components: ["ascii"])
  /// Words of ASCII letters and digits, compared without regard to case, for FTS4.
  public static let simple = FullTextTokenizer(components: ["simple"])
  /// Words of any script, compared without regard to case and accents.
  public static let unicode61 = FullTextTokenizer(components: ["unicode61"])
  /// English words, compared by their stems.
  public static let porter = FullTextTokenizer(components: ["porter"])

  /// English words, compared by their stems, after another tokenizer has found them; for FTS5.
  public static func porter(wrapping base: FullTextTokenizer) -> FullTextTokenizer {
    FullTextTokenizer(components: ["porter"] + base.components)
  }
}
