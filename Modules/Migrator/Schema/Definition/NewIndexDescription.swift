/// What a new index is made of.
public struct NewIndexDescription: Sendable, Hashable {
  /// The index's name.
  public var name: String
  /// The table.
  public var table: String
  /// The schema of an attached database that holds both; nil for the main schema, or the temporary one where the table
  /// is temporary.
  public var schema: String?
  /// What is indexed, in order.
  public var columns: [IndexedColumn]
  /// Whether the index's values are unique.
  public var isUnique: Bool
  /// Whether nothing happens when the index exists.
  public var ifNotExists: Bool
  /// The condition of a partial index, given as SQL; nil for all rows.
  public var condition: String?

  /// A column or expression of an index.
  public enum IndexedColumn: Sendable, Hashable {
    /// A column by its name.
    case column(String)
    /// A column with its order and collation.
    case ordered(KeyColumn)
    /// An expression, given as SQL, with collation and order if wanted.
    case sql(String)

    /// A column whose smaller values come first.
    public static func ascending(_ name: String, collate: Collation? = nil) -> IndexedColumn {
      .ordered(.ascending(name, collate: collate))
    }

    /// A column whose larger values come first.
    public static func descending(_ name: String, collate: Collation? = nil) -> IndexedColumn {
      .ordered(.descending(name, collate: collate))
    }
  }

  /// Creates a definition.
  public init(
    name: String, table: String, columns: [IndexedColumn], isUnique: Bool = false, ifNotExists: Bool = false,
    condition: String? = nil, schema: String? = nil
  ) {
    self.schema = schema
    self.name = name
    self.table = table
    self.columns = columns
    self.isUnique = isUnique
    self.ifNotExists = ifNotExists
    self.condition = condition
  }

  /// The name that an index has when none is given, such as `index_player_on_teamId_score`.
  ///
  /// GRDB gives the same one, so that the names of databases that were made with it stay the right ones.
  public static func defaultName(table: String, columns: [String]) -> String {
    "index_" + shortName(table: table, columns: columns)
  }

  /// The name of an index that comes with a column, such as `player_on_teamId`.
  ///
  /// Earlier versions of this library named all indexes like this.
  package static func shortName(table: String, columns: [String]) -> String {
    "\(table)_on_\(columns.joined(separator: "_"))"
  }
}

/// How an index is created.
public struct IndexOptions: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The indexed values are unique (https://www.sqlite.org/lang_createindex.html#unique_indexes).
  public static let unique = IndexOptions(rawValue: 1 << 0)
  /// Nothing happens when an index of that name exists.
  public static let ifNotExists = IndexOptions(rawValue: 1 << 1)
}
