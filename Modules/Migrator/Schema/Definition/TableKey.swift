/// A key of one or more columns, of a new table or of one that exists.
public struct TableKey: Sendable, Hashable, Codable {
  /// The columns, in the key's order.
  public var columns: [KeyColumn]
  /// What happens upon a conflict; nil leaves it to the engine, which aborts the statement.
  public var onConflict: ConflictResolution?
  /// The constraint's name; nil for none.
  public var name: String?

  /// Creates a key from columns with their order and collation.
  public init(columns: [KeyColumn], onConflict: ConflictResolution? = nil, name: String? = nil) {
    self.columns = columns
    self.onConflict = onConflict
    self.name = name
  }

  /// Creates a key from columns by their names alone.
  public init(columns: [String], onConflict: ConflictResolution? = nil, name: String? = nil) {
    self.init(columns: columns.map { KeyColumn($0) }, onConflict: onConflict, name: name)
  }
}

/// A column of a key or an index, with its order and collation.
///
///     t.uniqueKey(["team", .descending("score")])
public struct KeyColumn: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
  /// The column's name.
  public var name: String
  /// The collation by which the key compares texts; nil for the column's own.
  public var collation: String?
  /// Whether larger values come first.
  public var isDescending: Bool

  /// Creates a column of a key.
  public init(_ name: String, collation: Collation? = nil, isDescending: Bool = false) {
    self.name = name
    self.collation = collation?.rawValue
    self.isDescending = isDescending
  }

  /// Creates a column with its own collation whose smaller values come first.
  public init(stringLiteral value: String) { self.init(value) }

  /// A column whose smaller values come first.
  public static func ascending(_ name: String, collate: Collation? = nil) -> KeyColumn {
    KeyColumn(name, collation: collate)
  }

  /// A column whose larger values come first.
  public static func descending(_ name: String, collate: Collation? = nil) -> KeyColumn {
    KeyColumn(name, collation: collate, isDescending: true)
  }
}
