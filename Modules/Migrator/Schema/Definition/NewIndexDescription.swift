/// The definition of a new index.
public struct NewIndexDescription: Sendable, Equatable {
  /// The index's name.
  public var name: String
  /// The indexed table.
  public var table: String
  /// The schema of an attached database that contains the index and its table; nil for the main schema or, for a
  /// temporary table, the temporary schema.
  public var schema: String?
  /// The indexed columns and expressions, in order.
  public var columns: [IndexedColumn]
  /// Whether the indexed values are unique.
  public var isUnique: Bool
  /// Whether to do nothing if the index exists.
  public var ifNotExists: Bool
  /// The WHERE condition of a partial index, given as SQL; nil to index all rows.
  public var condition: String?

  /// A column or expression of an index.
  public enum IndexedColumn: Sendable, Equatable {
    /// A column, given by its name.
    case column(String)
    /// A column with its order and collation.
    case ordered(KeyColumn)
    /// An expression given as SQL, optionally with a collation and an order.
    case sql(String)

    /// Returns a column in ascending order.
    public static func ascending(_ name: String, collate: Collation? = nil) -> IndexedColumn {
      .ordered(.ascending(name, collate: collate))
    }

    /// Returns a column in descending order.
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

  /// Returns the default name of an index, such as `index_player_on_teamId_score`.
  ///
  /// This is the name that GRDB uses, so indexes in databases created with GRDB keep their names.
  public static func defaultName(table: String, columns: [String]) -> String {
    "index_" + shortName(table: table, columns: columns)
  }

  /// Returns the name of an index that is created with a column, such as `player_on_teamId`.
  static func shortName(table: String, columns: [String]) -> String {
    "\(table)_on_\(columns.joined(separator: "_"))"
  }
}

/// Options for creating an index.
public struct IndexOptions: OptionSet, Sendable, Hashable {
  /// The options as bits.
  public let rawValue: UInt8
  /// Creates a set of options from bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The indexed values are unique (https://www.sqlite.org/lang_createindex.html#unique_indexes).
  public static let unique = IndexOptions(rawValue: 1 << 0)
  /// Nothing is done if an index of that name exists.
  public static let ifNotExists = IndexOptions(rawValue: 1 << 1)
}
