/// The definition of a new column.
public struct NewColumnDescription: Sendable, Equatable {
  /// A key that consists of this column alone.
  public enum Key: Sendable, Equatable {
    /// The column is the primary key.
    case primary(autoincrement: Bool, onConflict: ConflictResolution?, isDescending: Bool = false, name: String? = nil)
    /// The column's values are unique.
    case unique(onConflict: ConflictResolution?, name: String? = nil)
  }

  /// A default value.
  public enum Default: Sendable, Equatable {
    /// A constant.
    case value(DatabaseValue)
    /// An expression, given as SQL.
    case sql(String)
  }

  /// A generated column's expression.
  public struct Generated: Sendable, Equatable {
    /// The expression's SQL.
    public var sql: String
    /// Whether the value is stored; otherwise it is computed at each read.
    public var isStored: Bool
    /// Creates an expression.
    public init(sql: String, isStored: Bool) {
      self.sql = sql
      self.isStored = isStored
    }
  }

  /// The column's name.
  public var name: String
  /// The column's type; nil when none is declared.
  public var type: ColumnType?
  /// The primary and unique keys, in the order of declaration.
  public var keys: [Key] = []
  /// The NOT NULL constraint; nil if NULL is allowed.
  public var notNull: NotNull?
  /// The default value; nil if there is none.
  public var defaultValue: Default?
  /// The CHECK constraints in the column's definition.
  public var checks: [NewCheckDescription] = []
  /// The collation's name; nil for the engine's default.
  public var collation: String?
  /// The foreign keys of this column alone; their ``NewForeignKeyDescription/columns`` are empty.
  public var references: [NewForeignKeyDescription] = []
  /// The expression of a generated column; nil for an ordinary one.
  public var generated: Generated?
  /// The index that is created with the column; nil if there is none.
  public var index: ColumnIndex?

  /// A NOT NULL constraint with its ON CONFLICT clause.
  public struct NotNull: Sendable, Equatable {
    /// The ON CONFLICT clause; nil for the engine's default, which aborts the statement.
    public var onConflict: ConflictResolution?
    /// The constraint's name; nil for none.
    public var name: String?
    /// Creates the constraint.
    public init(onConflict: ConflictResolution? = nil, name: String? = nil) {
      self.onConflict = onConflict
      self.name = name
    }
  }

  /// An index on one column, named after its table and column: `player_on_teamId`.
  public struct ColumnIndex: Sendable, Equatable {
    /// Whether the indexed values are unique.
    public var isUnique: Bool
    /// Creates an index.
    public init(isUnique: Bool = false) { self.isUnique = isUnique }
  }

  /// Creates a column without constraints.
  public init(name: String, type: ColumnType? = nil) {
    self.name = name
    self.type = type
  }
}

/// A column's declared type.
public struct ColumnType: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral {
  /// The type as SQL.
  public let rawValue: String
  /// Creates a type from any SQL, such as `VARCHAR(10)`.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates a type from any SQL, such as `VARCHAR(10)`.
  public init(_ sql: String) { rawValue = sql }
  /// Creates a type from any SQL, such as `VARCHAR(10)`.
  public init(stringLiteral value: String) { rawValue = value }

  /// Text, declared as `TEXT`.
  public static let text = ColumnType("TEXT")
  /// Integers, declared as `INTEGER`.
  public static let integer = ColumnType("INTEGER")
  /// Floating-point numbers, declared as `DOUBLE`.
  public static let double = ColumnType("DOUBLE")
  /// Floating-point numbers, declared as `REAL`.
  public static let real = ColumnType("REAL")
  /// Integers and floating-point numbers, declared as `NUMERIC`.
  public static let numeric = ColumnType("NUMERIC")
  /// Booleans, stored as 0 and 1 and declared as `BOOLEAN`.
  public static let boolean = ColumnType("BOOLEAN")
  /// Bytes, declared as `BLOB`.
  public static let blob = ColumnType("BLOB")
  /// Dates without a time, as text.
  public static let date = ColumnType("DATE")
  /// Dates with a time, as text.
  public static let datetime = ColumnType("DATETIME")
  /// Values of any type, stored without conversion (https://www.sqlite.org/stricttables.html).
  public static let any = ColumnType("ANY")
  /// JSON as text.
  public static let jsonText = ColumnType("TEXT")
  /// JSON in the engine's binary form.
  public static let jsonb = ColumnType("BLOB")
}

/// A rule for comparing text (https://www.sqlite.org/datatype3.html#collation).
public struct Collation: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral {
  /// The collation's name.
  public let rawValue: String
  /// Creates a collation from its name, which may be the name of a collation that the application adds to connections.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates a collation from its name, which may be the name of a collation that the application adds to connections.
  public init(_ name: String) { rawValue = name }
  /// Creates a collation from its name, which may be the name of a collation that the application adds to connections.
  public init(stringLiteral value: String) { rawValue = value }

  /// The default collation, which compares bytes.
  public static let binary = Collation("BINARY")
  /// The collation that compares bytes but ignores the case of the 26 ASCII letters.
  public static let nocase = Collation("NOCASE")
  /// The collation that compares bytes but ignores trailing spaces.
  public static let rtrim = Collation("RTRIM")
}
