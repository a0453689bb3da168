/// The definition of a table for full-text search, inside `create(virtualTable:using:)`.
public final class FullTextTableDefinition {
  private(set) var description: NewFullTextTableDescription

  init(_ description: NewFullTextTableDescription) { self.description = description }

  /// The tokenizer; nil for the module's default.
  public var tokenizer: FullTextTokenizer? {
    get { description.tokenizer }
    set { description.tokenizer = newValue }
  }

  /// The lengths of prefixes to index for faster prefix queries.
  public var prefixes: Set<Int> {
    get { Set(description.prefixes) }
    set { description.prefixes = newValue.sorted() }
  }

  /// An ordinary table that stores the indexed text (an external content table); nil if the full-text table itself
  /// stores the text, and an empty string if the text is not stored at all (a contentless table).
  ///
  /// Code that changes the content must also update the index; ``synchronize(withTable:)`` does that with triggers.
  public var content: String? {
    get { description.contentTable }
    set { description.contentTable = newValue }
  }

  /// Appends a column; its text can be searched only if the column is indexed.
  @discardableResult
  public func column(_ name: String, indexed: Bool = true) -> FullTextColumnDefinition {
    description.columns.append(NewFullTextTableDescription.Column(name: name, isIndexed: indexed))
    let index = description.columns.count - 1
    return FullTextColumnDefinition { self.description.columns[index].isIndexed = false }
  }

  /// Sets another option of the module, for example `setting("detail", "column")`.
  ///
  /// - Parameter value: The option's value as SQL, with quotes where SQL requires them.
  public func setting(_ name: String, _ value: String) {
    description.settings.append(NewFullTextTableDescription.Setting(name: name, value: value))
  }

  /// Indexes the rows of an ordinary table, and keeps the index up to date with triggers on that table.
  ///
  /// The full-text table does not store the text. Existing rows can be searched immediately. The ordinary table needs
  /// an `INTEGER PRIMARY KEY` column: otherwise VACUUM may change rowids (https://www.sqlite.org/rowidtable.html), and
  /// a search would return the wrong rows.
  ///
  /// When `REPLACE` deletes a row, the triggers fire only if `PRAGMA recursive_triggers` is on
  /// (https://www.sqlite.org/lang_conflict.html).
  public func synchronize(withTable table: String) {
    description.contentTable = table
    description.isSynchronized = true
  }
}

/// The definition of a column of a full-text table.
public final class FullTextColumnDefinition {
  private let stopIndexing: () -> Void

  init(stopIndexing: @escaping () -> Void) { self.stopIndexing = stopIndexing }

  /// Stores the column's text without making it searchable, like `column(_:indexed: false)`.
  @discardableResult
  public func notIndexed() -> Self {
    stopIndexing()
    return self
  }
}

/// The definition of an FTS5 full-text table, inside `create(virtualTable:using:)`.
public typealias FTS5TableDefinition = FullTextTableDefinition

/// The definition of an FTS4 full-text table, inside `create(virtualTable:using:)`.
public typealias FTS4TableDefinition = FullTextTableDefinition

/// The definition of a new full-text table.
public struct NewFullTextTableDescription: Sendable, Equatable {
  /// A full-text search module.
  public enum Module: String, Sendable, Hashable {
    /// The FTS4 module (https://www.sqlite.org/fts3.html).
    case fts4
    /// The FTS5 module (https://www.sqlite.org/fts5.html).
    case fts5
  }

  /// A column of the table.
  public struct Column: Sendable, Equatable {
    /// The column's name.
    public var name: String
    /// Whether the column's text can be searched.
    public var isIndexed: Bool
    /// Creates a column.
    public init(name: String, isIndexed: Bool = true) {
      self.name = name
      self.isIndexed = isIndexed
    }
  }

  /// The table's name.
  public var name: String
  /// The schema of an attached database in which to create the table; nil for the main schema.
  public var schema: String?
  /// Options for creating the table.
  public var options: VirtualTableOptions
  /// The full-text search module.
  public var module: Module
  /// The columns, in order.
  public var columns: [Column] = []
  /// The tokenizer; nil for the module's default.
  public var tokenizer: FullTextTokenizer?
  /// The lengths of prefixes to index for faster prefix queries; empty for none.
  public var prefixes: [Int] = []
  /// The module's other options, such as `detail` with the value `column`.
  public var settings: [Setting] = []
  /// An ordinary table that stores the indexed text; nil if the full-text table itself stores the text, and an empty
  /// string if the text is not stored at all.
  public var contentTable: String?
  /// Whether triggers on the content table keep the full-text table up to date.
  public var isSynchronized = false

  /// An option of a module, as SQL.
  public struct Setting: Sendable, Equatable {
    /// The option's name.
    public var name: String
    /// The option's value, with quotes where SQL requires them.
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

/// A tokenizer, which splits text into terms for full-text search
/// (https://www.sqlite.org/fts5.html#tokenizers, https://www.sqlite.org/fts3.html#tokenizer).
public struct FullTextTokenizer: Sendable, Equatable {
  /// The tokenizer's name, followed by its arguments.
  public var components: [String]

  /// Creates a tokenizer from its name and its arguments.
  public init(components: [String]) {
    precondition(!components.isEmpty, "A tokenizer needs a name.")
    self.components = components
  }

  /// An FTS5 tokenizer whose terms consist of ASCII letters, ASCII digits and non-ASCII characters; it ignores the case
  /// of ASCII letters.
  public static let ascii = FullTextTokenizer(components: ["ascii"])
  /// The FTS4 tokenizer that corresponds to ``ascii``.
  public static let simple = FullTextTokenizer(components: ["simple"])
  /// A tokenizer for terms in any script; ignores case and accents.
  public static let unicode61 = FullTextTokenizer(components: ["unicode61"])
  /// A tokenizer for English terms, which are compared by their stems.
  public static let porter = FullTextTokenizer(components: ["porter"])

  /// Returns an FTS5 tokenizer that reduces the English terms found by another tokenizer to their stems.
  public static func porter(wrapping base: FullTextTokenizer) -> FullTextTokenizer {
    FullTextTokenizer(components: ["porter"] + base.components)
  }
}
